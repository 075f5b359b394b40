// Counts elements of a part by their contexts, so that the kernel `coding` can choose biases and levels.
// src/core/codecs/wave/SPEC.md, 'Bias' and 'Tokens'.
// One workgroup owns one slab of a part and counts in workgroup memory, then adds its counts to the part's.
// Dispatch: slabs × parts, some of the parts at a time.
// Invariants:
// 1. A slab has fewer than 2^16 elements, so two counts share a word in workgroup memory.
// Twin: `count` in src/core/codecs/wave/loops.ts.

import package::wave::contexts::{bias_cells, energy_of, is_special, level_of, low_bits_of, scale_of, table_of, value};
import package::wave::layout::{Box, Part, fraction};
import package::wave::places::{codes_at, index_of};
import package::wave::predicted::{elements, near_of};
import package::wave::slabs::{row_step, share_of, slab_threads};

const cells = 729u;
const token_counts = 3328u;
const count_words = 2u * cells + token_counts;

@group(0) @binding(0) var<storage, read> parts: array<Part>;
@group(0) @binding(1) var<storage, read> predictions: array<u32>;
// For each part of the dispatch: the sums of distances by cell, the numbers of elements by cell, and the numbers of tokens by level and phase.
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(4) var<uniform> box: Box;

var<workgroup> wg_distances: array<atomic<i32>, cells>;
var<workgroup> wg_elements: array<atomic<u32>, cells>;
var<workgroup> wg_tokens: array<atomic<u32>, token_counts / 2u>;

// After a quad's last element, its invocation takes its next quad.
fn next_x(x: u32) -> u32 { return x + select(1u, row_step - 3u, x % 4u == 3u); }

@compute @workgroup_size(slab_threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let part = parts[box.first_part + workgroup.y];
  let share = share_of(part, workgroup.x, thread);
  // If there are many rows, only one in four is surveyed, in which y + z is a multiple of 4.
  let period = select(4u, 1u, part.extent.y * part.extent.z < 1024u);
  let first = share.first_slice + ((0u - share.y - share.first_slice) & (period - 1u));
  for (var z = first; z < share.end_slice; z += period) {
    for (var x = share.first_x; x < part.extent.x; x = next_x(x)) {
      let place = vec3i(vec3u(x, share.y, z));
      let at = index_of(part, place);
      let own = value(elements[at]);
      if (is_special(u32(own), part.specials, part.special)) { continue; }
      let near = near_of(part, place);
      let energy = energy_of(near);
      let plain = i32(predictions[codes_at(part, place.y, place.z) + x]);
      let pair = bias_cells(near, plain, energy);
      let cell = 27u * pair.x + pair.y;
      let distance = clamp(64 * ((own << fraction) - plain) / scale_of(energy), -256, 256);
      atomicAdd(&wg_distances[cell], distance);
      atomicAdd(&wg_elements[cell], 1u);
      let level = level_of(energy);
      let middle = plain >> fraction;
      let is_above = own > middle;
      let magnitude = u32(select(middle - own, own - middle - 1, is_above));
      let token = 2u * min(magnitude >> low_bits_of(level), 12u) + u32(is_above);
      let count = table_of(level, plain) / 27u * 26u + token;
      atomicAdd(&wg_tokens[count / 2u], 1u << (16u * (count % 2u)));
    }
  }
  // Wait until the slab is counted.
  workgroupBarrier();
  let start = workgroup.y * count_words;
  for (var i = thread; i < cells; i += slab_threads) {
    let elements = atomicLoad(&wg_elements[i]);
    if (elements == 0u) { continue; }
    atomicAdd(&counts[start + i], u32(atomicLoad(&wg_distances[i])));
    atomicAdd(&counts[start + cells + i], elements);
  }
  for (var i = thread; i < token_counts; i += slab_threads) {
    let tokens = extractBits(atomicLoad(&wg_tokens[i / 2u]), 16u * (i % 2u), 16u);
    if (tokens > 0u) { atomicAdd(&counts[start + 2u * cells + i], tokens); }
  }
}
