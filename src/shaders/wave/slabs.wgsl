// How a part is cut into slabs for kernels that take elements in any order: 8 rows of up to 16 slices.

import package::wave::layout::Part;

const slab_threads = 256u;
const slab_rows = 8u;
const slab_slices = 16u;

struct Slab {
  first: vec2u, // row and slice
  extent: vec2u,
  count: u32,   // elements; 0 after the last slab
}

fn slab_of(part: Part, number: u32) -> Slab {
  let across = (part.extent.y + slab_rows - 1u) / slab_rows;
  let first = vec2u(slab_rows * (number % across), slab_slices * (number / across));
  if (first.y >= part.extent.z) { return Slab(first, vec2u(0u), 0u); }
  let extent = min(vec2u(slab_rows, slab_slices), part.extent.yz - first);
  return Slab(first, extent, part.extent.x * extent.x * extent.y);
}

fn place_in(part: Part, slab: Slab, i: u32) -> vec3i {
  let row = i / part.extent.x;
  return vec3i(vec3u(i % part.extent.x, slab.first + vec2u(row % slab.extent.x, row / slab.extent.x)));
}
