// Samples a layer of several boxes on a canvas. Interpolation crosses the seams between the boxes.
//
// A sample is a weighted mean of eight voxels, which may lie in different boxes. Each box of the layer has its own dispatch and adds the
// voxels that lie in it. layer-fold.wgsl then projects the samples of several slices.
//
// One invocation owns one pixel, in all slices of the dispatch.
//
// Invariants
// 1. Each of the eight voxels is added once: boxes do not overlap.
// 2. Missing voxels have no weight.
//
// Twin: `main` of layer-slab.wgsl, which reads all voxels of a sample from one box.

import package::draw::box::Box;
import package::draw::samples::{Samples, is_outside, sample_position};
import package::volume::voxel::{is_finite, value_of, voxel_bits, voxel_key};

@group(0) @binding(1) var<uniform> box: Box;
@group(0) @binding(2) var<uniform> samples: Samples;
/// x: weighted sum of values; y: sum of weights. Slice by slice, and row by row in each slice.
@group(0) @binding(3) var<storage, read_write> parts: array<vec2f>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= samples.size.x || id.y >= samples.size.y) {
    return;
  }
  let origin = vec3i(box.first) - vec3i(0, 0, i32(samples.time_point * box.planes_per_time_point));
  let first = max(origin, vec3i(0));
  let end = vec3i(samples.dims) - 1;
  let last = min(origin + vec3i(box.size) - 1, end);
  for (var slice = 0u; slice < samples.slices; slice++) {
    let position = sample_position(samples, id.xy, slice);
    if (is_outside(samples, position)) {
      continue;
    }
    let base = vec3i(floor(position - 0.5 + 1e-4));
    if (any(base + 1 < first) || any(base > last)) {
      continue;
    }
    let fraction = clamp(position - 0.5 - vec3f(base), vec3f(0.0), vec3f(1.0));
    var sum = vec2f(0.0);
    for (var corner = 0; corner < 8; corner++) {
      let offset = vec3i(corner & 1, (corner >> 1) & 1, corner >> 2);
      let weights = select(1.0 - fraction, fraction, offset == vec3i(1));
      let weight = weights.x * weights.y * weights.z;
      let at = clamp(base + offset, vec3i(0), end);
      if (weight <= 1e-3 || any(at < first) || any(at > last)) {
        continue;
      }
      let in_box = vec3u(at - origin);
      let bits = voxel_bits((in_box.z * box.size.y + in_box.y) * box.row_words, in_box.x);
      let key = voxel_key(bits);
      if (is_finite(bits) && key >= samples.numbers.x && key <= samples.numbers.y) {
        sum += weight * vec2f(value_of(bits), 1.0);
      }
    }
    parts[(slice * samples.size.y + id.y) * samples.size.x + id.x] += sum;
  }
}
