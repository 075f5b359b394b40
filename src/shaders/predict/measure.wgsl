// Chooses each block's predictor and each group's class. src/core/codecs/predict/SPEC.md, "The encoder's choice".
// Algorithm: a group's expected cost under each predictor follows from the sum of its symbols. A block takes the predictor with
// the least sum of costs. The group's class follows from its sum of symbols and, where that does not decide, from their union.
// One invocation owns one group, one workgroup a brick, plane by plane. Dispatch: one workgroup per brick, spread over x and y.
// Invariants:
// 1. Costs are integers, so the order of additions does not matter.
// 2. Each unit's records are written completely.
// Twin: `encodeBrick` in src/core/codecs/predict/brick.ts and src/core/codecs/predict/classes.ts.

import package::bricks::packed::{bits, element_mask, lanes, lanes_below, ones, packed_symbols, picture, plane_bytes, planes};
import package::predict::brick::{
  Place, block_x, block_y, blocks, blocks_x, class_count, flat_mark, median_predictor, medians, place_of, slice_pitch, tail_bits,
  threads, word_at,
};
import package::predict::load::{
  box, chunk_of_brick, chunks, corner_at, corner_behind, counted_lanes, load_brick, median_residuals, residuals_by,
  residuals_by_left, slice_of, symbols_of,
};

// For each unit: 4 bits per block, its predictor.
@group(0) @binding(4) var<storage, read_write> headers: array<u32>;
// For each unit 8 words: 4 bits for each group inside the chunk, its class.
@group(0) @binding(5) var<storage, read_write> classes: array<u32>;

// Costs of a group: under predictors 0 to 7, and under the median.
override candidates: u32 = 8u + medians;
// Costs are stored `threads + 1` words apart, so that those of one predictor are read side by side.
var<workgroup> wg_costs: array<u32, 585>;
// The same for each eighth of the groups, later for each block.
var<workgroup> wg_sums: array<u32, 72>;
var<workgroup> wg_block_costs: array<u32, 36>;
var<workgroup> wg_classes: array<u32, threads>;

fn sum_of_lanes(symbols: u32) -> u32 {
  if (lanes == 4u) { return dot4U8Packed(symbols, ones); }
  return (symbols & 0xffffu) + (symbols >> 16u);
}

fn union_of_lanes(word: u32) -> u32 {
  var all_lanes = word | (word >> 16u);
  if (lanes == 4u) { all_lanes |= all_lanes >> 8u; }
  return all_lanes & element_mask;
}

fn digits(value: u32) -> u32 { return 32u - countLeadingZeros(value); }

// 'd the number of binary digits of floor(2S / 3n)', without a division.
fn mean_digits(symbol_sum: u32, count: u32) -> u32 {
  let most = digits(2u * symbol_sum);
  let least = digits(3u * count);
  if (most < least) { return 0u; }
  return most - least + u32(2u * symbol_sum >= (3u * count) << (most - least));
}

fn expected_cost(symbol_sum: u32, count: u32) -> u32 {
  if (symbol_sum == 0u) { return 0u; }
  let k = min(mean_digits(symbol_sum, count), 7u * plane_bytes - 1u);
  return min(count * (k + 1u) + (symbol_sum >> k), count * bits);
}

// The OR of a group's symbols.
fn union_of_group(place: Place, predictor: u32) -> u32 {
  let block_origin = vec3u(place.block * vec2u(block_x, block_y), 0u);
  var symbols = 0u;
  for (var z = 0u; z < place.size.z; z++) {
    for (var y = 0u; y < place.size.y; y++) {
      for (var x = 0u; x < place.size.x; x += lanes) {
        let at = place.group + vec3u(x, y, z);
        symbols |= symbols_of(predictor, word_at(at.x, at.y, at.z), at - block_origin) & lanes_below(place.size.x - x);
      }
    }
  }
  return union_of_lanes(symbols);
}

