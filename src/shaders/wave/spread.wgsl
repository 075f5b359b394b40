// Writes the values of a part's elements, with the stand-ins at the sides of rows. src/core/codecs/wave/SPEC.md, 'Outside'.
// One workgroup owns one slab of a part. Dispatch: slabs × parts.
// Twin: `Walk` in src/core/codecs/wave/walk.ts.

import package::wave::places::{margin, pitch_of, row_at};
import package::wave::slabs::{slab_of, slab_threads};
import package::wave::source::{parts, value_at};

@group(0) @binding(3) var<storage, read_write> values: array<u32>;

@compute @workgroup_size(slab_threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let part = parts[workgroup.y];
  let slab = slab_of(part, workgroup.x);
  let pitch = pitch_of(part);
  let count = pitch * slab.extent.x * slab.extent.y;
  for (var i = thread; i < count; i += slab_threads) {
    let row = i / pitch;
    let y = i32(slab.first.x + row % slab.extent.x);
    let z = i32(slab.first.y + row / slab.extent.x);
    let x = i32(i % pitch) - i32(margin);
    var source = vec3i(clamp(x, 0, i32(part.extent.x) - 1), y, z);
    // Left of a row is its first element in the slice behind; in slice 0 that of the row above; in row 0 nothing.
    if (x < 0 && z > 0) { source.z--; }
    if (x < 0 && z == 0) { source.y = max(y - 1, 0); }
    values[row_at(part, y, z) - margin + i % pitch] = select(value_at(part, source), 0u, x < 0 && z == 0 && y == 0);
  }
}
