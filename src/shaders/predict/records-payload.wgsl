// Where places.wgsl finds units in a decoder: in the payloads. No entry point: kernels.ts puts it in front of it.

@group(0) @binding(4) var<storage, read> payloads: array<u32>;

// `place`: of its first block's predictor.
fn is_unit_flat(chunk: Chunk, place: u32, unit: u32) -> bool {
  return ((payloads[chunk.payload_word + place / 4u] >> (8u * (place % 4u))) & 0xffu) == flat_mark;
}

// One word of a unit's classes. `at`: word of these in the section.
fn class_word(chunk: Chunk, at: u32, unit: u32, word: u32) -> u32 {
  let fixed = fixed_words(chunk);
  return payloads[chunk.payload_word + fixed.x + fixed.y + at + word];
}
