// Chooses each part's biases and levels from the counts of the kernel `survey`.
// One workgroup owns one part. Dispatch: one workgroup for each part, spread over x and y; some of the parts at a time.
// Invariants:
// 1. A part has at most 2^18 elements and a token at most 2^10 64ths of a bit, so a cost fits in a word.
// Twin: `biasesOf` and `levelsOf` in src/core/codecs/wave/choose.ts.

import package::wave::layout::Box;

@group(0) @binding(0) var<uniform> box: Box;
// See survey.wgsl.
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// The length of each token, in 64ths of a bit.
@group(0) @binding(2) var<storage, read> costs: array<u32>;
// For each part: levels, the biases of the cells of residuals, those of the cells of gradients, and two words that are not used.
@group(0) @binding(3) var<storage, read_write> codings: array<i32>;

const threads = 128u;
const cells = 27u;
const levels = 32u;
const level_tokens = 104u; // in all phases
const count_words = 2u * cells * cells + levels * level_tokens;
const coding_words = 88u;
// Levels up to this one are for smooth pictures. Other levels may use their tables, too.
const last_smooth_level = 4u;
// Others may use those of levels up to three away.
const most_distance = 3u;
const slots = last_smooth_level + 2u + 2u * most_distance;

var<workgroup> wg_biases: array<i32, cells>;
// For each level, the cost by the tables of smooth levels, then by those of the levels near it.
var<workgroup> wg_costs: array<u32, 384>;

fn distance_at(start: u32, cell: u32) -> i32 { return i32(counts[start + cell]); }
fn elements_at(start: u32, cell: u32) -> i32 { return i32(counts[start + cells * cells + cell]); }

fn mean_bias(sum: i32, count: i32) -> i32 {
  if (count < 32) { return 0; }
  let dividend = 2 * sum + count;
  let divisor = 2 * count;
  // Rounded down.
  let quotient = dividend / divisor - i32(dividend < 0 && dividend % divisor != 0);
  return clamp(quotient, -31, 31);
}

fn residual_bias(start: u32, cell: u32) -> i32 {
  var sum = 0;
  var count = 0;
  for (var other = 0u; other < cells; other++) {
    sum += distance_at(start, cells * cell + other);
    count += elements_at(start, cells * cell + other);
  }
  return mean_bias(sum, count);
}

// For the distances that the biases of residuals leave.
fn gradient_bias(start: u32, cell: u32) -> i32 {
  var sum = 0;
  var count = 0;
  for (var other = 0u; other < cells; other++) {
    let own = elements_at(start, cells * other + cell);
    sum += distance_at(start, cells * other + cell) - own * wg_biases[other];
    count += own;
  }
  return mean_bias(sum, count);
}

fn slot_of(level: u32, other: u32) -> u32 {
  return select(last_smooth_level + 1u + most_distance + other - level, other, other <= last_smooth_level);
}

fn is_tried(level: u32, other: u32) -> bool {
  return other <= last_smooth_level || max(level, other) - min(level, other) <= most_distance;
}

fn cost_of(start: u32, level: u32, other: u32) -> u32 {
  var cost = 0u;
  for (var i = 0u; i < level_tokens; i++) {
    cost += counts[start + 2u * cells * cells + level * level_tokens + i] * costs[other * level_tokens + i];
  }
  return cost;
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= box.part_count) { return; }
  let start = number * count_words;
  let to = (box.first_part + number) * coding_words;
  if (thread < cells) {
    let bias = residual_bias(start, thread);
    wg_biases[thread] = bias;
    codings[to + levels + thread] = bias;
  }
  for (var i = thread; i < levels * slots; i += threads) {
    let level = i / slots;
    let slot = i % slots;
    let is_smooth = slot <= last_smooth_level;
    let other = select(level + slot - (last_smooth_level + 1u + most_distance), slot, is_smooth);
    if (other < levels && (is_smooth || other > last_smooth_level)) { wg_costs[i] = cost_of(start, level, other); }
  }
  // Wait for the biases of residuals, and the costs.
  workgroupBarrier();
  if (thread < cells) { codings[to + levels + cells + thread] = gradient_bias(start, thread); }
  if (thread >= levels) { return; }
  var best = thread;
  var least = wg_costs[thread * slots + slot_of(thread, thread)];
  for (var other = 0u; other < levels; other++) {
    if (is_tried(thread, other)) {
      let cost = wg_costs[thread * slots + slot_of(thread, other)];
      best = select(best, other, cost < least);
      least = min(least, cost);
    }
  }
  codings[to + thread] = i32(best);
}
