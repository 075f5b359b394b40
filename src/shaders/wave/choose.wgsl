// Chooses each part's range and special values, from what the kernel `sample` found.
// Algorithm: values of one byte are counted. Those of two bytes are sorted (bitonic sort), so that equal ones are adjacent; then each
// first one of equal values finds by binary searches how often the value occurs, and those beside it.
// One workgroup owns one part. Dispatch: one workgroup for each part, spread over x and y.
// Twin: `chooseRange` and `specialsOf` in src/core/codecs/wave/choose.ts.

import package::wave::layout::{Box, Part, bits};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read_write> parts: array<Part>;
// See sample.wgsl.
@group(0) @binding(2) var<storage, read> samples: array<u32>;

const threads = 256u;
const sample_count = 4096u;
const sample_words = sample_count / 2u;
const record_words = 4u + sample_words;
// A special value occurs at least this often in the sample.
const fewest = 8u;
// If 16-bit elements span this much with and without a sign, the sample decides whether they have one.
const nearly_all = 57344u;

// Two values a word.
var<workgroup> wg_sample: array<u32, sample_words>;
// The sampled elements in eighths 0, 7, 3 and 4 of all numbers.
var<workgroup> wg_eighths: array<atomic<u32>, 4>;
// The two most frequent values: how often each occurs, in the high half, and its complement.
var<workgroup> wg_peaks: array<atomic<u32>, 2>;

// How often each byte occurs, from the second entry on. The first entry and the last one stay 0.
var<workgroup> wg_counts: array<atomic<u32>, 258>;

// How many sampled values there are.
var<private> count: u32;

fn halves(word: u32) -> vec2u { return vec2u(word & 0xffffu, word >> 16u); }
fn word_of(pair: vec2u) -> u32 { return pair.x | (pair.y << 16u); }
fn value_at(i: u32) -> u32 { return extractBits(wg_sample[i / 2u], 16u * (i % 2u), 16u); }

fn sort_sample(thread: u32) {
  for (var run = 2u; run <= sample_count; run *= 2u) {
    for (var distance = run / 4u; distance > 0u; distance /= 2u) {
      // Wait for the last step.
      workgroupBarrier();
      for (var i = thread; i < sample_words / 2u; i += threads) {
        let first = 2u * i - (i & (distance - 1u));
        let a = halves(wg_sample[first]);
        let b = halves(wg_sample[first + distance]);
        let is_rising = ((2u * first) & run) == 0u;
        wg_sample[first] = word_of(select(max(a, b), min(a, b), is_rising));
        wg_sample[first + distance] = word_of(select(min(a, b), max(a, b), is_rising));
      }
    }
    // Wait for the last step.
    workgroupBarrier();
    for (var i = thread; i < sample_words; i += threads) {
      let pair = halves(wg_sample[i]);
      let is_rising = ((2u * i) & run) == 0u;
      wg_sample[i] = word_of(select(pair, pair.yx, (pair.x > pair.y) == is_rising));
    }
  }
  // Wait until all are sorted.
  workgroupBarrier();
}

// The number of sampled values below a number.
fn count_below(number: u32) -> u32 {
  var low = 0u;
  var high = count;
  while (low < high) {
    let middle = (low + high) / 2u;
    if (value_at(middle) < number) { low = middle + 1u; } else { high = middle; }
  }
  return low;
}

// How often a value occurs, with its complement, if it is frequent, and much more so than the values beside it; else 0.
fn peak_of(value: u32, own: u32, before: u32, after: u32) -> u32 {
  return select(0u, (own << 16u) | (0xffffu - value), own >= fewest && own > 3u * max(before, after));
}

// The peak of the value number `i`, if it is the first one of equal values; else 0.
fn peak_at(i: u32) -> u32 {
  let value = value_at(i);
  if (i > 0u && value_at(max(i, 1u) - 1u) == value) { return 0u; }
  let end = count_below(value + 1u);
  // Rare values are not searched for.
  if (end - i < fewest) { return 0u; }
  return peak_of(value, end - i, i - count_below(max(value, 1u) - 1u), count_below(value + 2u) - end);
}

