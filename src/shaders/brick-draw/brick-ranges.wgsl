// Finds the least and the greatest number of each brick that was just decoded, from its slot in the atlas.
//
// One workgroup owns one brick; its invocations share the rows. Dispatch: as many workgroups as bricks.
//
// Invariants
// 1. Every brick's entry of `ranges` is written completely, so entries of earlier bricks of a slot never remain.
//
// Twin: src/core/bricks/gpu-bricks.gpu.test.ts computes the same on the CPU.

import package::brick_draw::key_range::{add_range, begin_ranges, empty_range, whole_range, with_missing, with_number};
import package::volume::voxel::{is_finite, voxel_bits};

struct Slots {
  slot_words: u32,
  row_words: u32,
  slice_words: u32,
  count: u32,
}

/// For each brick: its slot, and its voxels along x, y, z.
@group(0) @binding(1) var<storage, read> bricks: array<vec4u>;
@group(0) @binding(2) var<uniform> slots: Slots;
/// For each slot: see `whole_range`.
@group(0) @binding(3) var<storage, read_write> ranges: array<vec4u>;

const threads = 64u;

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
  begin_ranges(thread);
  var range = empty_range;
  for (var row = thread; row < brick.z * brick.w; row += threads) {
    let start = brick.x * slots.slot_words + (row / brick.z) * slots.slice_words + (row % brick.z) * slots.row_words;
    for (var x = 0u; x < brick.y; x++) {
      let bits = voxel_bits(start, x);
      if (is_finite(bits)) {
        range = with_number(range, bits);
      } else {
        range = with_missing(range);
      }
    }
  }
  add_range(range);
  // The reduction is complete before the result is read.
  workgroupBarrier();
  if (thread == 0u) {
    ranges[brick.x] = whole_range();
  }
}
