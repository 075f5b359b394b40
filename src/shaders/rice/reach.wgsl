// A part of a group with the words around it in registers, and its residuals and symbols from there. No entry point:
// kernels.ts puts it in front of encode.wgsl, behind load.wgsl. SPEC.md, 'Predictors' and 'Symbols'. Twin: `Neighbourhood` and
// `toSymbol` in src/core/codecs/rice/predictors.ts.
// All predictors from left to soft up are differences along axes, so each difference is made once and serves all of them. At a block's
// edges, where neighbours do not exist, words of 0 stand for them, and 'left' for some predictors.

// Words of a part along x, y and z.
override part_x: u32 = row_group_words;
override part_y: u32 = min(part_rows, group_y);
override part_z: u32 = part_rows / part_y;
// The reach is a part, the rows above and, in a volume, behind it.
override behind: u32 = 1u - picture;
override reach_slice: u32 = (part_y + 1u) * part_x;
const reach_words = 20u;

struct Reach {
  words: array<u32, reach_words>,
  along_x: array<u32, reach_words>, // differences to the left
  at: vec3u,                        // the part's origin in its block
}

// Where a part's word stands in its reach.
fn index_in_reach(x: u32, y: u32, z: u32) -> u32 { return (z + behind) * reach_slice + (y + 1u) * part_x + x; }

fn reach_of(place: Place) -> Reach {
  var reach: Reach;
  let first_row = place.part * part_rows;
  let offset = vec3u(0u, first_row % group_y, first_row / group_y);
  reach.at = vec3u(place.in_block, place.group.z) + offset;
  let first = word_at(place.group + offset) - behind * slice_pitch - row_words;
  for (var i = 0u; i < reach_words; i++) {
    if (i < (part_z + behind) * reach_slice) {
      let x = i % part_x;
      let y = (i / part_x) % (part_y + 1u);
      let z = i / reach_slice;
      let is_there = (y > 0u || reach.at.y > 0u) && (z >= behind || reach.at.z > 0u);
      let at = first + z * slice_pitch + y * row_words + x;
      let word = select(0u, load_word(at), is_there);
      var before = 0u;
      if (x > 0u) {
        before = reach.words[i - 1u];
      } else {
        before = select(0u, load_word(at - 1u), is_there && reach.at.x > 0u);
      }
      reach.words[i] = word;
      reach.along_x[i] = packed_subtract(word, (word << bits) | (before >> (32u - bits)));
    }
  }
  return reach;
}

// A word and its neighbours above and behind; and their differences to the left.
struct Corner {
  own: u32,
  above: u32,
  behind: u32,
  own_x: u32,
  above_x: u32,
  behind_x: u32,
  above_behind_x: u32,
  above_behind: u32,
}

// Of word `word` of a part; they go row by row.
fn corner_of(reach: ptr<function, Reach>, word: u32) -> Corner {
  let at = index_in_reach(word % part_x, (word / part_x) % part_y, word / part_x / part_y);
  var corner = Corner((*reach).words[at], (*reach).words[at - part_x], 0u, (*reach).along_x[at], (*reach).along_x[at - part_x], 0u, 0u, 0u);
  if (picture == 0u) {
    corner.behind = (*reach).words[at - reach_slice];
    corner.behind_x = (*reach).along_x[at - reach_slice];
    corner.above_behind_x = (*reach).along_x[at - reach_slice - part_x];
    corner.above_behind = (*reach).words[at - reach_slice - part_x];
  }
  return corner;
}

// In which of its block's first column, row and slice a word is.
struct Edges { left: bool, top: bool, front: bool }

fn edges_of(reach: ptr<function, Reach>, word: u32) -> Edges {
  let place = (*reach).at + vec3u((word % part_x) * lanes, (word / part_x) % part_y, word / part_x / part_y);
  return Edges(place.x == 0u, place.y == 0u, place.z == 0u);
}

// 'Left': in the block's first column upwards, in its first row and column to behind.
fn from_left(corner: Corner, edges: Edges) -> u32 {
  if (!edges.left) { return corner.own_x; }
  let column = packed_subtract(corner.own, select(corner.above, corner.behind, edges.top));
  return (corner.own_x & ~element_mask) | (column & element_mask);
}

// Differences of a word's differences: of those to the left, upwards; and the same of the word behind.
struct Flats { own: u32, behind: u32 }

fn flats_of(corner: Corner) -> Flats {
  return Flats(packed_subtract(corner.own_x, corner.above_x), packed_subtract(corner.behind_x, corner.above_behind_x));
}

// By predictor 6, soft. What is not there is 0, of which half is 0; where a sum is whole, what stands before is left out of what
// is halved.
fn soft_residuals(corner: Corner, edges: Edges, flats: Flats) -> u32 {
  let halved = select(0xffffffffu, ~element_mask, edges.left);
  return soft_behind(
    packed_soften(flats.own, corner.above_x & halved),
    packed_soften(flats.behind, corner.above_behind_x & halved),
    edges);
}

