// The places of a part's elements in an encoder: rows with margins, which hold the stand-ins of elements outside the block.
// src/core/codecs/wave/SPEC.md, 'Outside'. Twin: src/core/codecs/wave/walk.ts.

import package::wave::layout::Part;

const margin = 2u;

// A row's words with its margins: a multiple of four, so that rows begin at whole quads.
fn pitch_of(part: Part) -> u32 { return (part.extent.x + 2u * margin + 3u) & ~3u; }

// The word of the first element of a row.
fn row_at(part: Part, y: i32, z: i32) -> u32 {
  return part.scratch + (u32(z) * part.extent.y + u32(y)) * pitch_of(part) + margin;
}

// The word of the prediction, and later of the codes, of a row's first element. These have no margin before them, so that a quad of
// them is a whole one.
fn codes_at(part: Part, y: i32, z: i32) -> u32 { return row_at(part, y, z) - margin; }

fn index_of(part: Part, place: vec3i) -> u32 { return row_at(part, place.y, place.z) + u32(place.x); }

// The words of the neighbours (0, j, k) of an element.
struct Around {
  here: u32,
  up: u32,
  up2: u32,
  behind: u32,
  behind_up: u32,
  behind_down: u32,
  behind_up2: u32,
  behind_down2: u32,
  farther: u32,
  farther_up: u32,
  farther_down: u32,
  // The step to the next element in rows above: 0 in row 0 of slice 0, where the element on the left stands for all of them.
  right: u32,
}

fn around_of(part: Part, place: vec3i) -> Around {
  let last = i32(part.extent.y) - 1;
  let x = u32(place.x);
  let y = place.y;
  let z = place.z;
  let behind = max(z - 1, 0);
  let farther = max(z - 2, 0);
  let up = max(y - 1, 0);
  let up2 = max(y - 2, 0);
  let down = min(y + 1, last);
  let is_first = y == 0 && z == 0;
  let here = row_at(part, y, z) + x;
  // The row above row 0 is row 0 of the slice behind.
  let first_up = row_at(part, up, select(z, behind, y < 1)) + x;
  let first_up2 = row_at(part, up2, select(z, behind, y < 2)) + x;
  return Around(
    here,
    select(first_up, here - 1u, is_first),
    select(first_up2, here - 1u, is_first),
    row_at(part, y, behind) + x,
    row_at(part, up, behind) + x,
    row_at(part, down, behind) + x,
    row_at(part, up2, behind) + x,
    row_at(part, min(y + 2, last), behind) + x,
    row_at(part, y, farther) + x,
    row_at(part, up, farther) + x,
    row_at(part, down, farther) + x,
    select(1u, 0u, is_first),
  );
}
