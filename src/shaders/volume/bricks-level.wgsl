// Writes the ranges of bricks, or of cubes of bricks, into a texture that the ray marcher reads.
//
// One invocation owns a texel. Dispatch: ceil(texels along x / 64) × texels along y × texels along z.
//
// Invariants
// 1. The range is widened by more than the rounding of rgba16float, so that it always holds every sample.
//
// Twin: src/core/volume/brick-grid.gpu.test.ts computes the same on the CPU.

/// Bricks of a texel along each axis.
override side: u32 = 1u;

/// Least and greatest texel, x fastest, then y, z.
@group(0) @binding(0) var<storage, read> ranges: array<vec2f>;
/// Bricks along x, y, z.
@group(0) @binding(1) var<uniform> counts: vec3u;
/// x: least, y: greatest.
@group(0) @binding(2) var level: texture_storage_3d<rgba16float, write>;

const margin = 1.0 / 1024.0;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let first = id * side;
  if (first.x >= counts.x) {
    return;
  }
  let end = min(first + side, counts);
  var range = vec2f(1.0, 0.0);
  for (var z = first.z; z < end.z; z++) {
    for (var y = first.y; y < end.y; y++) {
      for (var x = first.x; x < end.x; x++) {
        let found = ranges[(z * counts.y + y) * counts.x + x];
        range = vec2f(min(range.x, found.x), max(range.y, found.y));
      }
    }
  }
  textureStore(level, id, vec4f(range.x - margin, range.y + margin, 0.0, 0.0));
}
