// Writes the corners of a slab's surfaces: their edges and, for surfaces at a level, the values at both ends of the edge. The CPU
// interpolates between these with 64-bit floats, as it does without a GPU.
//
// One invocation owns a voxel. Dispatch: ceil(voxels / 256) workgroups, spread over x and y.
//
// Invariants
// 1. A corner lies where the scan of counts puts it, so the order is always the same.
// 2. A dispatch writes only corners from `slab.first` up to, not including, `slab.end`.
//
// Twin: `SurfaceBuilder.#cut` in src/core/mesh/surface-builder.ts.

import package::mesh::slab::{edge_ends, slab};
import constants::value_words;

/// The number of corners before those of each voxel, without plane 0.
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
/// For each corner: its owner in the slab; axis + 4 × class; and the value at the lower and at the upper end.
@group(0) @binding(3) var<storage, read_write> corners: array<u32>;
/// `value_words` words for each voxel of the slab.
@if(keeps_values) @group(0) @binding(4) var<storage, read> values: array<u32>;

@if(keeps_values) fn put_value(to: u32, voxel: u32) {
  for (var word = 0u; word < value_words; word++) {
    corners[to + word] = values[voxel * value_words + word];
  }
}

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let index = (group.x + group.y * groups.x) * 256u + local;
  if (index >= slab.voxel_count) {
    return;
  }
  var number = offsets[index];
  var next = slab.total;
  if (index + 1u < slab.voxel_count) {
    next = offsets[index + 1u];
  }
  if (number == next || next <= slab.first || number >= slab.end) {
    return;
  }
  let owner = index + slab.plane;
  let words = 2u + 2u * value_words;
  for (var axis = 0u; axis < 3u; axis++) {
    let ends = edge_ends(owner, axis);
    if (ends.x == ends.y) {
      continue;
    }
    for (var end = 0u; end < 2u; end++) {
      let own = ends[end];
      if (own == 0u) {
        continue;
      }
      if (number >= slab.first && number < slab.end) {
        let to = (number - slab.first) * words;
        corners[to] = owner;
        corners[to + 1u] = axis | (own << 2u);
        @if(keeps_values) put_value(to + 2u, select(owner, owner - slab.plane, axis == 2u));
        @if(keeps_values) put_value(to + 2u + value_words, select(select(owner + slab.width, owner + 1u, axis == 0u), owner, axis == 2u));
      }
      number++;
    }
  }
}
