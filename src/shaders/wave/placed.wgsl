// The chunks of a dispatch, and where their payloads go.

struct Chunk {
  shape: vec3u,
  first_part: u32,
  parts: u32,
  // Set by src/shaders/codec/places.wgsl. The length is 0 if nothing is written.
  byte_offset: u32,
  byte_length: u32,
}

// The bytes of the lengths before a payload's parts.
fn directory_bytes(parts: u32) -> u32 { return 4u * (parts - 1u); }