// The peak of an invocation's byte, or 0.
fn peak_of_byte(thread: u32) -> u32 {
  // Wait for the sampled values.
  workgroupBarrier();
  for (var i = thread; i < count; i += threads) { atomicAdd(&wg_counts[value_at(i) + 1u], 1u); }
  // Wait until they are counted.
  workgroupBarrier();
  return peak_of(thread, atomicLoad(&wg_counts[thread + 1u]), atomicLoad(&wg_counts[thread]), atomicLoad(&wg_counts[thread + 2u]));
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= box.part_count) { return; }
  let extent = parts[number].extent;
  count = min(extent.x * extent.y * extent.z, sample_count);
  let start = number * record_words;
  var eighths = vec4u(0u);
  for (var i = thread; i < count; i += threads) {
    let eighth = extractBits(samples[start + 4u + i / 2u], 16u * (i % 2u), 16u) >> 13u;
    eighths += vec4u(vec4u(0u, 7u, 3u, 4u) == vec4u(eighth));
  }
  atomicAdd(&wg_eighths[0], eighths.x);
  atomicAdd(&wg_eighths[1], eighths.y);
  atomicAdd(&wg_eighths[2], eighths.z);
  atomicAdd(&wg_eighths[3], eighths.w);
  // Wait until the elements are counted.
  workgroupBarrier();
  let unsigned_range = samples[start + 1u] - samples[start];
  let signed_range = samples[start + 3u] - samples[start + 2u];
  let wraps = min(atomicLoad(&wg_eighths[0]), atomicLoad(&wg_eighths[1])) >
    min(atomicLoad(&wg_eighths[2]), atomicLoad(&wg_eighths[3]));
  let is_full = bits == 16u && min(unsigned_range, signed_range) >= nearly_all;
  let is_signed = select(signed_range < unsigned_range, wraps, is_full);
  let lowest = select(samples[start], samples[start + 2u] ^ (1u << (bits - 1u)), is_signed);
  // Values that the sample lacks are the highest, behind all others.
  for (var i = thread; i < sample_words; i += threads) {
    let pair = (halves(samples[start + 4u + i]) - vec2u(lowest)) & vec2u(0xffffffffu >> (32u - bits));
    wg_sample[i] = word_of(select(vec2u(0xffffu), pair, vec2u(2u * i, 2u * i + 1u) < vec2u(count)));
  }
  // The two greatest peaks of the invocation's values.
  var first = 0u;
  var second = 0u;
  if (bits == 8u) {
    first = peak_of_byte(thread);
  } else {
    sort_sample(thread);
    for (var i = thread; i < count; i += threads) {
      let peak = peak_at(i);
      second = max(second, min(first, peak));
      first = max(first, peak);
    }
  }
  atomicMax(&wg_peaks[0], first);
  // Wait for the most frequent value.
  workgroupBarrier();
  let most = atomicLoad(&wg_peaks[0]);
  atomicMax(&wg_peaks[1], select(first, second, first == most));
  // Wait for the second one.
  workgroupBarrier();
  if (thread != 0u) { return; }
  let next = atomicLoad(&wg_peaks[1]);
  // Each must be frequent enough to pay for a flag on every element that is not the one before.
  let has_first = most != 0u && 64u * (most >> 16u) >= count;
  let has_second = has_first && next != 0u && 64u * (next >> 16u) >= count - (most >> 16u);
  parts[number].lowest = lowest;
  parts[number].range = select(unsigned_range, signed_range, is_signed);
  parts[number].specials = u32(has_first) + u32(has_second);
  parts[number].special = vec2u(
    select(0u, 0xffffu - (most & 0xffffu), has_first), select(0u, 0xffffu - (next & 0xffffu), has_second),
  );
}
