// Finds bricks of the layers that ray-stack.wgsl draws from bricks, and records which ones its rays used and missed. Each layer has
// bricks of its own (`GpuBricks`), and a texture with copies of them (`BrickTexture`). Their page tables, ranges and constants are
// gathered in one buffer, and their feedback is in another, because every device binds at least eight storage buffers and the open
// volume's bricks take six (paged.wgsl).
//
// Only levels that are finer than the layer's own texture are drawn from bricks. Where none is loaded, that texture is drawn.
//
// Feedback of a layer has the form that paged-rays.wgsl describes.
//
// Twin: src/core/bricks/layer-uniform.ts.

import package::brick_draw::number_texels::missing_number;
import package::brick_draw::texture_layout::{paged_apron, paged_cell_voxels, paged_texels};
import constants::{layers_binding, volume_count};

struct LayerLevel {
  /// Voxels along x, y, z, and the index in `layer_words` of the entry of the first brick at the time point.
  dims: vec3u,
  start: u32,
  /// Bricks along x, y, z, and the longest edge of a voxel in the scene.
  counts: vec3u,
  edge: f32,
  /// Voxels of a brick along x, y, z.
  brick: vec3u,
  unused: u32,
  /// The fractional number of voxels along the edges of the layer's cube; w: the length of the finest voxel in the scene.
  scale: vec4f,
}

struct LayerBricks {
  /// Where its parts of `layer_words` begin: the page table, the ranges of slots and of cells, and the values of constant bricks.
  table: u32,
  ranges: u32,
  cells: u32,
  constants: u32,
  /// Where its parts of `layer_feedback` begin, and the maximum number of misses.
  feedback: u32,
  used: u32,
  asked: u32,
  most_misses: u32,
  /// The number of levels that are finer than the layer's texture.
  level_count: u32,
  /// 0: unsigned integers, 1: signed integers, 2: floats.
  kind: u32,
  /// Bytes of a texel in the texture of bricks; with 4 bytes, texels are values.
  texel_bytes: u32,
  /// As in `Paged`.
  detail: f32,
  /// texel = (value − texel_low) × texel_scale
  texel_low: f32,
  texel_scale: f32,
  /// The lowest and the highest number.
  numbers: vec2f,
  levels: array<LayerLevel, 32>,
}

/// The entries of volumes without bricks are unused.
@group(0) @binding(layers_binding) var<uniform> layer_bricks: array<LayerBricks, volume_count>;
@group(0) @binding(layers_binding + 1u) var<storage, read> layer_words: array<u32>;
@group(0) @binding(layers_binding + 2u) var<storage, read_write> layer_feedback: array<atomic<u32>>;

fn layer_is_constant(entry: u32) -> bool {
  return (entry & 0x80000000u) != 0u;
}

/// The index in `layer_words` of the entry of a brick. @param brick its numbers along x, y, z
fn layer_index(layer: u32, level: u32, brick: vec3u) -> u32 {
  let counts = layer_bricks[layer].levels[level].counts;
  return layer_bricks[layer].levels[level].start + (brick.z * counts.y + brick.y) * counts.x + brick.x;
}

/// The texel of a value, from its bits as `voxel_bits` in voxel.wgsl gives them.
fn layer_texel_of(layer: u32, bits: u32) -> f32 {
  let kind = layer_bricks[layer].kind;
  if (kind == 2u) {
    let value = bitcast<f32>(bits);
    let numbers = layer_bricks[layer].numbers;
    let is_number = (bits & 0x7f800000u) != 0x7f800000u && value >= numbers.x && value <= numbers.y;
    return select(missing_number, value, is_number);
  }
  let value = select(f32(bits), f32(bitcast<i32>(bits)), kind == 1u);
  return (value - layer_bricks[layer].texel_low) * layer_bricks[layer].texel_scale;
}

/// The texel of a constant brick.
fn layer_constant(layer: u32, entry: u32) -> f32 {
  return layer_texel_of(layer, layer_words[layer_bricks[layer].constants + (entry & 0x7fffffffu)]);
}

/// The least and the greatest texel of a slot. Both are `missing_number` if all of its voxels are missing.
fn layer_slot_range(layer: u32, slot: u32) -> vec2f {
  let at = layer_bricks[layer].ranges + 4u * slot;
  if (layer_words[at + 3u] == 0u) {
    return vec2f(missing_number);
  }
  return vec2f(layer_texel_of(layer, layer_words[at]), layer_texel_of(layer, layer_words[at + 1u]));
}

/// The least and the greatest texel of a cell. @param cell its numbers along x, y, z in the slot
fn layer_cell_range(layer: u32, slot: u32, cell: vec3u) -> vec2f {
  let counts = (layer_bricks[layer].levels[0].brick + paged_cell_voxels - 1u) / paged_cell_voxels;
  let index = ((slot * counts.z + cell.z) * counts.y + cell.y) * counts.x + cell.x;
  let cells = layer_bricks[layer].cells;
  if (layer_bricks[layer].texel_bytes == 4u) {
    return bitcast<vec2f>(vec2u(layer_words[cells + 2u * index], layer_words[cells + 2u * index + 1u]));
  }
  let texels = vec2f(vec2u(layer_words[cells + index] & 0xffffu, layer_words[cells + index] >> 16u));
  return texels / select(65280.0, 255.0, layer_bricks[layer].texel_bytes == 1u);
}

/// The texel in the texture of bricks of a slot's first voxel. @param size of the texture
fn layer_slot_texel(layer: u32, slot: u32, size: vec3u) -> vec3i {
  let texels = paged_texels(layer_bricks[layer].levels[0].brick);
  let across = size.xy / texels.xy;
  let row = slot / across.x;
  let plane = row / across.y;
  return vec3i(vec3u(slot - row * across.x, row - plane * across.y, plane) * texels + paged_apron);
}

/// Records a miss of a brick. @param index in `layer_words`
fn layer_miss(layer: u32, index: u32) {
  let number = index - layer_bricks[layer].table;
  let word = layer_bricks[layer].asked + (number >> 5u);
  let bit = 1u << (number & 31u);
  if ((atomicLoad(&layer_feedback[word]) & bit) != 0u || (atomicOr(&layer_feedback[word], bit) & bit) != 0u) {
    return;
  }
  let misses = layer_bricks[layer].feedback;
  let at = atomicAdd(&layer_feedback[misses], 1u);
  if (at < layer_bricks[layer].most_misses) {
    atomicStore(&layer_feedback[misses + 1u + at], number);
  }
}

/// Records that a slot was used. @param bits 1, and the bits of the faces beyond which samples lay
fn layer_use(layer: u32, slot: u32, bits: u32) {
  let word = layer_bricks[layer].used + slot;
  if ((atomicLoad(&layer_feedback[word]) & bits) != bits) {
    atomicOr(&layer_feedback[word], bits);
  }
}
