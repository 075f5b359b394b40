// Sections, tiles and segments. src/core/codecs/huffman/SPEC.md, 'Tiles'. layout.ts and code.ts define the same numbers.

const max_code_bits = 12u;
const segments_per_tile = 128u;
const tile_symbols = 32768u;
const tile_words = 8192u;
// Words of a table: its length in bytes, then its bytes.
const table_words = 33u;
const max_sections = 16u;

// SPEC.md: Kinds: 0 is plain, 1 is single, 2 is coded.
const kind_plain = 0u;
const kind_single = 1u;
const kind_coded = 2u;

// The section of a tile that is not used.
const no_section = 0xffffffffu;

// A chunk in an encoder, with room for its sections and tiles.
struct EncodedChunk {
  shape: vec3u,        // in elements
  first_word: u32,     // word of its origin in its box
  byte_offset: u32,    // where the payload starts
  byte_length: u32,    // 0: the chunk is not written
  first_section: u32,
  section_slots: u32,
  first_tile: u32,
  tile_slots: u32,
  symbols_word: u32,   // where its symbols start in `symbols`
  unused: u32,
}

struct Section {
  first_word: u32,     // word of the chunk's origin in its box
  size_x: u32,         // of the chunk, in elements
  size_y: u32,
  first_element: u32,  // number of the section's first element in its chunk
  plane: u32,          // which byte of the elements
  length: u32,         // in symbols; 0 if the section is not used
  symbols_word: u32,   // where they start in `symbols`
  first_tile: u32,
  chunk: u32,          // its number
  // From lay-out.wgsl. Bytes are relative to the payload's start.
  kind: u32,
  header: u32,         // byte where the section's varint goes; in a chunk's first section, the byte of the count before it
  header_value: u32,
  section_count: u32,  // the chunk's sections, in its first section; otherwise 0
  body: u32,           // byte where the section's body starts
  directory: u32,      // byte where its tiles' lengths start
  unused: u32,
}

// Length in bytes of the varint for a section of this length.
fn varint_length(length: u32) -> u32 {
  var count = 1u;
  for (var rest = 4u * length + 3u; rest >= 128u; rest /= 128u) { count++; }
  return count;
}

// One tile: its segments, and its words of four symbols, of which the last may have fewer.
struct Tile { number: u32, first_word: u32, symbols: u32, words: u32, segments: u32 }

fn tile_of(number: u32, length: u32, symbols_word: u32) -> Tile {
  let symbols = min(tile_symbols, length - number * tile_symbols);
  return Tile(number, symbols_word + number * tile_words, symbols, (symbols + 3u) / 4u, (symbols + 255u) / 256u);
}