// 'but at least the lowest class whose heads hold all symbols'
fn class_of(place: Place, predictor: u32, symbol_sum: u32) -> u32 {
  if (symbol_sum == 0u) { return 0u; }
  let by_mean = min(1u + mean_digits(symbol_sum, place.count), class_count);
  // The largest symbol that its heads can hold. No symbol exceeds the sum.
  let limit = select(256u << tail_bits(by_mean), 16u, by_mean == 1u) - 1u;
  if (symbol_sum <= limit || limit >= element_mask) { return by_mean; }
  let wide = digits(union_of_group(place, predictor));
  return max(by_mean, max(select(2u, 1u, wide <= 4u), select(wide - 4u, 1u, wide <= 8u)));
}

// The sums of a group's symbols under predictors 0 to 7 and under the median.
struct Tally { first: vec4u, second: vec4u, median: u32 }

fn tally_group(place: Place) -> Tally {
  var tally = Tally(vec4u(0u), vec4u(0u), 0u);
  let block_origin = vec3u(place.block * vec2u(block_x, block_y), 0u);
  for (var y = 0u; y < place.size.y; y++) {
    for (var x = 0u; x < place.size.x; x += lanes) {
      var at = word_at(place.group.x + x, place.group.y + y, place.group.z);
      var in_block = place.group + vec3u(x, y, 0u) - block_origin;
      var corner = corner_behind(at, in_block);
      var behind = slice_of(corner);
      for (var z = 0u; z < place.size.z; z++) {
        let corner_here = corner_at(at, in_block);
        let here = slice_of(corner_here);
        let mask = counted_lanes(place.size.x - x, in_block);
        let left = residuals_by_left(here, behind, in_block);
        tally.first += vec4u(
          sum_of_lanes(packed_symbols(here.own) & mask),
          sum_of_lanes(packed_symbols(left) & mask),
          sum_of_lanes(packed_symbols(residuals_by(2u, here, behind, left, in_block)) & mask),
          sum_of_lanes(packed_symbols(residuals_by(3u, here, behind, left, in_block)) & mask));
        tally.second += vec4u(
          sum_of_lanes(packed_symbols(residuals_by(4u, here, behind, left, in_block)) & mask),
          sum_of_lanes(packed_symbols(residuals_by(5u, here, behind, left, in_block)) & mask),
          sum_of_lanes(packed_symbols(residuals_by(6u, here, behind, left, in_block)) & mask),
          sum_of_lanes(packed_symbols(residuals_by(7u, here, behind, left, in_block)) & mask));
        if (medians == 1u) { tally.median += sum_of_lanes(packed_symbols(median_residuals(corner_here, corner)) & mask); }
        corner = corner_here;
        behind = here;
        at += slice_pitch;
        in_block.z++;
      }
    }
  }
  return tally;
}

// Stores the group's cost under a candidate for `add_costs`.
fn keep_cost(place: Place, candidate: u32, symbol_sum: u32, thread: u32) {
  var cost = 0u;
  if (place.count > 0u) { cost = expected_cost(symbol_sum, place.count); }
  wg_costs[candidate * (threads + 1u) + thread] = cost;
}

// The best predictor so far, its cost, and the sum of the group's symbols under it.
struct Best { predictor: u32, cost: u32, symbol_sum: u32 }

fn better_of(best: Best, block: u32, candidate: u32, symbol_sum: u32) -> Best {
  let cost = wg_block_costs[candidate * blocks + block];
  if (cost < best.cost) { return Best(candidate, cost, symbol_sum); }
  return best;
}

// Group number `i` of an eighth of the groups. In pictures an eighth is half of a block.
fn group_in_eighth(eighth: u32, i: u32) -> u32 {
  if (picture == 0u) { return 8u * eighth + i; }
  let block = eighth / 2u;
  return 4u * (block % 2u) + i % 4u + 8u * (4u * (block / 2u) + 2u * (eighth % 2u) + i / 4u);
}

