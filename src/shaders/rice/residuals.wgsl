// The residuals and symbols of a part of a group. SPEC.md, 'Predictors' and 'Symbols'. Twin: `Neighbourhood` and `toSymbol` in
// src/core/codecs/rice/predictors.ts.
// The predictors from left to soft up are differences along axes. They work on two words at a time, as a vector: two rows of a
// tile, or one row of each of a part's two tiles.

import package::bricks::packed::{bits, element_mask, lanes, lanes_below, ones, packed_subtract, picture, tops};
import package::rice::brick::{Place, Word, causal, clipped, mean_candidate, place_in_block, starts_block, tiles_x, word_of};
import package::rice::causal::expectation;
import package::rice::planes::Eight;
import package::rice::tiles::{last_row, tile_at, tile_of, tile_row, tile_slice, word_with};

fn subtract(a: vec2u, b: vec2u) -> vec2u {
  return ((a | vec2u(tops)) - (b & vec2u(~tops))) ^ ((a ^ ~b) & vec2u(tops));
}

// `packed_soften` of two words.
fn soften(difference: vec2u, before: vec2u) -> vec2u {
  return ((difference & vec2u(~tops)) + ((before >> vec2u(1u)) & vec2u(~tops))) ^ ((difference ^ before) & vec2u(tops));
}

fn symbols_of(residuals: vec2u) -> vec2u {
  return ((residuals << vec2u(1u)) & vec2u(~ones)) ^ (((residuals >> vec2u(bits - 1u)) & vec2u(ones)) * element_mask);
}

// Differences along x. `left`: the words to the left, of which only the last element counts.
fn along_x(words: vec2u, left: vec2u) -> vec2u { return subtract(words, (words << vec2u(bits)) | (left >> vec2u(32u - bits))); }

// Two words with their neighbours, and whether they lie in their block's first column, row and slice.
struct Corner {
  own: vec2u,
  above: vec2u,
  behind: vec2u,
  above_behind: vec2u,
  // Differences along x.
  own_x: vec2u,
  above_x: vec2u,
  behind_x: vec2u,
  above_behind_x: vec2u,
  left: vec2<bool>,
  top: vec2<bool>,
  front: vec2<bool>,
}

// Rows 0 and 1 of a tile, or rows 2 and 3, and the rows above them.
struct Rows { own: vec2u, above: vec2u }

fn rows_of(tile: u32, lower: bool) -> Rows {
  let own = tile_at(tile);
  if (lower) { return Rows(own.zw, own.yz); }
  return Rows(own.xy, vec2u(last_row(tile - tile_row), own.x));
}

// A part's two tiles, and whether they lie in their block's first column, row and slice.
struct Tiles { at: vec2u, left: vec2<bool>, top: bool, front: vec2<bool> }

fn tiles_of(place: Place) -> Tiles {
  let first = word_of(place, 0u).first;
  let second = first + select(vec3u(lanes, 0u, 0u), vec3u(0u, 0u, 1u), tiles_x == 1u);
  let at = tile_of(first);
  let in_block = place_in_block(place, first);
  return Tiles(
    vec2u(at, at + select(1u, tile_slice, tiles_x == 1u)),
    vec2<bool>(in_block.x == 0u, in_block.x == 0u && tiles_x == 1u),
    in_block.y == 0u,
    vec2<bool>(first.z == 0u, second.z == 0u));
}

fn corner_with(own: Rows, left: Rows, behind_own: Rows, behind_left: Rows) -> Corner {
  let nowhere = vec2<bool>(false);
  return Corner(own.own, own.above, behind_own.own, behind_own.above, along_x(own.own, left.own), along_x(own.above, left.above),
    along_x(behind_own.own, behind_left.own), along_x(behind_own.above, behind_left.above), nowhere, nowhere, nowhere);
}

