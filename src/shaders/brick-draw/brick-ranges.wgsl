// Finds the least and the greatest number of each brick that was just decoded, from its slot in the atlas.
//
// One workgroup owns one brick; its invocations share the rows. Dispatch: as many workgroups as bricks.
//
// Invariants
// 1. Every brick's entry of `ranges` is written completely, so entries of earlier bricks of a slot never remain.
//
// Twin: src/core/bricks/gpu-bricks.gpu.test.ts computes the same on the CPU.

import package::volume::voxel::{bits_of_key, is_finite, voxel_bits, voxel_key};

struct Slots {
  slot_words: u32,
  row_words: u32,
  slice_words: u32,
  count: u32,
}

/// For each brick: its slot, and its voxels along x, y, z.
@group(0) @binding(1) var<storage, read> bricks: array<vec4u>;
@group(0) @binding(2) var<uniform> slots: Slots;
/// For each slot: the bits of its least and its greatest number; whether some voxels are missing; whether some are not.
@group(0) @binding(3) var<storage, read_write> ranges: array<vec4u>;

const threads = 64u;

/// Keys, reduced over the workgroup.
var<workgroup> wg_least: atomic<u32>;
var<workgroup> wg_greatest: atomic<u32>;
var<workgroup> wg_missing: atomic<u32>;

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let index = workgroup.x + workgroup.y * workgroups.x;
  if (index >= slots.count) {
    return;
  }
  let brick = bricks[index];
  if (thread == 0u) {
    atomicStore(&wg_least, 0xffffffffu);
    atomicStore(&wg_greatest, 0u);
    atomicStore(&wg_missing, 0u);
  }
  // The initial values are written before the reduction begins.
  workgroupBarrier();
  var least = 0xffffffffu;
  var greatest = 0u;
  var missing = 0u;
  for (var row = thread; row < brick.z * brick.w; row += threads) {
    let start = brick.x * slots.slot_words + (row / brick.z) * slots.slice_words + (row % brick.z) * slots.row_words;
    for (var x = 0u; x < brick.y; x++) {
      let bits = voxel_bits(start, x);
      if (is_finite(bits)) {
        let key = voxel_key(bits);
        least = min(least, key);
        greatest = max(greatest, key);
      } else {
        missing = 1u;
      }
    }
  }
  atomicMin(&wg_least, least);
  atomicMax(&wg_greatest, greatest);
  atomicOr(&wg_missing, missing);
  // The reduction is complete before the result is read.
  workgroupBarrier();
  if (thread == 0u) {
    let low = atomicLoad(&wg_least);
    let high = atomicLoad(&wg_greatest);
    ranges[brick.x] = vec4u(bits_of_key(low), bits_of_key(high), atomicLoad(&wg_missing), select(0u, 1u, low <= high));
  }
}
