// Scans each tile in place, on top of the sum before it: the second half of an exclusive scan (core/gpu/scan.ts).
// Algorithm: reduce-then-scan (see reduce.wgsl), with a Hillis-Steele scan of 256 partial sums in each workgroup.
// One invocation owns `per_thread` neighbouring values, one workgroup a tile of 256 × per_thread.
// Dispatch: one workgroup per tile, spread over x and y.
// Invariants:
// 1. `bases[tile]` is the sum of all values before the tile: the scanned sums of reduce.wgsl, or one zero at the top level.
// 2. Only this workgroup reads and writes its words of `values`.
// 3. All levels have the same total, so it does not matter which level writes it last.

override per_thread: u32 = 8u;

struct Level { length: u32, tile_count: u32 }

@group(0) @binding(0) var<uniform> level: Level;
// The values of this level, replaced by their exclusive scan: `length` words.
@group(0) @binding(1) var<storage, read_write> values: array<u32>;
// Sum of all values before each tile: `tile_count` words.
@group(0) @binding(2) var<storage, read> bases: array<u32>;
// The sum of all values: one word.
@group(0) @binding(3) var<storage, read_write> total: array<u32>;

// 256 × per_thread values, so that global loads and stores go over neighbouring words. 8 KiB with 8 values per thread.
var<workgroup> wg_values: array<u32, 256u * per_thread>;
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
  for (var step = 0u; step < per_thread; step++) {
    let local = step * 256u + thread;
    if (first + local < level.length) { wg_values[local] = values[first + local]; } else { wg_values[local] = 0u; }
  }
  workgroupBarrier(); // wg_values is filled

  var sum = 0u;
  for (var step = 0u; step < per_thread; step++) { sum += wg_values[thread * per_thread + step]; }
  wg_sums[thread] = sum;
  for (var distance = 1u; distance < 256u; distance *= 2u) {
    workgroupBarrier(); // the previous step's sums are stored
    var before = 0u;
    if (thread >= distance) { before = wg_sums[thread - distance]; }
    workgroupBarrier(); // everyone has read before anyone writes
    wg_sums[thread] += before;
  }

  var running = bases[tile] + wg_sums[thread] - sum;
  if (tile == level.tile_count - 1u && thread == 255u) { total[0] = running + sum; }
  for (var step = 0u; step < per_thread; step++) {
    let local = thread * per_thread + step;
    let value = wg_values[local];
    wg_values[local] = running;
    running += value;
  }
  workgroupBarrier(); // the scanned tile is complete
  for (var step = 0u; step < per_thread; step++) {
    let local = step * 256u + thread;
    if (first + local < level.length) { values[first + local] = wg_values[local]; }
  }
}
