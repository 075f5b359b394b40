// Chooses each block's predictor. src/core/codecs/rice/SPEC.md, "The encoder's choice".
// Algorithm: each part estimates its cost under each candidate from the symbols in a quarter of its rows (in pictures half of
// them). A block takes the candidate with the least sum of costs.
// Invariants:
// 1. Invocations combine integers by addition, so their order does not matter.
// Twins: src/core/codecs/rice/choice.ts and `choosePredictor` in brick.ts.

import package::bricks::packed::{bits, element_mask, lanes, lanes_below, ones, packed_symbols, picture};
import package::rice::brick::{
  Place, block_x, block_y, blocks, blocks_x, candidates, causal, causal_predictors, clipped, mean_candidate, part_words,
  place_in_block, starts_block, sum_of_lanes, wide, word_of,
};
import package::rice::causal::{median_at, median_predictor};
import package::rice::linear::{neighbours_of, weigh};
import package::rice::residuals::{
  Corner, Rows, Tiles, base_of, by_behind, by_flat, by_left, by_lorenzo, by_soft, by_soft_up, by_up, corner_with, subtract,
  symbols_of, tiles_of,
};
import package::rice::tiles::{last_row, tile_at, tile_row, tile_slice, word_with};

// One cost per candidate, for each block.
var<workgroup> wg_worths: array<atomic<u32>, blocks * candidates>;

// Sums of symbols under candidates 0 to 3, under candidates 4 to 7, and under level with the mean.
struct Sums { low: vec4u, high: vec4u, by_mean: u32 }

fn sum_of_two(words: vec2u) -> u32 { return sum_of_lanes(words.x) + sum_of_lanes(words.y); }

// Adds two words. Differences count the lanes in `valid`, level the lanes in `there`.
fn add_sums(sums: ptr<function, Sums>, corner: Corner, mean: u32, there: vec2u, valid: vec2u) {
  (*sums).low += vec4u(
    sum_of_two(symbols_of(corner.own) & there),
    sum_of_two(symbols_of(by_left(corner)) & valid),
    sum_of_two(symbols_of(by_up(corner)) & valid),
    sum_of_two(symbols_of(by_behind(corner)) & valid));
  (*sums).high += vec4u(
    sum_of_two(symbols_of(by_flat(corner)) & valid),
    sum_of_two(symbols_of(by_lorenzo(corner)) & valid),
    sum_of_two(symbols_of(by_soft(corner)) & valid),
    sum_of_two(symbols_of(by_soft_up(corner)) & valid));
  (*sums).by_mean += sum_of_two(symbols_of(subtract(corner.own, vec2u(mean * ones))) & there);
}

// One in this many rows of the block counts: SPEC.md.
fn row_step(place: Place) -> u32 {
  let block_rows = min(place.extent.y - (place.group.y - place.in_block.y), block_y);
  if (block_rows * place.extent.z == 1u) { return 1u; }
  return select(4u, 2u, picture == 1u || causal == 1u || block_rows < 4u);
}

// Whether a row counts. Consecutive slices count different rows.
fn is_counted(step: u32, row: u32, slice: u32) -> bool {
  switch (step) {
    case 1u: { return true; }
    case 2u: { return (row + slice) % 2u == 1u; }
    default: { return (row + 2u * slice) % 4u == 1u; }
  }
}

// The counted elements of this invocation's part.
fn counted_elements(place: Place) -> u32 {
  if (clipped == 0u && causal == 0u) { return part_words * lanes / (4u - 2u * picture); }
  let step = row_step(place);
  var count = 0u;
  for (var i = 0u; i < part_words; i++) {
    let word = word_of(place, i);
    if (is_counted(step, word.first.y, word.first.z)) { count += word.count; }
  }
  return count;
}

// One row of each of a part's tiles. The rows differ if the tiles lie in different slices.
fn corner_of_rows(tiles: Tiles, rows: vec2u) -> Corner {
  var behind_own = Rows();
  var behind_left = Rows();
  if (picture == 0u) {
    behind_own = two_rows(tiles.at - vec2u(tile_slice), rows);
    behind_left = two_rows(tiles.at - vec2u(tile_slice + 1u), rows);
  }
  var corner = corner_with(two_rows(tiles.at, rows), two_rows(tiles.at - vec2u(1u), rows), behind_own, behind_left);
  corner.left = tiles.left;
  corner.top = vec2<bool>(tiles.top && rows.x == 0u, tiles.top && rows.y == 0u);
  corner.front = tiles.front;
  return corner;
}

fn two_rows(at: vec2u, rows: vec2u) -> Rows {
  let first = one_row(at.x, rows.x);
  let second = one_row(at.y, rows.y);
  return Rows(vec2u(first.x, second.x), vec2u(first.y, second.y));
}

// A row of a tile, and the row above it.
fn one_row(at: u32, row: u32) -> vec2u {
  let tile = tile_at(at);
  let upper = select(vec2u(tile.x, last_row(at - tile_row)), tile.yx, row == 1u);
  return select(upper, select(tile.zy, tile.wz, row == 3u), row >= 2u);
}

