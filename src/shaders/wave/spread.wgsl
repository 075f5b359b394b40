// Writes the values of a part's elements, with the stand-ins at the sides of rows. src/core/codecs/wave/SPEC.md, 'Outside'.
// One workgroup owns one slab of a part. Dispatch: slabs × parts.
// Twin: `Walk` in src/core/codecs/wave/walk.ts.

import package::wave::layout::Part;
import package::wave::places::{margin, pitch_of, row_at};
import package::wave::slabs::{row_step, share_of, slab_threads};
import package::wave::source::{parts, value_at};

@group(0) @binding(3) var<storage, read_write> values: array<vec4u>;

// The value of a place that may be outside the row.
fn value_near(part: Part, x: i32, y: i32, z: i32) -> u32 {
  var source = vec3i(clamp(x, 0, i32(part.extent.x) - 1), y, z);
  // The stand-in left of a row is its first element in the slice behind; in slice 0, the first one of the row above; in row 0, none.
  if (x < 0) {
    if (z == 0 && y == 0) { return 0u; }
    source = vec3i(0, select(y, y - 1, z == 0), max(z - 1, 0));
  }
  return value_at(part, source);
}

@compute @workgroup_size(slab_threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let part = parts[workgroup.y];
  let share = share_of(part, workgroup.x, thread);
  for (var z = share.first_slice; z < share.end_slice; z++) {
    let row = row_at(part, i32(share.y), i32(z)) - margin;
    for (var i = share.first_x; i < pitch_of(part); i += row_step) {
      let place = vec3i(vec3u(i, share.y, z));
      let x = place.x - i32(margin);
      values[(row + i) / 4u] = vec4u(
        value_near(part, x, place.y, place.z), value_near(part, x + 1, place.y, place.z), value_near(part, x + 2, place.y, place.z),
        value_near(part, x + 3, place.y, place.z),
      );
    }
  }
}
