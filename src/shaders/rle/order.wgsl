// Scan order: how a chunk's columns lie in the words of a box. src/core/codecs/rle/SPEC.md, 'Scan order'. Twin:
// src/core/codec/scan-order.ts.
//
// Columns along y or z: word `w` of row `b` holds `per_word` neighbouring columns, and elements of a column are `step` words
// apart. Columns along x need no special case: their scan order is memory order, which is that of columns of length 1 where `b`
// counts the rows of all slices.

override element_bytes: u32 = 1u;
override per_word: u32 = 4u / element_bytes;
override element_bits: u32 = 8u * element_bytes;
override element_mask: u32 = 0xffffffffu >> (32u - 8u * element_bytes);

// Invocations in a workgroup. Few, so that barriers are cheap.
const threads = 64u;
// The invocations that share a tile. Fewer than 64, because most parts of a tile have few runs or none.
const lanes = 32u;
const tiles_at_once = threads / lanes;
// The elements under one byte of level 3: SPEC.md, 'Bitmap tree'.
const tile_elements = 4096u;
// Marks a tile in which no run starts. Stored by scan.wgsl.
const no_runs = 0xffffffffu;
// Steps of one column word for each lane, in tiles of whole columns along y or z with at least that many steps.
override whole_steps: u32 = tile_elements / lanes / per_word;

// An invocation: lane `lane` of tile `tile`, which is number `slot` of the workgroup.
struct Lane { tile: u32, slot: u32, lane: u32 }

fn lane_of(thread: u32, workgroup: vec3u, workgroups: vec3u) -> Lane {
  let slot = thread / lanes;
  return Lane((workgroup.x + workgroup.y * workgroups.x) * tiles_at_once + slot, slot, thread % lanes);
}

struct Box { row_words: u32, slice_words: u32, tile_count: u32, chunk_count: u32 }

// A chunk, with everything that can be computed once, because integer divisions are slow.
struct Chunk {
  shape: vec3u,      // in elements
  first_word: u32,   // word of the chunk's origin
  row_words: u32,    // words in a row of the chunk
  count: u32,        // elements in the chunk
  length: u32,       // elements in a column
  step: u32,         // words from one element of a column to the next
  rows: u32,         // row b starts (b % rows) × low + (b / rows) × high words after first_word
  low: u32,
  high: u32,
  first_tile: u32,
  byte_offset: u32,  // where the payload starts
  byte_length: u32,
  tile_words: u32,   // words that hold columns in each tile, a power of 2; 0 if tiles cut words or columns
  column_words: u32, // words that hold columns in the chunk
  sections: vec4u,   // encoder: the bytes where level 2, 1, 0 and the values start
}

// The word where the columns of row `b` start.
fn row_start(order: Chunk, b: u32) -> u32 {
  if (order.rows == 1u) { return order.first_word + b * order.high; }
  let slice = b / order.rows;
  return order.first_word + (b - slice * order.rows) * order.low + slice * order.high;
}

// How a tile's lanes visit all of its elements: `column_words` words that hold columns, and `steps` elements of each column from
// `first_step` on, wrapping around at the column's end. They also meet elements of other tiles, which must be skipped.
struct Walk {
  first_element: u32,
  count: u32,
  first_column_word: u32,
  column_words: u32,
  first_step: u32,
  steps: u32,
  // The words hold only the tile's elements.
  whole: bool,
}

fn column_word(order: Chunk, column: u32) -> u32 {
  return (column / order.shape.x) * order.row_words + (column % order.shape.x) / per_word;
}

fn walk_of(order: Chunk, tile: u32) -> Walk {
  var walk: Walk;
  let number = tile - order.first_tile;
  walk.first_element = number * tile_elements;
  walk.count = min(tile_elements, order.count - walk.first_element);
  walk.whole = order.tile_words > 0u;
  if (walk.whole) {
    walk.first_column_word = number * order.tile_words;
    walk.column_words = min(order.tile_words, order.column_words - walk.first_column_word);
    walk.first_step = 0u;
    walk.steps = order.length;
    return walk;
  }
  let first_column = walk.first_element / order.length;
  let last_column = (walk.first_element + walk.count - 1u) / order.length;
  walk.first_column_word = column_word(order, first_column);
  walk.column_words = column_word(order, last_column) - walk.first_column_word + 1u;
  walk.first_step = walk.first_element - first_column * order.length;
  walk.steps = min(order.length, walk.count);
  return walk;
}

// A lane's share of a walk: every `width`-th column word from `lane` on, and steps `first` to `end` of each. Neighbouring lanes
// own neighbouring words.
struct Share { lane: u32, width: u32, first: u32, end: u32 }

fn share_of(order: Chunk, walk: Walk, lane: u32) -> Share {
  if (walk.whole) {
    let width = min(order.tile_words, lanes);
    let first = (lane >> countTrailingZeros(width)) * whole_steps;
    return Share(lane & (width - 1u), width, first, min(order.length, first + whole_steps));
  }
  let width = min(walk.column_words, lanes);
  let groups = lanes / width;
  let steps_per_group = (walk.steps + groups - 1u) / groups;
  let group = lane / width;
  // For lanes after the last full group first ≥ steps, so they do nothing.
  let first = group * steps_per_group;
  return Share(lane - group * width, width, first, min(walk.steps, first + steps_per_group));
}

// The columns in one word.
struct Columns {
  row: u32,           // row b
  word: u32,          // word w of the row
  start: u32,         // where the word of their first elements lies
  first_element: u32, // number of the first column's first element, relative to the tile's first (it may wrap around)
  count: u32,
}

fn columns_of(order: Chunk, walk: Walk, lane: u32) -> Columns {
  let number = walk.first_column_word + lane;
  let row = number / order.row_words;
  return columns_at(order, walk, row, number - row * order.row_words, row_start(order, row));
}

fn columns_at(order: Chunk, walk: Walk, row: u32, word: u32, start: u32) -> Columns {
  var columns: Columns;
  columns.row = row;
  columns.word = word;
  columns.start = start + word;
  columns.first_element = (row * order.shape.x + word * per_word) * order.length - walk.first_element;
  columns.count = min(per_word, order.shape.x - word * per_word);
  return columns;
}

// Visits the words of rows in memory order, every `lanes`-th group of words, with few divisions.
struct RowCursor {
  row: u32,
  word: u32,
  inner_row: u32,     // row % order.rows
  start: u32,         // of the row
  rows_ahead: u32,    // whole rows, and extra words, from one of its groups to the next
  words_ahead: u32,
}

// @param size words per group; must divide the words of a row
fn row_cursor(order: Chunk, walk: Walk, lane: u32, size: u32) -> RowCursor {
  let number = walk.first_column_word + lane * size;
  let row = number / order.row_words;
  let rows_ahead = lanes * size / order.row_words;
  return RowCursor(
    row,
    number - row * order.row_words,
    row % order.rows,
    row_start(order, row),
    rows_ahead,
    lanes * size - rows_ahead * order.row_words,
  );
}

fn advance(cursor: ptr<function, RowCursor>, order: Chunk) {
  var rows = (*cursor).rows_ahead;
  (*cursor).word += (*cursor).words_ahead;
  if ((*cursor).word >= order.row_words) {
    (*cursor).word -= order.row_words;
    rows++;
  }
  (*cursor).row += rows;
  (*cursor).inner_row += rows;
  (*cursor).start += rows * order.low;
  if ((*cursor).inner_row >= order.rows) {
    (*cursor).inner_row = (*cursor).row % order.rows;
    (*cursor).start = row_start(order, (*cursor).row);
  }
}
