// Writes planes of a volume, as normalised texels, into a staging buffer that is then copied to a 3D texture. With the condition
// `stored` it writes the texture, too, which must be r8unorm, and nothing is copied.
//
// One invocation owns one word of staging: four r8unorm texels (8-bit voxels, exact; i8 offset by 128), two rg8unorm texels
// (integers with a small range, exact: the texel is red + green / 256), two r16float texels, or one r32float texel (all others).
// Except for r8unorm, low…high is mapped to 0…1. In the last two formats NaN, infinities and values outside
// `VolumeSource.numbers` become `missing_texel`. Texel (x, y, z) shows voxel (x, y, z) × step.
// Dispatch: ceil(row words / 64) × texture height × planes in staging. Workgroup: 64 words of one row.
//
// Invariants
// 1. Boxes hold whole rows, so each word of staging comes from exactly one box. Invocations of other boxes write nothing.
//
// Twin: src/core/volume/resident/resident-volume.gpu.test.ts computes the same on the CPU.

@if(stored) import package::volume::store_texels::store_texels;
import package::volume::voxel::{difference, element_type, is_finite, is_float, voxel_bits, voxel_key, voxels};

/// 0: r8unorm, 1: rg8unorm, 2: r16float, 3: r32float.
override texel_kind: u32;

struct Fill {
  /// Texels per row, rows per plane; words of staging per row.
  width: u32,
  height: u32,
  staging_row_words: u32,
  /// Voxels per texel along each axis.
  step: u32,
  /// The first texture plane in staging, and the volume's plane (counting all time points) that texture plane 0 shows.
  first_plane: u32,
  volume_plane: u32,
  /// The box: its first row, rows, its first plane, planes; words per row.
  box_row: u32,
  box_rows: u32,
  box_plane: u32,
  box_planes: u32,
  box_row_words: u32,
  low_key: u32,
  /// Keys of the lowest and the highest number.
  first_number: u32,
  last_number: u32,
  /// 2^power × low, and 1 / (2^power × (high − low)).
  scaled_low: f32,
  scale: f32,
  power: i32,
}
/// So far below 0 that any sample blended with it is below 0, too, and ray-march.wgsl skips it. 16-bit floats hold it.
const missing_texel: f32 = -10000.0;

@group(0) @binding(1) var<uniform> fill: Fill;
@group(0) @binding(2) var<storage, read_write> staging: array<u32>;
@if(stored) @group(0) @binding(3) var texture: texture_storage_3d<r8unorm, write>;

fn normalised(row: u32, texel: u32) -> f32 {
  if (texel >= fill.width) {
    return 0.0;
  }
  let bits = voxel_bits(row, texel * fill.step);
  let key = voxel_key(bits);
  if (is_float() && (!is_finite(bits) || key < fill.first_number || key > fill.last_number)) {
    return missing_texel;
  }
  // The pairs of rg8unorm reach slightly beyond 1.
  return clamp(difference(bits, fill.low_key, fill.scaled_low, fill.power) * fill.scale, 0.0, 65535.0 / 65280.0);
}

/// The two bytes of an rg8unorm texel.
fn pair(row: u32, texel: u32) -> u32 {
  let number = u32(normalised(row, texel) * 65280.0 + 0.5);
  return (number >> 8u) | ((number & 0xffu) << 8u);
}

fn byte(row: u32, texel: u32) -> u32 {
  if (texel >= fill.width) {
    return 0u;
  }
  let bits = voxel_bits(row, texel * fill.step);
  return (bits ^ select(0u, 0x80u, element_type == 1u)) & 0xffu;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * fill.step;
  let plane = fill.volume_plane + (fill.first_plane + id.z) * fill.step;
  if (id.x >= fill.staging_row_words || id.y >= fill.height || row < fill.box_row || plane < fill.box_plane) {
    return;
  }
  if (row - fill.box_row >= fill.box_rows || plane - fill.box_plane >= fill.box_planes) {
    return;
  }
  let row_word = ((plane - fill.box_plane) * fill.box_rows + row - fill.box_row) * fill.box_row_words;
  var word: u32;
  if (texel_kind == 0u && fill.step == 1u) {
    // The box's own word. Padding past a row's end is never copied.
    if (id.x < fill.box_row_words) {
      word = voxels[row_word + id.x] ^ select(0u, 0x80808080u, element_type == 1u);
    }
  } else if (texel_kind == 0u) {
    let x = id.x * 4u;
    word = byte(row_word, x) | (byte(row_word, x + 1u) << 8u) | (byte(row_word, x + 2u) << 16u) | (byte(row_word, x + 3u) << 24u);
  } else if (texel_kind == 1u) {
    word = pair(row_word, id.x * 2u) | (pair(row_word, id.x * 2u + 1u) << 16u);
  } else if (texel_kind == 3u) {
    word = bitcast<u32>(normalised(row_word, id.x));
  } else {
    let x = id.x * 2u;
    word = pack2x16float(vec2f(normalised(row_word, x), normalised(row_word, x + 1u)));
  }
  staging[(id.z * fill.height + id.y) * fill.staging_row_words + id.x] = word;
  @if(stored) store_texels(texture, vec3u(4u * id.x, id.y, fill.first_plane + id.z), word);
}
