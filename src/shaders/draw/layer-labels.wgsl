// Collects the labels of a layer of several boxes on a canvas, so that outlines can be found across the seams of the boxes.
//
// One invocation owns one pixel. Each box of the layer has its own dispatch and writes the pixels whose voxels lie in it.
//
// Invariants
// 1. `labels` is zero before the first box. Pixels outside the layer stay 0.
//
// Twin: `differs_at` of slice.wgsl, which finds neighbours in the pixel's own box.

import package::draw::box::Box;
import package::draw::samples::{Samples, is_outside, sample_position};
import package::volume::voxel::voxel_bits;

@group(0) @binding(1) var<uniform> box: Box;
@group(0) @binding(2) var<uniform> samples: Samples;
/// The bits of each pixel's voxel, row by row.
@group(0) @binding(3) var<storage, read_write> labels: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= samples.size.x || id.y >= samples.size.y) {
    return;
  }
  let origin = vec3i(box.first) - vec3i(0, 0, i32(samples.time_point * box.planes_per_time_point));
  let first = max(origin, vec3i(0));
  let last = min(origin + vec3i(box.size), vec3i(samples.dims)) - 1;
  let position = sample_position(samples, id.xy, 0u);
  let voxel = vec3i(floor(position));
  if (any(voxel < first) || any(voxel > last) || is_outside(samples, position)) {
    return;
  }
  let in_box = vec3u(voxel - origin);
  labels[id.y * samples.size.x + id.x] = voxel_bits((in_box.z * box.size.y + in_box.y) * box.row_words, in_box.x);
}