// Adds up the counted rows of a part.
fn sums_of_part(place: Place, mean: u32) -> Sums {
  var sums = Sums(vec4u(0u), vec4u(0u), 0u);
  let tiles = tiles_of(place);
  let all_lanes = vec2u(0xffffffffu);
  if (clipped == 1u || causal == 1u) {
    let step = row_step(place);
    for (var row = 0u; row < 4u; row++) {
      let first = word_of(place, row);
      let second = word_of(place, row + 4u);
      let counts = vec2u(
        select(0u, first.count, is_counted(step, first.first.y, first.first.z)),
        select(0u, second.count, is_counted(step, second.first.y, second.first.z)));
      let there = vec2u(lanes_below(counts.x), lanes_below(counts.y));
      let is_base = row == 0u && starts_block(place);
      let valid = vec2u(there.x & ~select(0u, element_mask, is_base), there.y);
      add_sums(&sums, corner_of_rows(tiles, vec2u(row)), mean, there, valid);
    }
    return sums;
  }
  // Parts start at a y that is a multiple of 4 and at an even z, except the second parts in volumes of 2 bytes, which start at an
  // odd z.
  if (picture == 1u) {
    add_sums(&sums, corner_of_rows(tiles, vec2u(1u)), mean, all_lanes, all_lanes);
    add_sums(&sums, corner_of_rows(tiles, vec2u(3u)), mean, all_lanes, all_lanes);
  } else if (wide == 0u) {
    add_sums(&sums, corner_of_rows(tiles, vec2u(1u, 3u)), mean, all_lanes, all_lanes);
  } else {
    add_sums(&sums, corner_of_rows(tiles, vec2u(1u + 2u * place.part)), mean, all_lanes, all_lanes);
  }
  return sums;
}

// 'L' plus a constant: the bits of a float, shifted so that the lowest bit of the exponent counts 256.
fn logarithm(value: u32) -> u32 { return bitcast<u32>(f32(value)) >> 15u; }

// 'What a part is worth.' If all parts have equally many counted elements, the common term is left out.
fn bring_worth(place: Place, candidate: u32, symbol_sum: u32, count: u32) {
  var worth = logarithm(symbol_sum + count);
  if (clipped == 1u) { worth = count * (worth - logarithm(count)); }
  if (blocks == 1u) { atomicAdd(&wg_worths[candidate], worth); } else { atomicAdd(&wg_worths[block_number(place) * candidates + candidate], worth); }
}

// The number of this invocation's block in an unclipped brick.
fn block_number(place: Place) -> u32 { return place.group.x / block_x + blocks_x * (place.group.y / block_y); }

// Adds the costs of the predictors that are not sums.
fn bring_causal_worths(place: Place, count: u32) {
  var sums = array<u32, causal_predictors>();
  let step = row_step(place);
  let base = base_of(place);
  for (var i = 0u; i < part_words; i++) {
    let word = word_of(place, i);
    if (!is_counted(step, word.first.y, word.first.z)) { continue; }
    let in_block = place_in_block(place, word.first);
    for (var lane = 0u; lane < word.count; lane++) {
      let own = in_block + vec3u(lane, 0u, 0u);
      if (all(own == vec3u(0u))) { continue; }
      let at = word.first + vec3u(lane, 0u, 0u);
      let element = word_with(at) >> (bits * lane);
      let neighbours = neighbours_of(at, own, base);
      sums[0] += symbol_of(element - median_at(at, own, base));
      for (var number = 1u; number < causal_predictors; number++) {
        sums[number] += symbol_of(element - weigh(neighbours, median_predictor + number, base));
      }
    }
  }
  for (var i = 0u; i < causal_predictors; i++) { bring_worth(place, mean_candidate + 1u + i, sums[i], count); }
}

fn symbol_of(residual: u32) -> u32 { return packed_symbols(residual & element_mask); }

// Returns the candidate with the least cost for this invocation's block. The whole workgroup must call it.
fn choose_predictor(place: Place, mean: u32) -> u32 {
  let count = counted_elements(place);
  if (count > 0u) {
    let sums = sums_of_part(place, mean);
    for (var candidate = 0u; candidate < 4u; candidate++) { bring_worth(place, candidate, sums.low[candidate], count); }
    for (var candidate = 0u; candidate < 4u; candidate++) { bring_worth(place, 4u + candidate, sums.high[candidate], count); }
    bring_worth(place, mean_candidate, sums.by_mean, count);
    if (causal == 1u) { bring_causal_worths(place, count); }
  }
  workgroupBarrier(); // all costs are added
  var least = 0xffffffffu;
  var chosen = 0u;
  for (var candidate = 0u; candidate < candidates; candidate++) {
    let worth = atomicLoad(&wg_worths[block_number(place) * candidates + candidate]);
    // The first one wins a tie.
    if (worth < least) {
      least = worth;
      chosen = candidate;
    }
  }
  return chosen;
}
