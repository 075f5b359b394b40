// The sums of a slab of slices, as 64-bit numbers of two words that lie in buffers of their own. Twin: core/particles/cpu-deposit.ts.
// Invariants:
// 1. Additions modulo 2^64 in any order give the same sum, so that the order of invocations does not matter.
// 2. All shares together are below 2^53, so that nothing overflows.

struct Grid {
  dims: vec3i,          // of the volume, in voxels
  is_periodic: u32,
  first_slice: i32,     // of the slab
  slice_count: i32,
  particle_count: u32,  // of this dispatch
  first_particle: u32,
}

@group(0) @binding(0) var<uniform> grid: Grid;
// Low and high words of the sums of the slab's voxels, x fastest.
@group(0) @binding(1) var<storage, read_write> sums_low: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> sums_high: array<atomic<u32>>;

// The number of a voxel along an axis; -1 if it is outside the box.
fn within(place: i32, length: i32) -> i32 {
  if (place >= 0 && place < length) { return place; }
  if (grid.is_periodic == 0u) { return -1; }
  let rest = place % length;
  return select(rest, rest + length, rest < 0);
}

// Adds a share to a voxel, unless that is outside the box or the slab.
fn add_share(place: vec3i, share: vec2u) {
  if (share.x == 0u && share.y == 0u) { return; }
  let x = within(place.x, grid.dims.x);
  let y = within(place.y, grid.dims.y);
  let z = within(place.z, grid.dims.z) - grid.first_slice;
  if (x < 0 || y < 0 || z < 0 || z >= grid.slice_count) { return; }
  let voxel = u32((z * grid.dims.y + y) * grid.dims.x + x);
  let before = atomicAdd(&sums_low[voxel], share.x);
  let high = share.y + select(0u, 1u, before > 0xffffffffu - share.x);
  if (high != 0u) { atomicAdd(&sums_high[voxel], high); }
}
