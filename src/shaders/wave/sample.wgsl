// Finds the bounds of each part's elements, taken as unsigned and as signed, and samples its elements. The kernel `choose` finds
// the part's range and special values from them. Twin: `rangeOf` in src/core/codecs/wave/part.ts, `samplePlace` in choose.ts.
// One workgroup owns one part. Dispatch: one workgroup for each part, spread over x and y.

import package::wave::layout::bits;
import package::wave::source::{box, element_at, element_of, elements_per_word, parts, word_at};

const threads = 256u;
const row_threads = 16u;
const sample_count = 4096u;
const record_words = 4u + sample_count / 2u;

// For each part: the lowest and highest element, the same with the highest bit flipped, then the sample, two elements per word.
@group(0) @binding(3) var<storage, read_write> samples: array<u32>;

var<workgroup> wg_bounds: array<atomic<u32>, 4>;

fn least_of(four: vec4u) -> u32 { return min(min(four.x, four.y), min(four.z, four.w)); }
fn greatest_of(four: vec4u) -> u32 { return max(max(four.x, four.y), max(four.z, four.w)); }

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= box.part_count) { return; }
  let part = parts[number];
  if (thread < 4u) { atomicStore(&wg_bounds[thread], select(0u, 0xffffu, thread % 2u == 0u)); }
  // Wait until the bounds are initialized.
  workgroupBarrier();
  let row = part.extent.x;
  let slice = row * part.extent.y;
  let count = slice * part.extent.z;
  // Those of every fourth slice.
  var low = vec4u(0xffffu);
  var high = vec4u(0u);
  var flipped_low = vec4u(0xffffu);
  var flipped_high = vec4u(0u);
  // Each row has 16 invocations, which read the words of four slices at once.
  let row_words = (row + elements_per_word - 1u) / elements_per_word;
  let last = part.extent.z - 1u;
  for (var y = thread / row_threads; y < part.extent.y; y += threads / row_threads) {
    for (var i = thread % row_threads; i < row_words; i += row_threads) {
      let x = elements_per_word * i;
      for (var z = 0u; z < part.extent.z; z += 4u) {
        // The last slice stands for slices after it.
        let words = vec4u(
          word_at(part, x, y, z), word_at(part, x, y, min(z + 1u, last)), word_at(part, x, y, min(z + 2u, last)),
          word_at(part, x, y, min(z + 3u, last)),
        );
        for (var j = 0u; j < elements_per_word; j++) {
          // The last word of a row may have fewer elements. Its first one stands for those that it lacks.
          let lane = select(0u, j, x + j < row);
          let four = vec4u(
            element_of(part, words.x, lane), element_of(part, words.y, lane), element_of(part, words.z, lane),
            element_of(part, words.w, lane),
          );
          let flipped = four ^ vec4u(1u << (bits - 1u));
          low = min(low, four);
          high = max(high, four);
          flipped_low = min(flipped_low, flipped);
          flipped_high = max(flipped_high, flipped);
        }
      }
    }
  }
  atomicMin(&wg_bounds[0], least_of(low));
  atomicMax(&wg_bounds[1], greatest_of(high));
  atomicMin(&wg_bounds[2], least_of(flipped_low));
  atomicMax(&wg_bounds[3], greatest_of(flipped_high));
  let step = max(1u, count / sample_count);
  for (var at = thread; at < sample_count / 2u; at += threads) {
    var word = 0u;
    for (var half = 0u; half < 2u; half++) {
      let sampled = 2u * at + half;
      if (sampled < min(count, sample_count)) {
        let i = sampled * step + (sampled * 29u) % step;
        let element = element_at(part, vec3i(vec3u(i % row, (i / row) % part.extent.y, i / slice)));
        word |= element << (16u * half);
      }
    }
    samples[number * record_words + 4u + at] = word;
  }
  // Wait until all elements have been read.
  workgroupBarrier();
  if (thread < 4u) { samples[number * record_words + thread] = atomicLoad(&wg_bounds[thread]); }
}