// Two rows of the first or the second tile.
fn corner_of(tiles: Tiles, second: bool, lower: bool) -> Corner {
  let at = select(tiles.at.x, tiles.at.y, second);
  var behind_own = Rows();
  var behind_left = Rows();
  if (picture == 0u) {
    behind_own = rows_of(at - tile_slice, lower);
    behind_left = rows_of(at - tile_slice - 1u, lower);
  }
  var corner = corner_with(rows_of(at, lower), rows_of(at - 1u, lower), behind_own, behind_left);
  corner.left = vec2<bool>(select(tiles.left.x, tiles.left.y, second));
  corner.top = vec2<bool>(tiles.top && !lower, false);
  corner.front = vec2<bool>(select(tiles.front.x, tiles.front.y, second));
  return corner;
}

// 'Left': upwards in the block's first column, backwards in its first row and column.
fn by_left(corner: Corner) -> vec2u {
  let column = subtract(corner.own, select(corner.above, corner.behind, corner.top));
  return select(corner.own_x, (corner.own_x & vec2u(~element_mask)) | (column & vec2u(element_mask)), corner.left);
}

fn by_up(corner: Corner) -> vec2u { return select(subtract(corner.own, corner.above), by_left(corner), corner.top); }

fn by_behind(corner: Corner) -> vec2u { return select(subtract(corner.own, corner.behind), by_left(corner), corner.front); }

fn by_flat(corner: Corner) -> vec2u { return select(flat_of(corner), by_left(corner), corner.top); }

// Differences along x and y: of the words themselves, and of the words behind.
fn flat_of(corner: Corner) -> vec2u { return subtract(corner.own_x, corner.above_x); }
fn flat_behind(corner: Corner) -> vec2u { return subtract(corner.behind_x, corner.above_behind_x); }

fn by_lorenzo(corner: Corner) -> vec2u { return subtract(flat_of(corner), flat_behind(corner)); }

// Predictor 6, soft. Missing neighbours are 0, and so are their halves. Where a sum is whole, the preceding difference is not
// halved.
fn by_soft(corner: Corner) -> vec2u {
  let halved = select(vec2u(0xffffffffu), vec2u(~element_mask), corner.left);
  return soft_behind(
    corner,
    soften(flat_of(corner), corner.above_x & halved),
    soften(flat_behind(corner), corner.above_behind_x & halved));
}

// Predictor 7, soft up. The upward difference of the left neighbours is the words' own upward difference less the difference
// along both axes.
fn by_soft_up(corner: Corner) -> vec2u {
  let halved = select(vec2u(0xffffffffu), vec2u(0u), corner.top);
  let flat = flat_of(corner);
  let behind_flat = flat_behind(corner);
  let left = subtract(subtract(corner.own, corner.above), flat);
  let left_behind = subtract(subtract(corner.behind, corner.above_behind), behind_flat);
  return soft_behind(corner, soften(flat, left & halved), soften(behind_flat, left_behind & halved));
}

// The difference along z, which comes last.
fn soft_behind(corner: Corner, own: vec2u, before: vec2u) -> vec2u {
  if (picture == 1u) { return own; }
  return soften(subtract(own, before), before & select(vec2u(0xffffffffu), vec2u(~element_mask), corner.left & corner.top));
}

