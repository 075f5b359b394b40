// Copies decoded bricks of 32-bit or 64-bit voxels from their slots in the atlas, with an apron of two voxels, to a texture of 32-bit
// floats. Also finds the least and the greatest texel of each cell of 8³ voxels, and the least and the greatest number of each brick. The
// twin for 8-bit and 16-bit voxels is brick-texels.wgsl.
//
// A texel is the voxel's value, limited to ±2^100; or, if the voxel is missing, a number far below these (`missing_number`).
//
// One workgroup owns one brick. Dispatch: as many workgroups as bricks.
//
// Invariants
// 1. Workgroups write to different words of `staging` and `cells`, to different texels, and to different entries of `ranges`.
// 2. Ranges cover all voxels on which samples in the cell or brick depend, which reach at most one voxel beyond it.
//
// Twin: src/core/bricks/brick-numbers.gpu.test.ts computes the same on the CPU.

import package::brick_draw::key_range::{add_range, begin_ranges, empty_range, whole_range, with_missing, with_number};
import package::brick_draw::number_texels::{greatest_number, missing_number};
import package::brick_draw::texel_sources::{bricks, constants, rows, slot_row, slot_texels, source_of};
import package::brick_draw::texture_layout::{paged_apron, paged_cell_voxels};
import package::volume::voxel::{is_finite, is_float, value_of, voxel_bits, voxel_key};

/// The texels of the bricks, in rows without padding.
@group(0) @binding(5) var<storage, read_write> staging: array<f32>;
/// For each cell of each slot: its least and its greatest texel.
@group(0) @binding(6) var<storage, read_write> cells: array<vec2f>;
/// As in brick-ranges.wgsl.
@group(0) @binding(7) var<storage, read_write> ranges: array<vec4u>;
@group(0) @binding(8) var texture: texture_storage_3d<r32float, write>;

const threads = 256u;

/// Whether a voxel is missing.
fn is_missing(bits: u32) -> bool {
  let key = voxel_key(bits);
  return is_float() && (!is_finite(bits) || key < rows.first_number || key > rows.last_number);
}

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= rows.count) {
    return;
  }
  let brick = bricks[number];
  begin_ranges(thread);
  let first = slot_texels(brick.slot);
  let per_slice = rows.texels.x * rows.texels.y;
  let count = per_slice * rows.texels.z;
  let staged = number * count;
  var range = empty_range;
  for (var index = thread; index < count; index += threads) {
    let texel = vec3u(index % rows.texels.x, (index / rows.texels.x) % rows.texels.y, index / per_slice);
    let source = source_of(brick, vec3i(texel) - i32(paged_apron));
    var bits: u32;
    if (source.is_constant) {
      bits = constants[source.index];
    } else {
      bits = voxel_bits(slot_row(source.index, source.place.y, source.place.z), source.place.x);
    }
    var value = missing_number;
    if (is_missing(bits)) {
      range = with_missing(range);
    } else {
      range = with_number(range, bits);
      value = clamp(value_of(bits), -greatest_number, greatest_number);
    }
    staging[staged + index] = value;
    textureStore(texture, first + texel, vec4f(value));
  }
  add_range(range);
  // All texels are written before cells read them.
  storageBarrier();
  // The reduction is complete before its result is read.
  workgroupBarrier();
  let cell_count = rows.cells.x * rows.cells.y * rows.cells.z;
  for (var index = thread; index < cell_count; index += threads) {
    let cell = vec3u(index % rows.cells.x, (index / rows.cells.x) % rows.cells.y, index / rows.cells.x / rows.cells.y);
    // From the texel before the cell to the one after it.
    let low = cell * paged_cell_voxels + paged_apron - 1u;
    let high = min(low + paged_cell_voxels + 2u, rows.texels);
    var ends = vec2f(greatest_number, missing_number);
    for (var z = low.z; z < high.z; z++) {
      for (var y = low.y; y < high.y; y++) {
        let start = staged + z * per_slice + y * rows.texels.x;
        for (var x = low.x; x < high.x; x++) {
          let value = staging[start + x];
          ends = vec2f(min(ends.x, value), max(ends.y, value));
        }
      }
    }
    cells[brick.slot * cell_count + index] = ends;
  }
  if (thread == 0u) {
    ranges[brick.slot] = whole_range();
  }
}
