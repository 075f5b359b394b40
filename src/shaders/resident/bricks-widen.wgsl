// Widens each brick's range by its neighbours' and writes it into the texture that the ray marcher reads: linear filtering
// and gradients reach over a brick's border.
//
// One invocation owns a brick. Dispatch: ceil(bricks along x / 64) × bricks along y × bricks along z.
//
// Invariants
// 1. The range is widened by more than rgba16float's rounding, so that it always holds every sample in the brick.
//
// Twin: src/core/engine/brick-grid.gpu.test.ts computes the same on the CPU.

/// Least and greatest texel, x fastest, then y, z.
@group(0) @binding(0) var<storage, read> ranges: array<vec2f>;
/// x: least, y: greatest.
@group(0) @binding(1) var widened: texture_storage_3d<rgba16float, write>;

const margin = 1.0 / 1024.0;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let counts = vec3i(textureDimensions(widened));
  let brick = vec3i(id);
  if (brick.x >= counts.x) {
    return;
  }
  var range = vec2f(1.0, 0.0);
  for (var index = 0; index < 27; index++) {
    let offset = vec3i(index % 3, (index / 3) % 3, index / 9) - 1;
    let neighbour = clamp(brick + offset, vec3i(0), counts - 1);
    let found = ranges[(neighbour.z * counts.y + neighbour.y) * counts.x + neighbour.x];
    range = vec2f(min(range.x, found.x), max(range.y, found.y));
  }
  textureStore(widened, id, vec4f(range.x - margin, range.y + margin, 0.0, 0.0));
}
