// A slab of classified voxels, and the corners of surfaces on its edges.
//
// A slab holds planes with one more voxel on each side, which is outside. Plane 0 is the last plane of the slab before. An *edge* leads
// from a voxel along x or y, or along z from the plane below to it; that voxel owns it. Where the classes at both ends differ, the
// surfaces of both have a corner there. Corners are numbered by owner (x fastest, then y, z), then by axis, then the lower end's first.

struct Slab {
  /// Voxels along x and in a plane, with those outside.
  width: u32,
  plane: u32,
  /// Without plane 0.
  voxel_count: u32,
  /// The number of the slab's first corner, and that of the slab before.
  base: u32,
  base_below: u32,
  /// What a dispatch writes, counted within the slab; and how many there are.
  first: u32,
  end: u32,
  total: u32,
}
@group(0) @binding(0) var<uniform> slab: Slab;
/// As classify.wgsl writes them.
@group(0) @binding(1) var<storage, read> classes: array<u32>;

/// The classes at the ends of an edge of the voxel `owner`, the lower end first. They are equal where the slab ends.
fn edge_ends(owner: u32, axis: u32) -> vec2u {
  let own = classes[owner];
  if (axis == 2u) {
    return vec2u(classes[owner - slab.plane], own);
  }
  let in_plane = owner % slab.plane;
  if (axis == 1u) {
    if (in_plane + slab.width >= slab.plane) {
      return vec2u(own);
    }
    return vec2u(own, classes[owner + slab.width]);
  }
  if (in_plane % slab.width == slab.width - 1u) {
    return vec2u(own);
  }
  return vec2u(own, classes[owner + 1u]);
}

fn corners_on(ends: vec2u) -> u32 {
  return select(u32(ends.x != 0u) + u32(ends.y != 0u), 0u, ends.x == ends.y);
}
