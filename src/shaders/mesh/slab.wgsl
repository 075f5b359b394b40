// A slab of classified voxels, and the corners of surfaces on its edges.
//
// A slab's planes have a border of one voxel on each side, which is outside. Plane 0 is the last plane of the previous slab. An *edge* runs
// from its voxel along x or y, or along z from the plane below to its voxel; that voxel owns the edge. If the classes at its two ends differ,
// the surfaces of both classes have a corner on it. Corners are numbered by owner (x fastest, then y, z), then by axis, then the lower end's first.

struct Slab {
  /// Voxels along x and in a plane, with the border.
  width: u32,
  plane: u32,
  /// Without plane 0.
  voxel_count: u32,
  /// The number of the first corner of the slab, and of the previous slab.
  base: u32,
  base_below: u32,
  /// The range of corners or triangles that a dispatch writes, counted within the slab, and the total number in the slab.
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