// The residuals of a part's words under a candidate that is a sum. Each case is written out, so that it loads only the words it
// needs.
fn residuals_of(candidate: u32, tiles: Tiles, mean: u32) -> Eight {
  switch (candidate) {
    case 1u: {
      return Eight(
        vec4u(by_left(corner_of(tiles, false, false)), by_left(corner_of(tiles, false, true))),
        vec4u(by_left(corner_of(tiles, true, false)), by_left(corner_of(tiles, true, true))));
    }
    case 2u: {
      return Eight(
        vec4u(by_up(corner_of(tiles, false, false)), by_up(corner_of(tiles, false, true))),
        vec4u(by_up(corner_of(tiles, true, false)), by_up(corner_of(tiles, true, true))));
    }
    case 3u: {
      return Eight(
        vec4u(by_behind(corner_of(tiles, false, false)), by_behind(corner_of(tiles, false, true))),
        vec4u(by_behind(corner_of(tiles, true, false)), by_behind(corner_of(tiles, true, true))));
    }
    case 4u: {
      return Eight(
        vec4u(by_flat(corner_of(tiles, false, false)), by_flat(corner_of(tiles, false, true))),
        vec4u(by_flat(corner_of(tiles, true, false)), by_flat(corner_of(tiles, true, true))));
    }
    case 5u: {
      return Eight(
        vec4u(by_lorenzo(corner_of(tiles, false, false)), by_lorenzo(corner_of(tiles, false, true))),
        vec4u(by_lorenzo(corner_of(tiles, true, false)), by_lorenzo(corner_of(tiles, true, true))));
    }
    case 6u: {
      return Eight(
        vec4u(by_soft(corner_of(tiles, false, false)), by_soft(corner_of(tiles, false, true))),
        vec4u(by_soft(corner_of(tiles, true, false)), by_soft(corner_of(tiles, true, true))));
    }
    case 7u: {
      return Eight(
        vec4u(by_soft_up(corner_of(tiles, false, false)), by_soft_up(corner_of(tiles, false, true))),
        vec4u(by_soft_up(corner_of(tiles, true, false)), by_soft_up(corner_of(tiles, true, true))));
    }
    case mean_candidate: {
      let means = vec2u(mean * ones);
      return Eight(
        vec4u(subtract(tile_at(tiles.at.x).xy, means), subtract(tile_at(tiles.at.x).zw, means)),
        vec4u(subtract(tile_at(tiles.at.y).xy, means), subtract(tile_at(tiles.at.y).zw, means)));
    }
    default: { return Eight(tile_at(tiles.at.x), tile_at(tiles.at.y)); }
  }
}

fn predictor_of(candidate: u32) -> u32 {
  if (candidate < mean_candidate) { return candidate; }
  return select(candidate - 1u, 0u, candidate == mean_candidate);
}

// The residuals of a word under a predictor that is not a sum.
fn causal_residuals(predictor: u32, place: Place, word: Word) -> u32 {
  let in_block = place_in_block(place, word.first);
  let base = base_of(place);
  var expected = 0u;
  for (var lane = 0u; lane < lanes; lane++) {
    let step = vec3u(lane, 0u, 0u);
    expected |= (expectation(predictor, word.first + step, in_block + step, base) & element_mask) << (bits * lane);
  }
  return packed_subtract(word_with(word.first), expected);
}

// The first element of this invocation's block.
fn base_of(place: Place) -> u32 { return word_with(vec3u(place.group.xy - place.in_block, 0u)) & element_mask; }

// The symbols of a part's elements; 0 outside the chunk.
fn symbols_by(candidate: u32, place: Place, mean: u32) -> Eight {
  var residuals = Eight();
  if (causal == 1u && candidate > mean_candidate) {
    for (var i = 0u; i < 4u; i++) {
      residuals.low[i] = causal_residuals(predictor_of(candidate), place, word_of(place, i));
      residuals.high[i] = causal_residuals(predictor_of(candidate), place, word_of(place, i + 4u));
    }
  } else {
    residuals = residuals_of(candidate, tiles_of(place), mean);
  }
  // 'the base is the block's first element, which has no neighbours: its residual counts as 0, and is coded as 0'
  if (predictor_of(candidate) != 0u && starts_block(place)) { residuals.low.x &= ~element_mask; }
  let low = vec4u(symbols_of(residuals.low.xy), symbols_of(residuals.low.zw));
  let high = vec4u(symbols_of(residuals.high.xy), symbols_of(residuals.high.zw));
  return Eight(low & lanes_there(place, 0u), high & lanes_there(place, 4u));
}

// The lanes of four words of a part, from word `first` on, that lie in the chunk.
fn lanes_there(place: Place, first: u32) -> vec4u {
  if (clipped == 0u) { return vec4u(0xffffffffu); }
  return vec4u(
    lanes_below(word_of(place, first).count),
    lanes_below(word_of(place, first + 1u).count),
    lanes_below(word_of(place, first + 2u).count),
    lanes_below(word_of(place, first + 3u).count));
}
