// Elements of a part in the box of an encoder. src/core/codecs/wave/SPEC.md, 'Outside'.
// Twin: src/core/codecs/wave/walk.ts, which keeps margins instead.

import package::wave::layout::{Box, Part, bits, element_bytes};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> parts: array<Part>;
@group(0) @binding(2) var<storage, read> voxels: array<u32>;
override elements_per_word: u32 = max(1u, 4u / element_bytes);

fn element_at(part: Part, place: vec3i) -> u32 {
  let at = vec3u(place);
  let word = voxels[part.first_word + at.z * box.slice_words + at.y * box.row_words + at.x / elements_per_word];
  if (element_bytes == 4u) { return extractBits(word, 16u * part.plane, 16u); }
  return extractBits(word, bits * (at.x % elements_per_word), bits);
}

// The element minus the lowest one.
fn value_at(part: Part, place: vec3i) -> u32 {
  return (element_at(part, place) - part.lowest) & (0xffffffffu >> (32u - bits));
}

// The stand-in of a neighbour; its x is negative if there is none.
fn stand_in(part: Part, place: vec3i, offset: vec3i) -> vec3i {
  var other = place + offset;
  if (place.z == 0 && place.y == 0 && offset.y < 0) { other = vec3i(place.x - 1, 0, 0); }
  if (other.y < 0) {
    other.y = 0;
    if (offset.z == 0 && place.z > 0) { other.z--; }
  }
  other.y = min(other.y, i32(part.extent.y) - 1);
  other.z = max(other.z, 0);
  if (other.x < 0) {
    if (other.z > 0) {
      other = vec3i(0, other.y, other.z - 1);
    } else if (other.y > 0) {
      other = vec3i(0, other.y - 1, 0);
    }
  }
  other.x = min(other.x, i32(part.extent.x) - 1);
  return other;
}

fn neighbour_value(part: Part, place: vec3i, offset: vec3i) -> u32 {
  let other = stand_in(part, place, offset);
  if (other.x < 0) { return 0u; }
  return value_at(part, other);
}

fn is_special(part: Part, value: u32) -> bool {
  return (part.specials > 0u && value == part.special.x) || (part.specials > 1u && value == part.special.y);
}
