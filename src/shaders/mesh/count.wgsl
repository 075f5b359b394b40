// Counts the corners on the edges of each voxel of a slab, and the triangles in the cell below it.
//
// One invocation owns a voxel. Dispatch: ceil(voxels / 256) workgroups, spread over x and y.
//
// Twin: `SurfaceBuilder.#march` in src/core/mesh/surface-builder.ts.

import package::mesh::cells::{case_words, cases, inside_of, load_cell};
import package::mesh::slab::{corners_on, edge_ends, slab};

/// For each voxel but those of plane 0.
@group(0) @binding(3) var<storage, read_write> corner_counts: array<u32>;
@group(0) @binding(4) var<storage, read_write> triangle_counts: array<u32>;

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
  let owner = index + slab.plane;
  corner_counts[index] = corners_on(edge_ends(owner, 0u)) + corners_on(edge_ends(owner, 1u)) + corners_on(edge_ends(owner, 2u));
  var triangles = 0u;
  if (load_cell(owner)) {
    for (var corner = 0u; corner < 8u; corner++) {
      triangles += cases[inside_of(corner) * case_words];
    }
  }
  triangle_counts[index] = triangles;
}
