// What decoders know of a chunk, its sections and its tiles. No entry point: kernels.ts puts it behind tile.wgsl.
// src/core/codecs/huffman/SPEC.md, 'Payload'.

struct Chunk {
  byte_offset: u32,   // where the payload starts
  byte_length: u32,
  length: u32,        // bytes that it decodes to
  symbols_word: u32,  // where its symbols stand in `symbols`
  first_tile: u32,    // its slots for tiles
  tile_slots: u32,
  first_word: u32,    // word of its origin in the target
  size_x: u32,        // in elements
  size_y: u32,
  size_z: u32,
  first_piece: u32,   // of scatter.wgsl
  unused: u32,
}

// A section of a payload: slot `max_sections × chunk + number`.
struct Slot {
  kind: u32,
  length: u32,        // in symbols
  symbols_word: u32,
  body: u32,          // byte where the body starts; of a single section its symbol
}

// A tile of a section: `slot` is no_slot where a chunk has fewer tiles than slots.
struct Place { slot: u32, number: u32, byte_offset: u32, byte_length: u32 }

const no_slot = 0xffffffffu;
const kind_none = 3u;

// A section's code for decoding: its symbols in the order of their codes, four a word, then for each length 0 to 12 how
// many codes are not longer.
const code_words = 80u;
const code_sums = 64u;

// Whether a chunk's symbols, four a word, are the words of its rows: then they are decoded to where they belong.
fn is_direct(chunk: Chunk, first_slot: Slot, element_bytes: u32) -> bool {
  return element_bytes == 1u && chunk.size_x % 4u == 0u && first_slot.length == chunk.length;
}
