// What decoders read: words of a payload, and the starts of a segment's runs. src/core/codecs/parle/SPEC.md, 'Payload'.

import package::parle::segment::{Chunk, bit_words};

@group(0) @binding(3) var<storage, read> payloads: array<u32>;

// A bit for each run start.
var<workgroup> wg_bits: array<atomic<u32>, bit_words>;

// 0 outside of the chunk's payload.
fn payload_word(chunk: Chunk, at: u32) -> u32 {
  if (at < chunk.payload || at >= chunk.payload_end) { return 0u; }
  return payloads[at];
}
