// Predicts each element from its neighbours, without biases. src/core/codecs/wave/SPEC.md, 'Prediction'.
// One workgroup owns one slab of a part, 8 rows of up to 16 slices; one invocation every 256th element of it. Dispatch: slabs ×
// parts.
// Twin: `Walk` in src/core/codecs/wave/walk.ts.

import package::wave::layout::fraction;
import package::wave::neighbours::{count_of, neighbour_count, neighbour_offsets};
import package::wave::slabs::{place_in, slab_of, slab_threads};
import package::wave::predicted::{index_of, predictions};
import package::wave::source::{neighbour_value, parts};

// For each part: the weights of the 28 neighbours, those of the first ten in slice 0, and two words that are not used.
@group(0) @binding(4) var<storage, read> weights: array<i32>;

@compute @workgroup_size(slab_threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let part = parts[workgroup.y];
  let slab = slab_of(part, workgroup.x);
  for (var i = thread; i < slab.count; i += slab_threads) {
    let place = place_in(part, slab, i);
    let first = 40u * workgroup.y + select(0u, neighbour_count, place.z == 0);
    var sum = 0;
    for (var j = 0u; j < count_of(place.z); j++) {
      sum += weights[first + j] * i32(neighbour_value(part, place, neighbour_offsets[j]));
    }
    predictions[index_of(part, place)] = u32(clamp(sum >> (8u - fraction), 0, i32(part.range << fraction)));
  }
}
