// Counts a part's elements by their contexts, so that the CPU can choose biases and levels. src/core/codecs/wave/SPEC.md, 'Bias'
// and 'Tokens'.
// One workgroup owns one slab of a part and counts in workgroup memory, then adds its counts to the part's.
// Dispatch: slabs × parts.
// Invariants:
// 1. A slab has fewer than 2^16 elements, so two counts share a word in workgroup memory.
// Twin: `count` in src/core/codecs/wave/part.ts.

import package::wave::contexts::{bias_cells, energy_of, level_of, low_bits_of, scale_of, table_of};
import package::wave::layout::fraction;
import package::wave::predicted::{index_of, near_of, predictions};
import package::wave::slabs::{place_in, slab_of, slab_threads};
import package::wave::source::{is_special, parts, value_at};

const cells = 729u;
const token_counts = 3328u;
const count_words = 2u * cells + token_counts;

// For each part: the sums of distances by cell, the elements by cell, the tokens by level and phase.
@group(0) @binding(4) var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> wg_distances: array<atomic<i32>, cells>;
var<workgroup> wg_elements: array<atomic<u32>, cells>;
var<workgroup> wg_tokens: array<atomic<u32>, token_counts / 2u>;

@compute @workgroup_size(slab_threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let part = parts[workgroup.y];
  let slab = slab_of(part, workgroup.x);
  for (var i = thread; i < slab.count; i += slab_threads) {
    let place = place_in(part, slab, i);
    let value = i32(value_at(part, place));
    if (is_special(part, u32(value))) { continue; }
    let near = near_of(part, place);
    let energy = energy_of(near);
    let plain = i32(predictions[index_of(part, place)]);
    let pair = bias_cells(near, plain, energy);
    let cell = 27u * pair.x + pair.y;
    let distance = clamp(64 * ((value << fraction) - plain) / scale_of(energy), -256, 256);
    atomicAdd(&wg_distances[cell], distance);
    atomicAdd(&wg_elements[cell], 1u);
    let level = level_of(energy);
    let middle = plain >> fraction;
    let is_above = value > middle;
    let magnitude = u32(select(middle - value, value - middle - 1, is_above));
    let token = 2u * min(magnitude >> low_bits_of(level), 12u) + u32(is_above);
    let at = table_of(level, plain) / 27u * 26u + token;
    atomicAdd(&wg_tokens[at / 2u], 1u << (16u * (at % 2u)));
  }
  // The slab is counted.
  workgroupBarrier();
  let own = workgroup.y * count_words;
  for (var i = thread; i < cells; i += slab_threads) {
    let elements = atomicLoad(&wg_elements[i]);
    if (elements == 0u) { continue; }
    atomicAdd(&counts[own + i], u32(atomicLoad(&wg_distances[i])));
    atomicAdd(&counts[own + cells + i], elements);
  }
  for (var i = thread; i < token_counts; i += slab_threads) {
    let tokens = extractBits(atomicLoad(&wg_tokens[i / 2u]), 16u * (i % 2u), 16u);
    if (tokens > 0u) { atomicAdd(&counts[own + 2u * cells + i], tokens); }
  }
}
