// Elements of a part in the box of an encoder. src/core/codecs/wave/SPEC.md, 'A coded part'.

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
