// Writes chunks without payload, whose elements are all equal or form a ramp.
//
// docs/FORMAT.md, section 'Ramps'. An invocation owns one column of words: one position in x and y, and `segment` slices along z.
// A workgroup owns 256 neighbouring columns.
// Dispatch: chunk_count × pieces_per_chunk workgroups over x and y (core/gpu/commands.ts, spread). A piece is one block of
// columns of one segment, blocks first.
// Invariants:
// 1. Row padding in a row's last word becomes zero.
// 2. Chunks start at whole words and, unless they touch the box's end, stop at whole words. So no word has two writers.
// 3. A modulus is at most 65536, and steps and first element are below it, so no product or sum exceeds 32 bits.
// Twin: core/chunks/ramp.ts, `fillRamp`.

import package::gpu_chunks::pieces::{Box, Chunk};

override workgroup_size: u32 = 256;
/** Slices that one invocation walks along z. */
override segment: u32 = 32;
/** Bits of an element: 8, 16 or 32. */
override bits: u32 = 8;
override word_elements: u32 = 32u / bits;
/** All bits of an element. */
override element_mask: u32 = 0xffffffffu >> (32u - bits);

// A chunk's `last`: a mask of the elements in a row's last word that lie in the chunk.

struct Ramp {
  first: u32,
  step_x: u32,
  step_y: u32,
  step_z: u32,
  modulus: u32,         // 0: 2^bits
}

/** Words of the box, rows padded. */
@group(0) @binding(0) var<storage, read_write> voxels: array<u32>;
/** One per chunk. */
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(2) var<uniform> box: Box;
/** One per chunk. */
@group(0) @binding(3) var<storage, read> ramps: array<Ramp>;

/** A factor reduced so that a product with another one fits. */
fn reduced(factor: u32, modulus: u32) -> u32 {
  if (modulus == 0u) { return factor; }
  return factor % modulus;
}

fn element_at(ramp: Ramp, x: u32, y: u32, z: u32) -> u32 {
  let m = ramp.modulus;
  let sum = ramp.first + reduced(reduced(x, m) * ramp.step_x, m) + reduced(reduced(y, m) * ramp.step_y, m) +
    reduced(reduced(z, m) * ramp.step_z, m);
  return reduced(sum, m) & element_mask;
}

fn next_slice(ramp: Ramp, elements: vec4u) -> vec4u {
  let next = elements + ramp.step_z;
  if (ramp.modulus == 0u) { return next & vec4u(element_mask); }
  return select(next, next - ramp.modulus, next >= vec4u(ramp.modulus));
}

/** Packs a word's elements. Lanes that the word does not have are ignored. */
fn packed(elements: vec4u) -> u32 {
  if (bits == 32u) { return elements.x; }
  if (bits == 16u) { return elements.x | (elements.y << 16u); }
  return elements.x | (elements.y << 8u) | (elements.z << 16u) | (elements.w << 24u);
}

@compute @workgroup_size(workgroup_size)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number / box.pieces_per_chunk >= box.chunk_count) {
    return;
  }
  let chunk = chunks[number / box.pieces_per_chunk];
  let ramp = ramps[number / box.pieces_per_chunk];
  let piece = number % box.pieces_per_chunk;
  let column = (piece % box.column_blocks) * workgroup_size + local;
  if (column >= chunk.row_words * chunk.rows) {
    return;
  }
  let column_x = column % chunk.row_words;
  let first_slice = (piece / box.column_blocks) * segment;
  let end_slice = min(first_slice + segment, chunk.slices);
  let row = column / chunk.row_words;
  let mask = select(0xffffffffu, chunk.last, column_x == chunk.row_words - 1u);
  let first = chunk.first_word + row * box.row_stride + column_x;
  if ((ramp.step_x | ramp.step_y | ramp.step_z) == 0u) {
    for (var slice = first_slice; slice < end_slice; slice++) {
      voxels[first + slice * box.slice_stride] = chunk.value & mask;
    }
    return;
  }
  var elements = vec4u(0u);
  for (var i = 0u; i < word_elements; i++) {
    elements[i] = element_at(ramp, column_x * word_elements + i, row, first_slice);
  }
  for (var slice = first_slice; slice < end_slice; slice++) {
    voxels[first + slice * box.slice_stride] = packed(elements) & mask;
    elements = next_slice(ramp, elements);
  }
}
