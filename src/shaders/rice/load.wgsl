// An encoder's brick: from the box into workgroup memory, and its symbols from there. No entry point: kernels.ts puts it
// in front of the others, behind brick.wgsl, memory.wgsl and causal.wgsl. SPEC.md, 'Predictors' and 'Symbols'. Twin: `Neighbourhood` and `toSymbol`
// in src/core/codecs/rice/predictors.ts.

@group(0) @binding(0) var<uniform> box: Box;
// From cut.wgsl: one for each brick.
@group(0) @binding(1) var<storage, read> cuts: array<vec2u>;
@group(0) @binding(2) var<storage, read> voxels: array<u32>;

// Fills workgroup memory with one plane of the brick; lanes behind the chunk's edge are 0. A barrier must follow. Returns the
// bits in which this invocation's elements differ from the brick's first one.
fn load_brick(place: Place, plane: u32, thread: u32) -> u32 {
  let first_element = ((voxels[place.first_word] >> (16u * plane)) & element_mask) * ones;
  var differing = 0u;
  for (var i = 0u; i < part_words; i++) {
    let number = i * threads + thread;
    let at = vec3u((number % row_words) * lanes, (number / row_words) % brick_y, number / (row_words * brick_y));
    var word = 0u;
    if (is_inside(place, at)) {
      let line = place.first_word + at.z * box.slice_words + at.y * box.row_words;
      if (planes == 2u) {
        word = (voxels[line + at.x] >> (16u * plane)) & 0xffffu;
        if (at.x + 1u < place.extent.x) { word |= (voxels[line + at.x + 1u] >> (16u * plane)) << 16u; }
      } else {
        word = voxels[line + at.x / lanes] & lanes_inside(place, at.x);
      }
    }
    differing |= word ^ first_element;
    store_word(word_at(at), word);
  }
  return differing;
}

// What stands left of a word's elements in its row: 0 left of the block.
fn left_of(word: u32, at: u32, in_block: vec3u) -> u32 {
  if (in_block.x == 0u) { return word << bits; }
  return (word << bits) | (load_word(at - 1u) >> (32u - bits));
}

// The differences to the left, in the word `at`.
fn along_x(at: u32, in_block: vec3u) -> u32 {
  let word = load_word(at);
  return packed_subtract(word, left_of(word, at, in_block));
}

// The differences along x, of their differences along y.
fn along_xy(at: u32, in_block: vec3u) -> u32 {
  let own = along_x(at, in_block);
  if (in_block.y == 0u) { return own; }
  return packed_subtract(own, along_x(at - row_words, in_block));
}

// The differences to the element above, or behind; where there is none, the elements.
fn along_y(at: u32, in_block: vec3u) -> u32 {
  if (in_block.y == 0u) { return load_word(at); }
  return packed_subtract(load_word(at), load_word(at - row_words));
}
fn along_z(at: u32, in_block: vec3u) -> u32 {
  if (in_block.z == 0u) { return load_word(at); }
  return packed_subtract(load_word(at), load_word(at - slice_pitch));
}

// The differences to the left; in the block's first column upwards, in its first row and column to behind.
fn from_left(at: u32, in_block: vec3u) -> u32 {
  let inner = along_x(at, in_block);
  if (in_block.x != 0u) { return inner; }
  var edge = 0u;
  if (in_block.y == 0u) { edge = along_z(at, in_block); } else { edge = along_y(at, in_block); }
  return (inner & ~element_mask) | (edge & element_mask);
}

// The residuals of a word by a predictor that is no sum.
fn causal_residuals(predictor: u32, at: u32, in_block: vec3u) -> u32 {
  let x_words = in_block.x / lanes;
  let base = load_word(at - x_words - in_block.y * row_words - in_block.z * slice_pitch) & element_mask;
  var expected = 0u;
  for (var lane = 0u; lane < lanes; lane++) {
    let place = in_block + vec3u(lane, 0u, 0u);
    expected |= (expectation(predictor, at, lane, place, base) & element_mask) << (bits * lane);
  }
  return packed_subtract(load_word(at), expected);
}

// Symbols of the elements in one word, by SPEC.md's list of predictors.
// `at`: the word's place in wg_words. `in_block`: its first element's place in its block.
fn symbols_of(predictor: u32, at: u32, in_block: vec3u) -> u32 {
  var residuals = 0u;
  switch (predictor) {
    case 0u: { residuals = load_word(at); }
    case 1u: { residuals = from_left(at, in_block); }
    case 2u: {
      if (in_block.y == 0u) { residuals = from_left(at, in_block); } else { residuals = along_y(at, in_block); }
    }
    case 3u: {
      if (in_block.z == 0u) { residuals = from_left(at, in_block); } else { residuals = along_z(at, in_block); }
    }
    case 4u: {
      if (in_block.y == 0u) { residuals = from_left(at, in_block); } else { residuals = along_xy(at, in_block); }
    }
    case 5u: {
      residuals = along_xy(at, in_block);
      if (in_block.z != 0u) { residuals = packed_subtract(residuals, along_xy(at - slice_pitch, in_block)); }
    }
    default: { if (causal == 1u) { residuals = causal_residuals(predictor, at, in_block); } }
  }
  // 'The base is the block's first element; its residual counts as 0.'
  if (all(in_block == vec3u(0u))) { residuals &= ~element_mask; }
  return packed_symbols(residuals);
}
