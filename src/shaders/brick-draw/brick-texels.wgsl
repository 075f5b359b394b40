// Copies decoded bricks of 8-bit or 16-bit voxels from their slots in the atlas, with an apron of two voxels, into rows of a staging buffer,
// from which they are copied to a texture. Such copies need rows of multiples of 256 bytes, so several bricks lie side by side in the
// rows. With the condition `stored_bytes` or `stored_pairs` the texture is written here, and the copies are not needed. Also finds the
// least and the greatest voxel of each cell of 8³ voxels, and of the whole brick.
//
// A texel has a byte for each byte of the voxel, the highest one in red. Texels of signed types are offset, so that they rise with the
// value.
//
// One workgroup owns one brick. Dispatch: as many workgroups as bricks.
//
// Invariants
// 1. Workgroups write to different words of `staging` and `cells`, and to different entries of `ranges`.
// 2. Ranges cover all voxels on which samples in the cell or brick depend, which reach at most one voxel beyond it.
//
// Twin: src/core/bricks/brick-texture.gpu.test.ts computes the same on the CPU.

import package::brick_draw::texel_sources::{Brick, bricks, constants, rows, slot_row, slot_texels, source_of};
import package::brick_draw::texture_layout::{paged_apron, paged_cell_voxels};
import package::volume::voxel::{is_signed, voxels, voxels_per_unit};
@if(stored_bytes) import package::volume::store_texels::store_texels;
@if(stored_pairs) import package::volume::store_texels::store_pairs;

@group(0) @binding(5) var<storage, read_write> staging: array<u32>;
/// For each cell of each slot: its least and its greatest texel, in the low and the high half.
@group(0) @binding(6) var<storage, read_write> cells: array<u32>;
/// As in brick-ranges.wgsl.
@group(0) @binding(7) var<storage, read_write> ranges: array<vec4u>;
@if(stored_bytes) @group(0) @binding(8) var texture: texture_storage_3d<r8unorm, write>;
@if(stored_pairs) @group(0) @binding(8) var texture: texture_storage_3d<rg8unorm, write>;

const threads = 256u;

var<workgroup> wg_least: atomic<u32>;
var<workgroup> wg_greatest: atomic<u32>;

/// The bits of a voxel.
fn voxel_width() -> u32 {
  return 32u / voxels_per_unit();
}

/// The bits in which a texel differs from its voxel: the sign bit of signed types.
fn offset_bits() -> u32 {
  return select(0u, 1u << (voxel_width() - 1u), is_signed());
}

/// The stored bits of a voxel in a slot. @param voxel relative to the brick's first voxel
fn stored_at(slot: u32, voxel: vec3u) -> u32 {
  let per_word = voxels_per_unit();
  let word = voxels[slot_row(slot, voxel.y, voxel.z) + voxel.x / per_word];
  return extractBits(word, (voxel.x % per_word) * voxel_width(), voxel_width());
}

/// The texels of a word in the order of bytes in the texture, and back: those of 16 bits begin with the high byte.
fn in_texture_order(word: u32) -> u32 {
  let swapped = ((word & 0x00ff00ffu) << 8u) | ((word >> 8u) & 0x00ff00ffu);
  return select(word, swapped, voxel_width() == 16u);
}

/// The texel at a position relative to a brick's first voxel.
fn texel_at(brick: Brick, place: vec3i) -> u32 {
  let source = source_of(brick, place);
  if (source.is_constant) {
    return extractBits(constants[source.index], 0u, voxel_width()) ^ offset_bits();
  }
  return stored_at(source.index, source.place) ^ offset_bits();
}

/// The word at which a row of a brick's texels begins in `staging`. @param number of the brick in this dispatch
fn row_start(number: u32, row: u32) -> u32 {
  let staged_row = (number / rows.side_by_side) * rows.texels.y * rows.texels.z + row;
  return staged_row * rows.pitch_words + (number % rows.side_by_side) * (rows.texels.x / voxels_per_unit());
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
  if (thread == 0u) {
    atomicStore(&wg_least, 0xffffu);
    atomicStore(&wg_greatest, 0u);
  }
  let per_word = voxels_per_unit();
  let row_words = rows.texels.x / per_word;
  let own = vec3i(min(brick.shape, brick.dims - brick.first));
  let slot = slot_texels(brick.slot);
  for (var index = thread; index < row_words * rows.texels.y * rows.texels.z; index += threads) {
    let row = index / row_words;
    let place = vec3i(vec3u(per_word * (index % row_words), row % rows.texels.y, row / rows.texels.y)) - i32(paged_apron);
    var word = 0u;
    if (all(place >= vec3i(0)) && all(place + vec3i(i32(per_word) - 1, 0, 0) < own)) {
      // Voxels of the brick itself. The apron is a whole word wide, or half a word for 8 bits, whose texels come from two words.
      let start = slot_row(brick.slot, u32(place.y), u32(place.z)) + u32(place.x) / per_word;
      word = voxels[start];
      if (per_word == 4u) {
        word = (word >> 16u) | (voxels[start + 1u] << 16u);
      }
      word ^= offset_bits() * select(0x10001u, 0x1010101u, per_word == 4u);
    } else {
      for (var part = 0u; part < per_word; part++) {
        word |= texel_at(brick, place + vec3i(i32(part), 0, 0)) << (voxel_width() * part);
      }
    }
    word = in_texture_order(word);
    staging[row_start(number, row) + index % row_words] = word;
    let first = slot + vec3u(per_word * (index % row_words), row % rows.texels.y, row / rows.texels.y);
    @if(stored_bytes) store_texels(texture, first, word);
    @if(stored_pairs) store_pairs(texture, first, word);
  }
  // All texels are written before cells read them.
  storageBarrier();
  // The initial values of the reduction, too.
  workgroupBarrier();
  for (var index = thread; index < rows.cells.x * rows.cells.y * rows.cells.z; index += threads) {
    let cell = vec3u(index % rows.cells.x, (index / rows.cells.x) % rows.cells.y, index / rows.cells.x / rows.cells.y);
    // From the texel before the cell to the one after it. Along x whole words are read, which hold one more texel at either end.
    let low = cell * paged_cell_voxels + vec3u(0u, paged_apron - 1u, paged_apron - 1u);
    let high = min(low.yz + paged_cell_voxels + 2u, rows.texels.yz);
    var least = 0xffffu;
    var greatest = 0u;
    for (var z = low.z; z < high.y; z++) {
      for (var y = low.y; y < high.x; y++) {
        let start = row_start(number, z * rows.texels.y + y);
        for (var x = low.x / per_word; x < min((low.x + paged_cell_voxels + 4u) / per_word, row_words); x++) {
          let texels = in_texture_order(staging[start + x]);
          for (var part = 0u; part < per_word; part++) {
            let texel = extractBits(texels, voxel_width() * part, voxel_width());
            least = min(least, texel);
            greatest = max(greatest, texel);
          }
        }
      }
    }
    cells[brick.slot * rows.cells.x * rows.cells.y * rows.cells.z + index] = least | (greatest << 16u);
    atomicMin(&wg_least, least);
    atomicMax(&wg_greatest, greatest);
  }
  // The reduction is complete before the result is read.
  workgroupBarrier();
  if (thread == 0u) {
    let low = vec2u(atomicLoad(&wg_least), atomicLoad(&wg_greatest)) ^ vec2u(offset_bits());
    let bits = select(low, bitcast<vec2u>(extractBits(bitcast<vec2i>(low), 0u, voxel_width())), is_signed());
    ranges[brick.slot] = vec4u(bits, 0u, 1u);
  }
}
