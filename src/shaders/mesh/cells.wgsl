// The cells of a slab: marching cubes for several surfaces at once. A cell belongs to the voxel above its first corner, so that the cells
// of a slab are those below its voxels. Corners of a cell are 0 to 7: x is bit 0, y bit 1, z bit 2.

import package::mesh::slab::{classes, slab};

/// For each of the 256 sets of corners inside: the number of triangles, then the triangles (see `cubeCaseWords`).
@group(0) @binding(2) var<storage, read> cases: array<u32>;

const case_words = 8u;

/// The classes at the corners of the cell below a voxel.
var<private> corner_classes: array<u32, 8>;

/// Loads the cell below the voxel `owner`. False if no surface crosses it.
fn load_cell(owner: u32) -> bool {
  let in_plane = owner % slab.plane;
  if (in_plane + slab.width >= slab.plane || in_plane % slab.width == slab.width - 1u) {
    return false;
  }
  var is_crossed = false;
  for (var corner = 0u; corner < 8u; corner++) {
    let at = owner - slab.plane + (corner & 1u) + ((corner >> 1u) & 1u) * slab.width + (corner >> 2u) * slab.plane;
    corner_classes[corner] = classes[at];
    is_crossed = is_crossed || corner_classes[corner] != corner_classes[0];
  }
  return is_crossed;
}

/// The set of corners inside the surface of the class at a corner. 0 if that class is outside, or an earlier corner has the same class.
fn inside_of(corner: u32) -> u32 {
  let own = corner_classes[corner];
  if (own == 0u) {
    return 0u;
  }
  var inside = 0u;
  for (var other = 0u; other < 8u; other++) {
    inside |= select(0u, 1u << other, corner_classes[other] == own);
  }
  return select(0u, inside, firstTrailingBit(inside) == corner);
}
