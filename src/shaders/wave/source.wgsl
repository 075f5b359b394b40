// The elements of a part in an encoder's box. src/core/codecs/wave/SPEC.md, 'A coded part'.

import package::wave::layout::{Box, Part, bits, element_bytes};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> parts: array<Part>;
@group(0) @binding(2) var<storage, read> voxels: array<u32>;
override elements_per_word: u32 = max(1u, 4u / element_bytes);

// The word that contains an element and those after it.
fn word_at(part: Part, x: u32, y: u32, z: u32) -> u32 {
  return voxels[part.first_word + z * box.slice_words + y * box.row_words + x / elements_per_word];
}

fn element_of(part: Part, word: u32, number: u32) -> u32 {
  if (element_bytes == 4u) { return extractBits(word, 16u * part.plane, 16u); }
  return extractBits(word, bits * number, bits);
}

fn element_at(part: Part, place: vec3i) -> u32 {
  let at = vec3u(place);
  return element_of(part, word_at(part, at.x, at.y, at.z), at.x % elements_per_word);
}

// The element minus the lowest one.
fn value_at(part: Part, place: vec3i) -> u32 {
  return (element_at(part, place) - part.lowest) & (0xffffffffu >> (32u - bits));
}
