// Writes the triangles of a slab's surfaces, as numbers of corners.
//
// One invocation owns the cell below a voxel. Dispatch: ceil(voxels / 256) workgroups, spread over x and y.
//
// Invariants
// 1. A triangle lies where the scan of counts puts it, so the order is always the same.
// 2. A dispatch writes only triangles from `slab.first` up to, not including, `slab.end`.
// 3. A corner has the same number in all of its cells, so triangles of different slabs also share corners.
//
// Twin: `SurfaceBuilder.#emit` in src/core/mesh/surface-builder.ts.

import package::mesh::cells::{case_words, cases, corner_classes, inside_of, load_cell};
import package::mesh::slab::{corners_on, edge_ends, slab};

/// The numbers of corners and triangles before those of each voxel, without plane 0.
@group(0) @binding(3) var<storage, read> corner_offsets: array<u32>;
@group(0) @binding(4) var<storage, read> triangle_offsets: array<u32>;
/// The corner offsets of plane 0, counted in the previous slab.
@group(0) @binding(5) var<storage, read> offsets_below: array<u32>;
/// Three numbers for each triangle.
@group(0) @binding(6) var<storage, read_write> triangles: array<u32>;

/// The number of a corner. `edge` is the lower corner of an edge of the cell below `owner`, + 8 × axis.
fn number_of(owner: u32, edge: u32, own: u32) -> u32 {
  let axis = edge >> 3u;
  // An edge along z belongs to its upper voxel.
  let above = select((edge >> 2u) & 1u, 1u, axis == 2u);
  let voxel = owner - slab.plane + (edge & 1u) + ((edge >> 1u) & 1u) * slab.width + above * slab.plane;
  let ends = edge_ends(voxel, axis);
  var number = select(u32(ends.x != 0u), 0u, ends.x == own);
  for (var before = 0u; before < axis; before++) {
    number += corners_on(edge_ends(voxel, before));
  }
  if (voxel < slab.plane) {
    return slab.base_below + offsets_below[voxel] + number;
  }
  return slab.base + corner_offsets[voxel - slab.plane] + number;
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
  var number = triangle_offsets[index];
  var next = slab.total;
  if (index + 1u < slab.voxel_count) {
    next = triangle_offsets[index + 1u];
  }
  if (number == next || next <= slab.first || number >= slab.end) {
    return;
  }
  let owner = index + slab.plane;
  if (!load_cell(owner)) {
    return;
  }
  for (var corner = 0u; corner < 8u; corner++) {
    let row = inside_of(corner) * case_words;
    let count = cases[row];
    for (var triangle = 0u; triangle < count; triangle++) {
      if (number >= slab.first && number < slab.end) {
        let edges = cases[row + 1u + triangle];
        let to = 3u * (number - slab.first);
        for (var tip = 0u; tip < 3u; tip++) {
          triangles[to + tip] = number_of(owner, extractBits(edges, 8u * tip, 8u), corner_classes[corner]);
        }
      }
      number++;
    }
  }
}