// Adds up the costs in wg_costs for each block. The whole workgroup must call it.
fn add_costs(thread: u32) {
  for (var task = thread; task < 8u * candidates; task += threads) {
    var sum = 0u;
    for (var i = 0u; i < 8u; i++) { sum += wg_costs[(task / 8u) * (threads + 1u) + group_in_eighth(task % 8u, i)]; }
    wg_sums[task] = sum;
  }
  workgroupBarrier(); // the eighths' sums are stored
  if (thread < blocks * candidates) {
    let eighths = 8u / blocks;
    let first = 8u * (thread / blocks) + eighths * (thread % blocks);
    var sum = 0u;
    for (var i = 0u; i < eighths; i++) { sum += wg_sums[first + i]; }
    wg_block_costs[thread] = sum;
  }
  workgroupBarrier(); // the blocks' costs are stored
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = workgroup.x + workgroup.y * workgroups.x;
  if (brick >= box.brick_count) { return; }
  let chunk = chunks[chunk_of_brick[brick]];
  if (chunk.mode != picture + 16u * medians) { return; }
  let place = place_of(chunk, box, brick - chunk.first_brick, thread);
  let block = place.block.x + blocks_x * place.block.y;

  for (var plane = 0u; plane < planes; plane++) {
    let unit = brick * planes + plane;
    load_brick(place, plane, thread);
    workgroupBarrier(); // the brick is in workgroup memory

    let tally = tally_group(place);
    keep_cost(place, 0u, tally.first.x, thread);
    keep_cost(place, 1u, tally.first.y, thread);
    keep_cost(place, 2u, tally.first.z, thread);
    keep_cost(place, 3u, tally.first.w, thread);
    keep_cost(place, 4u, tally.second.x, thread);
    keep_cost(place, 5u, tally.second.y, thread);
    keep_cost(place, 6u, tally.second.z, thread);
    keep_cost(place, 7u, tally.second.w, thread);
    if (medians == 1u) { keep_cost(place, median_predictor, tally.median, thread); }
    wg_classes[thread] = 0u;
    workgroupBarrier(); // all costs are stored
    add_costs(thread);

    var best = Best(0u, wg_block_costs[block], tally.first.x);
    best = better_of(best, block, 1u, tally.first.y);
    best = better_of(best, block, 2u, tally.first.z);
    best = better_of(best, block, 3u, tally.first.w);
    best = better_of(best, block, 4u, tally.second.x);
    best = better_of(best, block, 5u, tally.second.y);
    best = better_of(best, block, 6u, tally.second.z);
    best = better_of(best, block, 7u, tally.second.w);
    if (medians == 1u) { best = better_of(best, block, median_predictor, tally.median); }
    // If no element differs from its left neighbour, each block's elements all equal its base.
    var changes = 0u;
    for (var i = 0u; i < blocks; i++) { changes |= wg_block_costs[blocks + i]; }
    let is_flat = changes == 0u;
    if (place.count > 0u) { wg_classes[place.group_index] = class_of(place, best.predictor, best.symbol_sum); }
    // The first group of each block stores its predictor. The sums have been read.
    if (all(place.group.xy == place.block * vec2u(block_x, block_y)) && place.group.z == 0u) {
      wg_sums[block] = select(best.predictor, flat_mark, is_flat);
    }
    workgroupBarrier(); // the classes and predictors are stored

    if (thread < 8u) {
      var word = 0u;
      for (var i = 0u; i < 8u; i++) { word |= wg_classes[8u * thread + i] << (4u * i); }
      classes[8u * unit + thread] = word;
    }
    if (thread == 0u) {
      var header = 0u;
      for (var i = 0u; i < blocks; i++) { header |= (wg_sums[i] & 15u) << (4u * i); }
      headers[unit] = header;
    }
    workgroupBarrier(); // everything is read before the next plane overwrites it
  }
}
