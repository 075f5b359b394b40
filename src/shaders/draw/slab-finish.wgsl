// The last step of a slab (slab.wgsl): writes one 32-bit float for each voxel of its plane, NaN where no voxel was counted.

struct Finish {
  count: u32,
  /// 1: sums become means.
  mean: u32,
}
@group(0) @binding(0) var<storage, read> sums: array<vec2f>;
@group(0) @binding(1) var<uniform> finish: Finish;
/// The bits of 32-bit floats.
@group(0) @binding(2) var<storage, read_write> values: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let index = id.y * groups.x * 64u + id.x;
  if (index >= finish.count) {
    return;
  }
  let sum = sums[index];
  let value = sum.x / select(1.0, max(sum.y, 1.0), finish.mean == 1u);
  values[index] = select(bitcast<u32>(value), 0x7fc00000u, sum.y == 0.0);
}
