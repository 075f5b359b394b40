// Copies decoded bricks of 8-bit voxels from their slots in the atlas, with an apron of two voxels, into rows of a staging buffer, from
// which they are copied to a texture. Such copies need rows of multiples of 256 bytes, so several bricks lie side by side in the
// rows. With the condition `stored` the texture is written here, and the copies are not needed. Also finds the least and the greatest voxel of each cell of 8³ voxels, and of the whole brick.
//
// A voxel of the apron is found through the page table. If its brick is not loaded, the nearest voxel of the copied brick takes its
// place until that brick is copied again (`GpuBricks`).
//
// One workgroup owns one brick. Dispatch: as many workgroups as bricks.
//
// Invariants
// 1. Workgroups write to different words of `staging` and `cells`, and to different entries of `ranges`.
// 2. Ranges cover all voxels on which samples in the cell or brick depend, which reach at most one voxel beyond it.
//
// Twin: src/core/bricks/brick-texture.gpu.test.ts computes the same on the CPU.

import package::brick_draw::texture_layout::{paged_apron, paged_cell_voxels};
import package::volume::voxel::{is_signed, voxels};
@if(stored) import package::volume::store_texels::store_texels;

struct Rows {
  slot_words: u32,
  row_words: u32,
  slice_words: u32,
  count: u32,
  /// Texels of a slot of the texture along x, y, z. Rows consist of whole words.
  texels: vec3u,
  /// Words from one row of staging to the next.
  pitch_words: u32,
  /// Cells of a slot along x, y, z.
  cells: vec3u,
  /// Bricks side by side in a row.
  side_by_side: u32,
  /// Slots of the texture along x and y.
  across: vec2u,
}

struct Brick {
  slot: u32,
  /// The index in the table of the first brick of its level and time point.
  start: u32,
  /// Bricks of its level along x and y.
  columns: u32,
  rows: u32,
  /// The brick's first voxel.
  first: vec3u,
  /// Voxels of its level along x, y, z.
  dims: vec3u,
  /// Voxels of a whole brick along x, y, z.
  shape: vec3u,
}

@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read> constants: array<u32>;
@group(0) @binding(3) var<storage, read> bricks: array<Brick>;
@group(0) @binding(4) var<uniform> rows: Rows;
@group(0) @binding(5) var<storage, read_write> staging: array<u32>;
/// For each cell of each slot: its least and its greatest texel, in the two low bytes.
@group(0) @binding(6) var<storage, read_write> cells: array<u32>;
/// As in brick-ranges.wgsl.
@group(0) @binding(7) var<storage, read_write> ranges: array<vec4u>;
@if(stored) @group(0) @binding(8) var texture: texture_storage_3d<r8unorm, write>;

const threads = 256u;

var<workgroup> wg_least: atomic<u32>;
var<workgroup> wg_greatest: atomic<u32>;

/// The bits in which a texel differs from its voxel: texels of i8 are offset by 128.
fn offset_bits() -> u32 {
  return select(0u, 0x80u, is_signed());
}

/// The byte of a voxel in a slot. @param voxel relative to the brick's first voxel
fn byte_at(slot: u32, voxel: vec3u) -> u32 {
  let word = voxels[slot * rows.slot_words + voxel.z * rows.slice_words + voxel.y * rows.row_words + voxel.x / 4u];
  return extractBits(word, (voxel.x % 4u) * 8u, 8u);
}

/// The texel at a position relative to a brick's first voxel.
fn texel_at(brick: Brick, place: vec3i) -> u32 {
  let voxel = vec3u(clamp(vec3i(brick.first) + place, vec3i(0), vec3i(brick.dims) - 1));
  let last = min(brick.first + brick.shape, brick.dims) - 1u;
  let nearest = clamp(voxel, brick.first, last);
  var bits: u32;
  if (all(voxel == nearest)) {
    bits = byte_at(brick.slot, voxel - brick.first);
  } else {
    let other = voxel / brick.shape;
    let entry = table[brick.start + (other.z * brick.rows + other.y) * brick.columns + other.x];
    if (entry == 0u) {
      bits = byte_at(brick.slot, nearest - brick.first);
    } else if ((entry & 0x80000000u) != 0u) {
      bits = constants[entry & 0x7fffffffu] & 0xffu;
    } else {
      bits = byte_at(entry - 1u, voxel - other * brick.shape);
    }
  }
  return bits ^ offset_bits();
}

