// Projects a layer onto a canvas along several slices of another volume: for each pixel, the mean or an extreme of the layer's
// values at the pixel's position in each slice.
//
// One invocation owns one pixel. Each box of the layer has its own dispatch and adds the samples that lie in it. slab-finish.wgsl
// then makes a plane of 32-bit floats with the canvas's size, which slice.wgsl draws.
//
// Invariants
// 1. Samples outside the layer, and samples most of whose neighbours are missing, are not counted.
// 2. Interpolation stays inside the box: it does not cross the seam between two boxes. layer-blend.wgsl does cross it.
//
// Twin: src/renderer/viewer/draw/layers.gpu.test.ts computes the same samples on the CPU.

import package::draw::box::Box;
import package::draw::samples::{Samples, is_outside, projected, sample_position};
import package::volume::voxel::{is_finite, value_of, voxel_bits, voxel_key};

@group(0) @binding(1) var<uniform> box: Box;
@group(0) @binding(2) var<uniform> samples: Samples;
/// x: mean or extreme so far; y: number of samples in it. Pixels row by row.
@group(0) @binding(3) var<storage, read_write> sums: array<vec2f>;

/// x: the value of a voxel; y: 1, or 0 if it is missing.
fn value_at(in_box: vec3u) -> vec2f {
  let bits = voxel_bits((in_box.z * box.size.y + in_box.y) * box.row_words, in_box.x);
  let key = voxel_key(bits);
  if (!is_finite(bits) || key < samples.numbers.x || key > samples.numbers.y) {
    return vec2f(0.0);
  }
  return vec2f(value_of(bits), 1.0);
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= samples.size.x || id.y >= samples.size.y) {
    return;
  }
  // The box's origin at this time point. A box may extend into other time points.
  let origin = vec3i(box.first) - vec3i(0, 0, i32(samples.time_point * box.planes_per_time_point));
  let first = max(origin, vec3i(0));
  let last = min(origin + vec3i(box.size), vec3i(samples.dims)) - 1;
  let index = id.y * samples.size.x + id.x;
  var sum = sums[index];
  for (var slice = 0u; slice < samples.slices; slice++) {
    let position = sample_position(samples, id.xy, slice);
    let voxel = vec3i(floor(position));
    if (any(voxel < first) || any(voxel > last) || is_outside(samples, position)) {
      continue;
    }
    var value = vec2f(0.0);
    if (samples.smooth_voxels == 0u) {
      value = value_at(vec3u(voxel - origin));
    } else {
      let base = vec3i(floor(position - 0.5 + 1e-4));
      let fraction = clamp(position - 0.5 - vec3f(base), vec3f(0.0), vec3f(1.0));
      for (var corner = 0; corner < 8; corner++) {
        let offset = vec3i(corner & 1, (corner >> 1) & 1, corner >> 2);
        let weights = select(1.0 - fraction, fraction, offset == vec3i(1));
        let weight = weights.x * weights.y * weights.z;
        if (weight > 1e-3) {
          value += weight * value_at(vec3u(clamp(base + offset, first, last) - origin));
        }
      }
    }
    if (value.y < 0.5) {
      continue;
    }
    sum = projected(sum, value.x / value.y, samples.kind);
  }
  sums[index] = sum;
}
