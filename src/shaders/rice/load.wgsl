// An encoder's brick: from the box into workgroup memory, and its symbols from there. No entry point: kernels.ts puts it
// in front of the others, behind brick.wgsl. SPEC.md, 'Predictors' and 'Symbols'. Twin: `difference` and `toSymbol` in
// src/core/codecs/rice/predictors.ts.

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_brick: array<u32>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;

// Fills wg_words with one plane of the brick; lanes behind the chunk's edge are 0. A barrier must follow.
fn load_brick(place: Place, plane: u32, thread: u32) {
  let extent = place.extent;
  for (var index = thread; index < words_to_visit(extent); index += threads) {
    let x = (index % row_words) * lanes;
    let y = (index / row_words) % brick_y;
    let z = index / (row_words * brick_y);
    var word = 0u;
    if (x < extent.x && y < extent.y && z < extent.z) {
      let at = place.first_word + z * box.slice_words + y * box.row_words;
      if (planes == 2u) {
        word = (voxels[at + x] >> (16u * plane)) & 0xffffu;
        if (x + 1u < extent.x) { word |= (voxels[at + x + 1u] >> (16u * plane)) << 16u; }
      } else {
        word = voxels[at + x / lanes] & lanes_below(extent.x - x);
      }
    }
    wg_words[word_at(x, y, z)] = word;
  }
}

// What stands left of a word's elements in its row: 0 left of the block.
fn left_of(word: u32, at: u32, in_block: vec3u) -> u32 {
  if (in_block.x == 0u) { return word << bits; }
  return (word << bits) | (wg_words[at - 1u] >> (32u - bits));
}

// The differences to the left, in the word `at`.
fn along_x(at: u32, in_block: vec3u) -> u32 {
  let word = wg_words[at];
  return packed_subtract(word, left_of(word, at, in_block));
}

// The differences along x, of their differences along y.
fn along_xy(at: u32, in_block: vec3u) -> u32 {
  let own = along_x(at, in_block);
  if (in_block.y == 0u) { return own; }
  return packed_subtract(own, along_x(at - row_pitch, in_block));
}

// The differences to the element above, or behind; where there is none, the elements.
fn along_y(at: u32, in_block: vec3u) -> u32 {
  if (in_block.y == 0u) { return wg_words[at]; }
  return packed_subtract(wg_words[at], wg_words[at - row_pitch]);
}
fn along_z(at: u32, in_block: vec3u) -> u32 {
  if (in_block.z == 0u) { return wg_words[at]; }
  return packed_subtract(wg_words[at], wg_words[at - slice_pitch]);
}

// The differences to the left; in the block's first column upwards, in its first row and column to behind.
fn from_left(at: u32, in_block: vec3u) -> u32 {
  let inner = along_x(at, in_block);
  if (in_block.x != 0u) { return inner; }
  var edge = 0u;
  if (in_block.y == 0u) { edge = along_z(at, in_block); } else { edge = along_y(at, in_block); }
  return (inner & ~element_mask) | (edge & element_mask);
}

// Symbols of the elements in one word, by SPEC.md's list of predictors.
// `at`: the word's place in wg_words. `in_block`: its first element's place in its block.
fn symbols_of(predictor: u32, at: u32, in_block: vec3u) -> u32 {
  var residuals = 0u;
  switch (predictor) {
    case 0u: { residuals = wg_words[at]; }
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
    default: {
      residuals = along_xy(at, in_block);
      if (in_block.z != 0u) { residuals = packed_subtract(residuals, along_xy(at - slice_pitch, in_block)); }
    }
  }
  // 'The base is the block's first element; its residual counts as 0.'
  if (all(in_block == vec3u(0u))) { residuals &= ~element_mask; }
  return packed_symbols(residuals);
}
