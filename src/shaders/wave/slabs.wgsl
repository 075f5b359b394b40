// The division of a part into slabs, for kernels that process elements in any order: 16 rows of up to 16 slices. An invocation has one
// row of each slice, and every 16th quad of that row.

import package::wave::layout::Part;

const slab_threads = 256u;
const slab_rows = 16u;
const slab_slices = 16u;
const row_threads = slab_threads / slab_rows;
// The step from an invocation's quad to its next one, in elements.
const row_step = 4u * row_threads;

struct Share {
  y: u32,
  first_slice: u32,
  end_slice: u32, // one past the last; at most `first_slice` if there is nothing to do
  first_x: u32,
}

fn share_of(part: Part, slab: u32, thread: u32) -> Share {
  let across = (part.extent.y + slab_rows - 1u) / slab_rows;
  let y = slab_rows * (slab % across) + thread / row_threads;
  let first = slab_slices * (slab / across);
  let end = select(0u, min(first + slab_slices, part.extent.z), y < part.extent.y);
  return Share(y, first, end, 4u * (thread % row_threads));
}