// By predictor 7, soft up. The difference upwards of the element to the left is a word's own, less the difference of both.
fn soft_up_residuals(corner: Corner, edges: Edges, flats: Flats) -> u32 {
  let halved = select(0xffffffffu, 0u, edges.top);
  let left = packed_subtract(packed_subtract(corner.own, corner.above), flats.own);
  let left_behind = packed_subtract(packed_subtract(corner.behind, corner.above_behind), flats.behind);
  return soft_behind(packed_soften(flats.own, left & halved), packed_soften(flats.behind, left_behind & halved), edges);
}

// The last of the differences, along z.
fn soft_behind(own: u32, behind: u32, edges: Edges) -> u32 {
  if (picture == 1u) { return own; }
  return packed_soften(packed_subtract(own, behind), behind & select(0xffffffffu, ~element_mask, edges.left && edges.top));
}

// The first element of the block of the element at `position`, whose place there is `in_block`.
fn base_of_block(position: u32, in_block: vec3u) -> u32 {
  let first = position - in_block.x - in_block.y * row_elements - in_block.z * slice_elements;
  return load_word(first / lanes) & element_mask;
}

// The residuals of a word by a predictor that is no sum.
fn causal_residuals(predictor: u32, at: u32, in_block: vec3u) -> u32 {
  let base = base_of_block(lanes * at, in_block);
  var expected = 0u;
  for (var lane = 0u; lane < lanes; lane++) {
    let place = in_block + vec3u(lane, 0u, 0u);
    expected |= (expectation(predictor, lanes * at + lane, place, base) & element_mask) << (bits * lane);
  }
  return packed_subtract(load_word(at), expected);
}

// The residuals of a part's words by a candidate that is a sum. Each has a short loop of its own, which compilers unroll: so all arrays
// stay in registers.
fn residuals_of(candidate: u32, reach: ptr<function, Reach>, mean: u32) -> array<u32, part_words> {
  var residuals = array<u32, part_words>();
  switch (candidate) {
    case 1u: {
      for (var i = 0u; i < part_words; i++) { residuals[i] = from_left(corner_of(reach, i), edges_of(reach, i)); }
    }
    case 2u: {
      for (var i = 0u; i < part_words; i++) {
        let corner = corner_of(reach, i);
        let edges = edges_of(reach, i);
        residuals[i] = packed_subtract(corner.own, corner.above);
        if (edges.top) { residuals[i] = from_left(corner, edges); }
      }
    }
    case 3u: {
      for (var i = 0u; i < part_words; i++) {
        let corner = corner_of(reach, i);
        let edges = edges_of(reach, i);
        residuals[i] = packed_subtract(corner.own, corner.behind);
        if (edges.front) { residuals[i] = from_left(corner, edges); }
      }
    }
    case 4u: {
      for (var i = 0u; i < part_words; i++) {
        let corner = corner_of(reach, i);
        let edges = edges_of(reach, i);
        residuals[i] = packed_subtract(corner.own_x, corner.above_x);
        if (edges.top) { residuals[i] = from_left(corner, edges); }
      }
    }
    case 5u: {
      for (var i = 0u; i < part_words; i++) {
        let flats = flats_of(corner_of(reach, i));
        residuals[i] = packed_subtract(flats.own, flats.behind);
      }
    }
    case 6u: {
      for (var i = 0u; i < part_words; i++) {
        let corner = corner_of(reach, i);
        residuals[i] = soft_residuals(corner, edges_of(reach, i), flats_of(corner));
      }
    }
    case 7u: {
      for (var i = 0u; i < part_words; i++) {
        let corner = corner_of(reach, i);
        residuals[i] = soft_up_residuals(corner, edges_of(reach, i), flats_of(corner));
      }
    }
    case mean_candidate: {
      for (var i = 0u; i < part_words; i++) { residuals[i] = packed_subtract(corner_of(reach, i).own, mean * ones); }
    }
    default: {
      for (var i = 0u; i < part_words; i++) { residuals[i] = corner_of(reach, i).own; }
    }
  }
  return residuals;
}

fn predictor_of(candidate: u32) -> u32 {
  if (candidate < mean_candidate) { return candidate; }
  return select(candidate - 1u, 0u, candidate == mean_candidate);
}

// The symbols of a part's elements, 0 where there is none.
fn symbols_of(candidate: u32, reach: ptr<function, Reach>, mean: u32, place: Place) -> array<u32, part_words> {
  var symbols = array<u32, part_words>();
  if (causal == 1u && candidate > mean_candidate) {
    for (var i = 0u; i < part_words; i++) {
      let word = word_of(place, i);
      symbols[i] = causal_residuals(predictor_of(candidate), word_at(word.first), place_in_block(place, word));
    }
  } else {
    symbols = residuals_of(candidate, reach, mean);
  }
  // 'With all but level the base is the block's first element; its residual counts as 0.'
  if (predictor_of(candidate) != 0u && all((*reach).at == vec3u(0u))) { symbols[0] &= ~element_mask; }
  for (var i = 0u; i < part_words; i++) {
    symbols[i] = packed_symbols(symbols[i]);
    if (clipped == 1u) { symbols[i] &= lanes_below(word_of(place, i).count); }
  }
  return symbols;
}
