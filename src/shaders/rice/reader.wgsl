// Reads a decoder's workgroup memory: a brick's code, later its elements. SPEC.md, 'Decoding'.

import package::bricks::memory::load_word;
import package::bricks::packed::low_bits;
import package::rice::brick::word_at;

// Reads the brick's code from some bit on.
struct Reader { word: u32, used: u32, low: u32, high: u32 }

fn reader_at(bit: u32) -> Reader {
  let word = bit / 32u;
  return Reader(word, bit % 32u, load_word(word), load_word(word + 1u));
}

// The next 32 bits.
fn peek(reader: Reader) -> u32 { return (reader.low >> reader.used) | ((reader.high << 1u) << (31u - reader.used)); }

// `width`: at most 32.
fn skip(reader: ptr<function, Reader>, width: u32) {
  (*reader).used += width;
  if ((*reader).used >= 32u) {
    (*reader).used -= 32u;
    (*reader).word++;
    (*reader).low = (*reader).high;
    (*reader).high = load_word((*reader).word + 1u);
  }
}

// `width`: at most 16.
fn bits_at(bit: u32, width: u32) -> u32 { return peek(reader_at(bit)) & low_bits(width); }

// How and where a group is coded.
struct Coded {
  width: u32,        // of a suffix
  is_rice: bool,
  has_escapes: bool, // whether its brick has any
  suffixes: u32,     // the first bit of the part's suffixes; with elements of 2 bytes, of the group's
  prefixes: u32,
  escapes: u32,
}

// A block's predictor and base.
struct Block { predictor: u32, base: u32 }

// The word that holds an element of the brick.
fn word_with(element: vec3u) -> u32 { return load_word(word_at(element)); }
