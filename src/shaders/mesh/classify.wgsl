// Finds the surface that each voxel belongs to, in planes of a box: the first step of extracting surfaces (core/mesh/gpu).
//
// Values are compared as keys: unsigned numbers that rise with the value. The keys of a surface's voxels form a range, whether it
// encloses a label or everything above or below a level, so one search handles all kinds of surfaces.
//
// One invocation owns a voxel. Dispatch: ceil(voxels / 256) workgroups, spread over x and y.
//
// Invariants
// 1. Ranges are disjoint and in ascending order.
// 2. Keys of NaN lie below or above all ranges.
// 3. Voxels outside of the volume are never written. Their class is 0 from the start.
//
// Twin: `SurfaceBuilder.add` in src/core/mesh/surface-builder.ts.

import package::volume::voxel::{element_type, voxel_bits, voxel_key, voxels};

struct Piece {
  /// Voxels along x, and words from one row to the next.
  row_voxels: u32,
  row_words: u32,
  /// Rows of each plane in the box, and the first plane that is read.
  row_count: u32,
  first_plane: u32,
  voxel_count: u32,
  /// The place of the first voxel in the slab.
  to: u32,
  /// From one row of the slab to the next, and from one plane to the next.
  to_row: u32,
  to_plane: u32,
  range_count: u32,
}
@group(0) @binding(1) var<uniform> piece: Piece;
struct Range {
  /// High and low word of the first and last key.
  first: vec2u,
  last: vec2u,
  /// From 1.
  number: u32,
  unused: u32,
}
@group(0) @binding(2) var<storage, read> ranges: array<Range>;
/// The number of the surface that a voxel of the slab belongs to; 0 for none.
@group(0) @binding(3) var<storage, read_write> classes: array<u32>;
/// The bits of each voxel of the slab; two words for f64.
@if(keeps_values) @group(0) @binding(4) var<storage, read_write> values: array<u32>;

fn is_below(a: vec2u, b: vec2u) -> bool {
  return a.x < b.x || (a.x == b.x && a.y < b.y);
}

fn key_of(row: u32, x: u32) -> vec2u {
  if (element_type == 7u) {
    let bits = vec2u(voxels[row + 2u * x + 1u], voxels[row + 2u * x]);
    return select(bits | vec2u(0x80000000u, 0u), ~bits, (bits.x & 0x80000000u) != 0u);
  }
  return vec2u(0u, voxel_key(voxel_bits(row, x)));
}

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let index = (group.x + group.y * groups.x) * 256u + local;
  if (index >= piece.voxel_count) {
    return;
  }
  let row_of_box = index / piece.row_voxels;
  let x = index - row_of_box * piece.row_voxels;
  let plane = row_of_box / piece.row_count;
  let row = row_of_box - plane * piece.row_count;
  let row_word = (piece.first_plane * piece.row_count + row_of_box) * piece.row_words;
  let to = piece.to + plane * piece.to_plane + row * piece.to_row + x;
  let key = key_of(row_word, x);
  // Finds how many ranges begin at the key or before it.
  var low = 0u;
  var high = piece.range_count;
  while (low < high) {
    let middle = (low + high) / 2u;
    if (is_below(key, ranges[middle].first)) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  var number = 0u;
  if (low > 0u && !is_below(ranges[low - 1u].last, key)) {
    number = ranges[low - 1u].number;
  }
  classes[to] = number;
  @if(keeps_values) keep(to, row_word, x);
}

@if(keeps_values) fn keep(to: u32, row: u32, x: u32) {
  if (element_type == 7u) {
    values[2u * to] = voxels[row + 2u * x];
    values[2u * to + 1u] = voxels[row + 2u * x + 1u];
  } else {
    values[to] = voxel_bits(row, x);
  }
}
