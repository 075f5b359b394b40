// How decoders describe chunks, sections and tiles. src/core/codecs/huffman/SPEC.md, 'Payload'.

struct Chunk {
  byte_offset: u32,   // where the payload starts
  byte_length: u32,
  length: u32,        // bytes that it decodes to
  symbols_word: u32,  // where its symbols start in `symbols`
  first_tile: u32,    // its number of tile slots
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
  body: u32,          // byte where the body starts; in a section with a single symbol, that symbol
}

// A tile of a section. `slot` is no_slot for unused tile slots.
struct Place { slot: u32, number: u32, byte_offset: u32, byte_length: u32 }

const no_slot = 0xffffffffu;
const kind_none = 3u;

// A section's code for decoding: its symbols in the order of their codes, four per word; then, for each length from 0 to 12, the
// number of codes up to it.
const code_words = 80u;
const code_sums = 64u;

// Whether a chunk's symbols, four per word, are the words of its rows. They are then decoded straight into the target.
fn is_direct(chunk: Chunk, first_slot: Slot, element_bytes: u32) -> bool {
  return element_bytes == 1u && chunk.size_x % 4u == 0u && first_slot.length == chunk.length;
}
