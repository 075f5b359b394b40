// Sums tiles: the first half of an exclusive scan (core/gpu/scan.ts).
// Algorithm: reduce-then-scan (Blelloch 1990; Merrill and Grimshaw 2009), which needs no forward progress between workgroups.
// One invocation sums `per_thread` values. One workgroup owns a tile of 256 × per_thread values and one word of `sums`.
// Dispatch: one workgroup per tile, spread over x and y.
// Invariants:
// 1. Sums are modulo 2^32, like u32 addition.
// 2. Values past `length` count as 0 and are not read.

override per_thread: u32 = 8u;

struct Level { length: u32, tile_count: u32 }

@group(0) @binding(0) var<uniform> level: Level;
// The values of this level: `length` words.
@group(0) @binding(1) var<storage, read> values: array<u32>;
// The sum of each tile: `tile_count` words.
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

var<workgroup> wg_sums: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let tile = workgroup.x + workgroup.y * workgroups.x;
  if (tile >= level.tile_count) { return; }
  let first = tile * 256u * per_thread;
  var sum = 0u;
  for (var step = 0u; step < per_thread; step++) {
    let index = first + step * 256u + thread;
    if (index < level.length) { sum += values[index]; }
  }
  wg_sums[thread] = sum;
  for (var half = 128u; half > 0u; half /= 2u) {
    workgroupBarrier(); // the previous step's sums are stored
    if (thread < half) { wg_sums[thread] += wg_sums[thread + half]; }
  }
  if (thread == 0u) { sums[tile] = wg_sums[0]; }
}
