// Finds the least and the greatest texel of each brick of the display texture, so that the ray marcher can cross empty
// bricks in one go.
//
// One workgroup owns a brick; its 64 invocations share the texels of the brick and of one texel around it (linear filtering
// reads across the border). Dispatch: bricks along x × bricks along y × brick layers in this piece.
//
// Invariants
// 1. The range is widened by more than rgba16float's rounding, so that it always holds every sample in the brick.
//
// Twin: src/renderer/viewer/brick-grid.gpu.test.ts computes the same on the CPU.

struct Bricks {
  /// Texels of a brick along each axis.
  size: u32,
  /// The first brick layer of this piece.
  first_layer: u32,
}
@group(0) @binding(0) var volume: texture_3d<f32>;
@group(0) @binding(1) var<uniform> bricks: Bricks;
/// x: least, y: greatest.
@group(0) @binding(2) var ranges: texture_storage_3d<rgba16float, write>;

var<workgroup> wg_low: array<f32, 64>;
var<workgroup> wg_high: array<f32, 64>;

const margin = 1.0 / 1024.0;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  let brick = group + vec3u(0u, 0u, bricks.first_layer);
  let last = vec3i(textureDimensions(volume)) - 1;
  let first = vec3i(brick * bricks.size) - 1;
  let side = bricks.size + 2u;
  var low = 1.0;
  var high = 0.0;
  for (var index = local; index < side * side * side; index += 64u) {
    let offset = vec3u(index % side, (index / side) % side, index / (side * side));
    let texel = textureLoad(volume, clamp(first + vec3i(offset), vec3i(0), last), 0).r;
    low = min(low, texel);
    high = max(high, texel);
  }
  wg_low[local] = low;
  wg_high[local] = high;
  for (var width = 32u; width > 0u; width /= 2u) {
    // Protects what the round before wrote from being read too early.
    workgroupBarrier();
    if (local < width) {
      wg_low[local] = min(wg_low[local], wg_low[local + width]);
      wg_high[local] = max(wg_high[local], wg_high[local + width]);
    }
  }
  if (local == 0u) {
    textureStore(ranges, brick, vec4f(wg_low[0] - margin, wg_high[0] + margin, 0.0, 0.0));
  }
}
