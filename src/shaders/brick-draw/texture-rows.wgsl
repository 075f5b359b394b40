// Copies decoded bricks of 8-bit voxels from their slots in the atlas into rows of a staging buffer, from which they are copied to a
// texture. Such copies need rows of multiples of 256 bytes, so several bricks lie side by side in the rows.
//
// One invocation owns one word of a brick. Dispatch: ceil(slot words / 256) × as many as bricks.
//
// Invariants
// 1. Words of different bricks go to different words of `staging`.
//
// Twin: src/core/bricks/brick-texture.ts says where each brick lies.

import package::volume::voxel::{is_signed, voxels};

struct Rows {
  slot_words: u32,
  row_words: u32,
  slice_words: u32,
  /// Words from one row of staging to the next, bricks side by side in them, rows of a brick.
  pitch_words: u32,
  side_by_side: u32,
  brick_rows: u32,
  count: u32,
}

/// Of each brick: its slot; the rest is unused.
@group(0) @binding(1) var<storage, read> bricks: array<vec4u>;
@group(0) @binding(2) var<uniform> rows: Rows;
@group(0) @binding(3) var<storage, read_write> staging: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= rows.slot_words || id.y >= rows.count) {
    return;
  }
  let word = voxels[bricks[id.y].x * rows.slot_words + id.x];
  let row = (id.y / rows.side_by_side) * rows.brick_rows + id.x / rows.row_words;
  let column = (id.y % rows.side_by_side) * rows.row_words + id.x % rows.row_words;
  // A texel of i8 is offset by 128.
  staging[row * rows.pitch_words + column] = word ^ select(0u, 0x80808080u, is_signed());
}
