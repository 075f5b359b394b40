// Predicts each element from its neighbours, without biases. src/core/codecs/wave/SPEC.md, 'Prediction'.
// One workgroup owns one slab of a part. Dispatch: slabs × parts.
// Invariants:
// 1. Only an element's own invocation writes its words, and those of its stand-ins at the sides of rows.
// Twin: `Walk` in src/core/codecs/wave/walk.ts.

import package::wave::contexts::residual_of;
import package::wave::layout::{Part, fraction};
import package::wave::places::{index_of, row_at};
import package::wave::slabs::{row_threads, share_of, slab_threads};
import package::wave::values::{neighbours_of, values};

@group(0) @binding(0) var<storage, read> parts: array<Part>;
// For each part: the weights of the 28 neighbours, those of the first ten in slice 0, and two zeros.
@group(0) @binding(2) var<storage, read> weights: array<vec4i>;
@group(0) @binding(3) var<storage, read_write> predictions: array<u32>;
@group(0) @binding(4) var<storage, read_write> elements: array<u32>;

// Whether to make only the predictions that the second fit needs.
override for_fit: bool = false;

fn put_both(at: u32, word: u32) {
  elements[at] = word;
  elements[at + 1u] = word;
}

fn put(part: Part, place: vec3i, word: u32) {
  let at = index_of(part, place);
  elements[at] = word;
  if (u32(place.x) == part.extent.x - 1u) { put_both(at + 1u, word); }
  if (place.x > 0) { return; }
  if (place.z == 0 && place.y == 0) { put_both(at - 2u, 0u); }
  if (u32(place.z) + 1u < part.extent.z) { put_both(row_at(part, place.y, place.z + 1) - 2u, word); }
  if (place.z == 0 && u32(place.y) + 1u < part.extent.y) { put_both(row_at(part, place.y + 1, 0) - 2u, word); }
}

// The number of elements at the start of a row whose residuals the second fit needs.
fn predicted_for_fit(y: u32, z: u32, width: u32) -> u32 {
  // The fit uses one row in four. It needs the row above, the row behind, and the first element of the row two above.
  let phase = select((y + z) & 3u, 0u, z == 0u);
  return select(select(width, 1u, phase == 2u), 0u, phase == 1u);
}

@compute @workgroup_size(slab_threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let part = parts[workgroup.y];
  let share = share_of(part, workgroup.x, thread);
  let w = 10u * workgroup.y;
  for (var z = share.first_slice; z < share.end_slice; z++) {
    let end = select(part.extent.x, predicted_for_fit(share.y, z, part.extent.x), for_fit);
    for (var x = share.first_x; x < end; x += row_threads) {
      let place = vec3i(vec3u(x, share.y, z));
      let n = neighbours_of(part, place);
      var sum = 0;
      if (place.z == 0) {
        sum = dot(weights[w + 7u], vec4i(n[0])) + dot(weights[w + 8u], vec4i(n[1])) + dot(weights[w + 9u], vec4i(n[2]));
      } else {
        sum = dot(weights[w], vec4i(n[0])) + dot(weights[w + 1u], vec4i(n[1])) + dot(weights[w + 2u], vec4i(n[2])) +
          dot(weights[w + 3u], vec4i(n[3])) + dot(weights[w + 4u], vec4i(n[4])) + dot(weights[w + 5u], vec4i(n[5])) +
          dot(weights[w + 6u], vec4i(n[6]));
      }
      let plain = clamp(sum >> (8u - fraction), 0, i32(part.range << fraction));
      let at = index_of(part, place);
      let value = values[at];
      predictions[at] = u32(plain);
      put(part, place, value | (u32(residual_of(i32(value), plain, part.specials, part.special)) << 16u));
    }
  }
}
