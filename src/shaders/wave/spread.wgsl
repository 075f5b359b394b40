// Writes the values of a part's elements, with the stand-ins at the sides of rows. src/core/codecs/wave/SPEC.md, 'Outside'.
// One workgroup owns one slab of a part. Dispatch: slabs × parts.
// Twin: `Walk` in src/core/codecs/wave/walk.ts.

import package::wave::places::{margin, pitch_of, row_at};
import package::wave::slabs::{row_threads, share_of, slab_threads};
import package::wave::source::{parts, value_at};

@group(0) @binding(3) var<storage, read_write> values: array<u32>;

@compute @workgroup_size(slab_threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let part = parts[workgroup.y];
  let share = share_of(part, workgroup.x, thread);
  for (var z = share.first_slice; z < share.end_slice; z++) {
    let row = row_at(part, i32(share.y), i32(z)) - margin;
    for (var i = share.first_x; i < pitch_of(part); i += row_threads) {
      let x = i32(i) - i32(margin);
      var source = vec3i(clamp(x, 0, i32(part.extent.x) - 1), i32(share.y), i32(z));
      // The stand-in left of a row is its first element in the slice behind; in slice 0, the first one of the row above; in row 0, none.
      if (x < 0 && z > 0u) { source.z--; }
      if (x < 0 && z == 0u) { source.y = max(source.y - 1, 0); }
      values[row + i] = select(value_at(part, source), 0u, x < 0 && z == 0u && share.y == 0u);
    }
  }
}
