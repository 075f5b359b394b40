// What a decoder reads in workgroup memory: a brick's bits, later its elements. SPEC.md, 'Decoding'.

import package::bricks::memory::load_word;
import package::bricks::packed::low_bits;
import package::rice::brick::word_at;

// The brick's bits from one place on.
struct Reader { word: u32, used: u32, low: u32, high: u32 }

fn reader_at(bit: u32) -> Reader {
  let word = bit / 32u;
  return Reader(word, bit % 32u, load_word(word), load_word(word + 1u));
}

// The next 32 bits.
fn peek(reader: Reader) -> u32 { return (reader.low >> reader.used) | ((reader.high << 1u) << (31u - reader.used)); }

// `width`: 32 at most.
fn skip(reader: ptr<function, Reader>, width: u32) {
  (*reader).used += width;
  if ((*reader).used >= 32u) {
    (*reader).used -= 32u;
    (*reader).word++;
    (*reader).low = (*reader).high;
    (*reader).high = load_word((*reader).word + 1u);
  }
}

// `width` bits, 16 at most.
fn bits_at(bit: u32, width: u32) -> u32 { return peek(reader_at(bit)) & low_bits(width); }

// Where a group's bits are, and what they mean.
struct Coded {
  width: u32,        // of a suffix
  is_rice: bool,
  has_escapes: bool, // of its brick
  suffixes: u32,     // the bits where its parts start; of its suffixes, with elements of 2 bytes, the group itself
  prefixes: u32,
  escapes: u32,
}

// The predictor of a block, and its base.
struct Block { predictor: u32, base: u32 }

// The word that holds an element of the brick.
fn word_with(element: vec3u) -> u32 { return load_word(word_at(element)); }
