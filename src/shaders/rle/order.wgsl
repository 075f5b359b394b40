// Scan order: how a chunk's columns lie in the words of a box. No entry point: kernels.ts puts it in front of the others.
// src/core/codecs/rle/SPEC.md, 'Scan order'. Twin: src/core/codecs/rle/order.ts.
//
// Columns along y or z: word `w` of row `b` holds `per_word` neighbouring columns, and `step` words lead from one element
// to the next. Columns along x need no case of their own: scan order is then memory order, which is that of columns of
// length 1, where `b` counts the rows of all slices.

override element_bytes: u32 = 1u;
override per_word: u32 = 4u / element_bytes;
override element_bits: u32 = 8u * element_bytes;
override element_mask: u32 = 0xffffffffu >> (32u - 8u * element_bytes);

// Invocations in a workgroup. Few, so that barriers are cheap: with 64, each has 16 words of a tile of bytes to do.
const threads = 64u;
// The elements under one byte of level 3: SPEC.md, 'Bitmap tree'.
const tile_elements = 4096u;

struct Box { row_words: u32, slice_words: u32, tile_count: u32, chunk_count: u32 }

struct Chunk {
  origin: vec3u,     // in elements
  axis: u32,
  shape: vec3u,      // in elements
  first_tile: u32,
  byte_offset: u32,  // where the payload starts
  byte_length: u32,
  unused_0: u32,
  unused_1: u32,
  sections: vec4u,   // encoder: the bytes where level 2, 1, 0 and the values start
}

struct Order {
  first_word: u32,   // word of the chunk's origin
  size_x: u32,
  row_words: u32,    // words in a row of the chunk
  count: u32,        // elements in the chunk
  length: u32,       // elements in a column
  step: u32,         // words from one element of a column to the next
  rows: u32,         // row b starts (b % rows) × low + (b / rows) × high words behind first_word
  low: u32,
  high: u32,
}

fn order_of(chunk: Chunk, box: Box) -> Order {
  var order: Order;
  order.first_word = chunk.origin.z * box.slice_words + chunk.origin.y * box.row_words + chunk.origin.x / per_word;
  order.size_x = chunk.shape.x;
  order.row_words = (chunk.shape.x + per_word - 1u) / per_word;
  order.count = chunk.shape.x * chunk.shape.y * chunk.shape.z;
  order.length = 1u;
  order.rows = 1u;
  switch (chunk.axis) {
    case 1u: {
      order.length = chunk.shape.y;
      order.step = box.row_words;
      order.high = box.slice_words;
    }
    case 2u: {
      order.length = chunk.shape.z;
      order.step = box.slice_words;
      order.high = box.row_words;
    }
    default: {
      order.rows = chunk.shape.y;
      order.low = box.row_words;
      order.high = box.slice_words;
    }
  }
  return order;
}

// The word where the columns of row `b` start.
fn row_start(order: Order, b: u32) -> u32 {
  if (order.rows == 1u) { return order.first_word + b * order.high; }
  let slice = b / order.rows;
  return order.first_word + (b - slice * order.rows) * order.low + slice * order.high;
}

// What a workgroup visits to meet each element of its tile: `column_words` words that hold columns, and `steps` elements
// of each column, from `first_step` on and round at the column's end. It meets elements of other tiles, too: skip those.
struct Walk {
  first_element: u32,
  count: u32,
  first_column_word: u32,
  column_words: u32,
  first_step: u32,
  steps: u32,
  // The words hold nothing but the tile's elements.
  whole: bool,
}

fn column_word(order: Order, column: u32) -> u32 {
  return (column / order.size_x) * order.row_words + (column % order.size_x) / per_word;
}

fn walk_of(order: Order, tile_in_chunk: u32) -> Walk {
  var walk: Walk;
  walk.first_element = tile_in_chunk * tile_elements;
  walk.count = min(tile_elements, order.count - walk.first_element);
  let first_column = walk.first_element / order.length;
  let last_column = (walk.first_element + walk.count - 1u) / order.length;
  walk.first_column_word = column_word(order, first_column);
  walk.column_words = column_word(order, last_column) - walk.first_column_word + 1u;
  walk.first_step = walk.first_element - first_column * order.length;
  walk.steps = min(order.length, walk.count);
  let elements_per_column_word = order.length * per_word;
  walk.whole = order.size_x % per_word == 0u && walk.first_element % elements_per_column_word == 0u &&
    walk.count % elements_per_column_word == 0u;
  return walk;
}

// One invocation's share of a walk: every `width`-th column word from `lane` on, and steps from `first` to `end` of each.
// Neighbouring invocations own neighbouring words.
struct Share { lane: u32, width: u32, first: u32, end: u32 }

fn share_of(walk: Walk, thread: u32) -> Share {
  let width = min(walk.column_words, threads);
  let groups = threads / width;
  let steps_per_group = (walk.steps + groups - 1u) / groups;
  let group = thread / width;
  // The invocations behind the last whole group get first ≥ steps, so nothing.
  let first = group * steps_per_group;
  return Share(thread - group * width, width, first, min(walk.steps, first + steps_per_group));
}

// The columns in one word.
struct Columns {
  row: u32,           // row b
  word: u32,          // word w of the row
  start: u32,         // where the word of their first elements lies
  first_element: u32, // number of the first column's first element, from the tile's first one on (it may wrap around)
  count: u32,
}

fn columns_of(order: Order, walk: Walk, lane: u32) -> Columns {
  let number = walk.first_column_word + lane;
  var columns: Columns;
  columns.row = number / order.row_words;
  columns.word = number - columns.row * order.row_words;
  columns.start = row_start(order, columns.row) + columns.word;
  columns.first_element =
    (columns.row * order.size_x + columns.word * per_word) * order.length - walk.first_element;
  columns.count = min(per_word, order.size_x - columns.word * per_word);
  return columns;
}
