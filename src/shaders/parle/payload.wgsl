// The inputs of decoders: a payload's words, and the run starts of a segment. src/core/codecs/parle/SPEC.md, 'Payload'.

import package::parle::segment::{Chunk, bit_words};

@group(0) @binding(3) var<storage, read> payloads: array<u32>;

// One bit per run start.
var<workgroup> wg_bits: array<atomic<u32>, bit_words>;

// 0 outside the chunk's payload.
fn payload_word(chunk: Chunk, at: u32) -> u32 {
  if (at < chunk.payload || at - chunk.payload >= chunk.payload_words) { return 0u; }
  return payloads[at];
}
