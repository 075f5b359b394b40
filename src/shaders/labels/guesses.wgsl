// Guesses, their chances, and the range coder's interval, for encoder and decoder. src/core/codecs/labels/SPEC.md, 'Walk',
// 'Guesses' and 'Chances'. Twin: src/core/codecs/labels/walk.ts.
//
// Algorithm: guesses from the known neighbours, as in JBIG2's context coding (ITU-T T.88), but for labels and in three
// dimensions. A workgroup does `walkers` bricks at a time; `walker` is the number of an invocation's brick. Labels are indices in
// order of first appearance in the brick.

import constants::walkers;
import package::labels::brick::low_bits;

const none = 255u;
const none_word = 0xffffffffu;
const max_labels = 64u;

// Twin: `tableWords` in src/core/codecs/labels/tables.ts.
@group(0) @binding(4) var<storage, read> tables: array<u32>;
const largest_score = 96i;
const row_chances = 97u;
const new_label_chances = 102u;
const first_weight = 110u;
const even_chance = 2048u;
const third_miss_chance = 320u;

// For each walker 16 rows of four words, one byte per element. Rows from the current one on belong to the previous slice, rows
// before it to this slice. Row 16 is the previous slice's row before the current one. 272 bytes per walker.
const row_words_kept = 68u;
var<workgroup> wg_rows: array<u32, row_words_kept * walkers>;

var<private> walker: u32;

fn row_at(row: u32, quad: u32) -> u32 { return (row * 4u + quad) * walkers + walker; }

// The words of the rows around: above, behind and above, behind, behind and below.
fn words_around(y: u32, quad: u32) -> vec4u {
  var words = vec4u(none_word);
  if (quad > 3u) { return words; }
  if (y > 0u) {
    words.x = wg_rows[row_at(y - 1u, quad)];
    words.y = wg_rows[row_at(16u, quad)];
  }
  words.z = wg_rows[row_at(y, quad)];
  if (y < 15u) { words.w = wg_rows[row_at(y + 1u, quad)]; }
  return words;
}

// The label that all rows around a row share, and how many of the four exist; (_, 0) if labels differ or none exists.
fn common_label(y: u32, extent: vec3u) -> vec2u {
  var exists = vec4<bool>(false);
  var label = none;
  for (var quad = 0u; 4u * quad < extent.x; quad++) {
    let words = words_around(y, quad);
    if (quad == 0u) {
      let firsts = words & vec4u(0xffu);
      exists = firsts != vec4u(none);
      label = min(min(firsts.x, firsts.y), min(firsts.z, firsts.w));
    }
    let wrong = (words ^ vec4u(label * 0x01010101u)) & vec4u(inside_quad(quad, extent));
    if (any(exists & (wrong != vec4u(0u)))) { return vec2u(0u); }
  }
  return vec2u(label, dot(select(vec4u(0u), vec4u(1u), exists), vec4u(1u)));
}

// The bytes of a word of a row that lie in the brick.
fn inside_quad(quad: u32, extent: vec3u) -> u32 { return low_bits(8u * min(4u, extent.x - 4u * quad)); }

// For each row around: the labels to the left of an element, at it, and to its right, in the low three bytes.
fn windows_of(before: vec4u, here: vec4u, after: vec4u, i: u32) -> vec4u {
  switch i {
    case 0u: { return (before >> vec4u(24u)) | (here << vec4u(8u)); }
    case 1u: { return here; }
    case 2u: { return here >> vec4u(8u); }
    default: { return (here >> vec4u(16u)) | (after << vec4u(16u)); }
  }
}

// 'it is the first label in this order that exists and has not been guessed yet'. Goes from the last to the first, because earlier ones
// win. `none` if there is none.
fn next_guess(windows: vec4u, left: u32, number: u32, guess0: u32, guess1: u32) -> u32 {
  let above = extractBits(windows.x, 8u, 8u);
  if (number == 0u && above != none && above == extractBits(windows.z, 8u, 8u)) { return above; }
  var guess = none;
  guess = preferred(extractBits(windows.w, 16u, 8u), guess, guess0, guess1);
  guess = preferred(extractBits(windows.x, 16u, 8u), guess, guess0, guess1);
  guess = preferred(extractBits(windows.w, 8u, 8u), guess, guess0, guess1);
  guess = preferred(extractBits(windows.z, 16u, 8u), guess, guess0, guess1);
  guess = preferred(extractBits(windows.z, 8u, 8u), guess, guess0, guess1);
  guess = preferred(extractBits(windows.x, 8u, 8u), guess, guess0, guess1);
  return preferred(left, guess, guess0, guess1);
}

fn preferred(label: u32, other: u32, guess0: u32, guess1: u32) -> u32 {
  return select(label, other, label == none || label == guess0 || label == guess1);
}

fn miss_chance(windows: vec4u, left: u32, guess: u32, number: u32) -> u32 {
  if (number > 1u) { return third_miss_chance; }
  let above = agreeing(windows.x, guess);
  let middle = agreeing(windows.z, guess);
  let lower = agreeing(windows.w, guess);
  let behind = agreeing(windows.y, guess) | (middle << 3u) | (lower << 6u);
  // Left, the three above, behind in the middle and to the right, behind and below.
  let near = u32(left == guess) | (above << 1u) | ((middle & 6u) << 3u) | ((lower & 2u) << 5u);
  let score = weight(640u * number + behind) + weight(640u * number + 512u + near);
  let chance = tables[u32(min(abs(score), largest_score))];
  return select(chance, 4096u - chance, score > 0i);
}

// One bit for each of a window's three labels that equals the guess.
fn agreeing(window: u32, guess: u32) -> u32 {
  let wrong = window ^ (guess * 0x010101u);
  return u32((wrong & 0xffu) == 0u) | (u32((wrong & 0xff00u) == 0u) << 1u) | (u32((wrong & 0xff0000u) == 0u) << 2u);
}

fn weight(index: u32) -> i32 {
  return extractBits(i32(tables[first_weight + index / 4u]), 8u * (index % 4u), 8u);
}

// The chance that a label is new, if the guesses leave `labels_left` known labels; at least one.
fn new_chance(labels_left: u32) -> u32 { return tables[new_label_chances + min(labels_left, 7u)]; }

// 'It has as many bits as the largest number met so far has binary digits.'
fn index_bits(label_count: u32) -> u32 { return 32u - countLeadingZeros(label_count - 1u); }

// SPEC.md, 'The range coder'. Twin: `Interval` in src/core/codecs/labels/range-coder.ts.
var<private> low: u32;
var<private> range: u32;

fn start_interval() {
  low = 0u;
  range = 0xffffffffu;
}

fn narrow(part: u32, event: bool) {
  if (event) {
    range = part;
  } else {
    low += part;
    range -= part;
  }
}

fn is_byte_done() -> bool {
  if (((low ^ (low + range)) >> 24u) == 0u) { return true; }
  if (range >= 0x10000u) { return false; }
  range = 0x10000u - (low & 0xffffu);
  return true;
}

fn shift_interval() {
  low <<= 8u;
  range <<= 8u;
}
