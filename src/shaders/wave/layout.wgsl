// Parts and the elements of their planes. src/core/codecs/wave/SPEC.md, 'Blocks and parts'. Twin: src/core/codecs/wave/layout.ts.

override element_bytes: u32 = 1u;
override bits: u32 = min(16u, 8u * element_bytes);
// The number of fractional bits of predictions.
override fraction: u32 = select(2u, 4u, element_bytes == 1u);

const lane_count = 64u;
const kind_one_value = 0u;
const kind_raw = 1u;
const kind_coded = 2u;

// The layout of the rows of a box, and the parts of a dispatch.
struct Box { row_words: u32, slice_words: u32, first_part: u32, part_count: u32 }

// One plane of one block.
struct Part {
  extent: vec3u,
  first_word: u32,  // word of the block's origin in the box
  plane: u32,
  chunk: u32,
  number: u32,      // its number among the chunk's parts
  parts: u32,       // number of the chunk's parts
  byte_offset: u32, // where the chunk's payload starts
  byte_length: u32,
  scratch: u32,     // word where an encoder's predictions start, one word an element
  slots: u32,       // word where an encoder's lanes start
  slot_words: u32,  // of one lane
  lowest: u32,
  range: u32,
  specials: u32,    // how many
  special: vec2u,
}