/// The word at which a row of a brick's texels begins in `staging`. @param number of the brick in this dispatch
fn row_start(number: u32, row: u32) -> u32 {
  let staged_row = (number / rows.side_by_side) * rows.texels.y * rows.texels.z + row;
  return staged_row * rows.pitch_words + (number % rows.side_by_side) * (rows.texels.x / 4u);
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
    atomicStore(&wg_least, 255u);
    atomicStore(&wg_greatest, 0u);
  }
  let row_words = rows.texels.x / 4u;
  let own = vec3i(min(brick.shape, brick.dims - brick.first));
  @if(stored) let slot_row = brick.slot / rows.across.x;
  @if(stored) let slot = vec3u(brick.slot % rows.across.x, slot_row % rows.across.y, slot_row / rows.across.y);
  for (var index = thread; index < row_words * rows.texels.y * rows.texels.z; index += threads) {
    let row = index / row_words;
    let place = vec3i(vec3u(4u * (index % row_words), row % rows.texels.y, row / rows.texels.y)) - i32(paged_apron);
    var word = 0u;
    if (all(place >= vec3i(0)) && all(place + vec3i(3, 0, 0) < own)) {
      // Four voxels of the brick itself, from two words, because the apron is half a word wide.
      let start = brick.slot * rows.slot_words + u32(place.z) * rows.slice_words + u32(place.y) * rows.row_words;
      let low = voxels[start + u32(place.x) / 4u];
      let high = voxels[start + u32(place.x) / 4u + 1u];
      word = ((low >> 16u) | (high << 16u)) ^ (offset_bits() * 0x01010101u);
    } else {
      for (var byte = 0u; byte < 4u; byte++) {
        word |= texel_at(brick, place + vec3i(i32(byte), 0, 0)) << (8u * byte);
      }
    }
    staging[row_start(number, row) + index % row_words] = word;
    @if(stored) store_texels(texture, slot * rows.texels + vec3u(4u * (index % row_words), row % rows.texels.y, row / rows.texels.y), word);
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
    var least = vec4u(255u);
    var greatest = vec4u(0u);
    for (var z = low.z; z < high.y; z++) {
      for (var y = low.y; y < high.x; y++) {
        let start = row_start(number, z * rows.texels.y + y);
        for (var x = low.x / 4u; x < min(low.x / 4u + 3u, row_words); x++) {
          let texels = unpack4xU8(staging[start + x]);
          least = min(least, texels);
          greatest = max(greatest, texels);
        }
      }
    }
    let least_of_cell = min(min(least.x, least.y), min(least.z, least.w));
    let greatest_of_cell = max(max(greatest.x, greatest.y), max(greatest.z, greatest.w));
    cells[brick.slot * rows.cells.x * rows.cells.y * rows.cells.z + index] = least_of_cell | (greatest_of_cell << 8u);
    atomicMin(&wg_least, least_of_cell);
    atomicMax(&wg_greatest, greatest_of_cell);
  }
  // The reduction is complete before the result is read.
  workgroupBarrier();
  if (thread == 0u) {
    let low = vec2u(atomicLoad(&wg_least), atomicLoad(&wg_greatest)) ^ vec2u(offset_bits());
    let bits = select(low, bitcast<vec2u>(extractBits(bitcast<vec2i>(low), 0u, 8u)), is_signed());
    ranges[brick.slot] = vec4u(bits, 0u, 1u);
  }
}
