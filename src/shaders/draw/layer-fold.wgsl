// Projects the samples of some slices (layer-blend.wgsl) into the sums of a thick slice, from which slab-finish.wgsl makes a plane.
//
// One invocation owns one pixel. The sums continue those of earlier slices.
//
// Invariants
// 1. A sample is missing if most of its neighbours are.

import package::draw::samples::{Samples, projected};

@group(0) @binding(0) var<uniform> samples: Samples;
@group(0) @binding(1) var<storage, read> parts: array<vec2f>;
/// x: mean or extreme so far; y: number of samples in it.
@group(0) @binding(2) var<storage, read_write> sums: array<vec2f>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= samples.size.x || id.y >= samples.size.y) {
    return;
  }
  let index = id.y * samples.size.x + id.x;
  var sum = sums[index];
  for (var slice = 0u; slice < samples.slices; slice++) {
    let part = parts[slice * samples.size.x * samples.size.y + index];
    if (part.y >= 0.5) {
      sum = projected(sum, part.x / part.y, samples.kind);
    }
  }
  sums[index] = sum;
}
