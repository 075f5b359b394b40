// The walk through a brick, the same for encoder and decoder. No entry point: kernels.ts puts it in front of these, behind
// brick.wgsl. src/core/codecs/labels/SPEC.md, 'Walk', 'Guesses' and 'Chances'. Twin: src/core/codecs/labels/walk.ts.
//
// Algorithm: element by element in memory order, with guesses from the neighbours already known, as in JBIG2's context
// coding (ITU-T T.88) but for labels and in three dimensions. One invocation walks one brick; a workgroup's bricks have
// nothing in common but the memory below. Encoder and decoder each bring these functions:
//   decide(chance, event) -> bool         codes the event; a decoder ignores the one given and returns the one read
//   row_differs(label, y, z) -> bool      whether the row has another label (decoder: anything)
//   enter(x, y, z)                        the element asked about from here on
//   differs(label) -> bool                whether it has another label (decoder: anything)
//   known_label() -> u32                  its label, `none` if that is new (decoder: anything)
//   add_label()                           its label takes the next index, `label_count`
//   emit(y, z, quad, indices)             four elements are done: x = 4 quad and on, a byte each; `none` outside
// Labels are indices by order of first appearance in the brick.

const threads = 32u;
const none = 255u;
const none_word = 0xffffffffu;
const max_labels = 64u;
const even_chance = 2048u;

// Twin: `tableWords` in src/core/codecs/labels/tables.ts.
const largest_score = 96i;
const row_chances = 97u;
const new_label_chances = 102u;
const first_weight = 110u;
const third_miss_chance = 320u;

// For each invocation 16 rows of four words, a byte an element: those from the present row on are of the slice behind,
// those before it of this slice. Row 16 is the row before the present one, of the slice behind. 8.5 KiB.
var<workgroup> wg_rows: array<u32, 68u * threads>;

var<private> thread: u32;
var<private> label_count: u32;
// An encoder gives up on a brick that is better raw; a decoder never does.
var<private> has_failed: bool;

fn row_at(row: u32, quad: u32) -> u32 { return (row * 4u + quad) * threads + thread; }

fn walk(extent: vec3u) {
  label_count = 0u;
  has_failed = false;
  for (var i = 0u; i < 68u; i++) { wg_rows[i * threads + thread] = none_word; }
  for (var z = 0u; z < extent.z; z++) {
    for (var y = 0u; y < extent.y; y++) {
      if (has_failed) { return; }
      let around = common_label(y, extent);
      var label = none;
      if (around.y > 0u && !decide(tables[row_chances + around.y], row_differs(around.x, y, z))) { label = around.x; }
      walk_row(y, z, extent, label);
    }
  }
}

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

// The label that all rows around a row have, and how many of the four exist; (_, 0) where labels differ or none exists.
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

// One row: all of it `label`, or element by element where that is `none`.
fn walk_row(y: u32, z: u32, extent: vec3u, label: u32) {
  var before = vec4u(none_word);
  var here = vec4u(none_word);
  var after = vec4u(none_word);
  var left = none;
  // One step ahead of the four elements that are walked, whose right neighbours are needed.
  for (var ahead = 0u; 4u * ahead < extent.x + 4u; ahead++) {
    before = here;
    here = after;
    after = words_around(y, ahead);
    if (ahead == 0u) { continue; }
    let quad = ahead - 1u;
    let inside = inside_quad(quad, extent);
    var indices = ((label * 0x01010101u) & inside) | ~inside;
    if (label == none) {
      for (var i = 0u; i < min(4u, extent.x - 4u * quad); i++) {
        enter(4u * quad + i, y, z);
        left = code_element(windows_of(before, here, after, i), left);
        indices = insertBits(indices, left, 8u * i, 8u);
      }
    }
    wg_rows[row_at(16u, quad)] = here.z;
    wg_rows[row_at(y, quad)] = indices;
    emit(y, z, quad, indices);
  }
}

// Of each row around, the labels left of an element, at it and right of it, in the low three bytes.
fn windows_of(before: vec4u, here: vec4u, after: vec4u, i: u32) -> vec4u {
  switch i {
    case 0u: { return (before >> vec4u(24u)) | (here << vec4u(8u)); }
    case 1u: { return here; }
    case 2u: { return here >> vec4u(8u); }
    default: { return (here >> vec4u(16u)) | (after << vec4u(16u)); }
  }
}

const ask_guess = 0u;
const ask_new = 1u;
const ask_index = 2u;

// One element's label: the guesses one after the other, then what is left. All questions pass through one call of
// `decide`: compilers put a copy of a function wherever it is called.
fn code_element(windows: vec4u, left: u32) -> u32 {
  let above = extractBits(windows.x, 8u, 8u);
  var question = ask_guess;
  var guesses = 0u;
  var guess = none;
  var first = none;
  var second = none;
  var known = none;
  var index = 0u;
  var bit = 0u;
  loop {
    if (question == ask_guess) {
      guess = next_guess(windows, left, first, second);
      if (guesses == 0u && above == extractBits(windows.z, 8u, 8u)) { guess = select(above, guess, above == none); }
      if (guess == none || guesses == 3u) {
        known = known_label();
        question = ask_new;
        // 'Labels left are those known that no guess named. Where none is left, the label is new.' In a damaged
        // payload alone there may be more guesses than labels.
        if (label_count <= guesses) { break; }
      }
    }
    if (question == ask_index && label_count - 1u < (1u << bit)) { return min(index, label_count - 1u); }

    var chance = even_chance;
    var event = ((known >> bit) & 1u) == 1u;
    if (question == ask_guess) {
      chance = third_miss_chance;
      if (guesses < 2u) { chance = miss_chance(windows, left, guess, guesses); }
      event = differs(guess);
    } else if (question == ask_new) {
      chance = tables[new_label_chances + min(label_count - guesses, 7u)];
      event = known == none;
    }
    event = decide(chance, event);

    if (question == ask_guess) {
      if (!event) { return guess; }
      guesses++;
      if (guesses == 1u) { first = guess; } else { second = guess; }
    } else if (question == ask_new) {
      if (event) { break; }
      question = ask_index;
    } else {
      index |= u32(event) << bit;
      bit++;
    }
  }
  if (label_count == max_labels) {
    has_failed = true;
    return 0u;
  }
  add_label();
  label_count++;
  return label_count - 1u;
}

// 'Guesses are sought in this order': the first label that is no guess yet. From the last to the first, as earlier ones win.
fn next_guess(windows: vec4u, left: u32, guess0: u32, guess1: u32) -> u32 {
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
  let above = agreeing(windows.x, guess);
  let middle = agreeing(windows.z, guess);
  let lower = agreeing(windows.w, guess);
  let behind = agreeing(windows.y, guess) | (middle << 3u) | (lower << 6u);
  // Left, the three above, behind the middle and the right, behind the lower one.
  let near = u32(left == guess) | (above << 1u) | ((middle & 6u) << 3u) | ((lower & 2u) << 5u);
  let score = weight(640u * number + behind) + weight(640u * number + 512u + near);
  let chance = tables[u32(min(abs(score), largest_score))];
  return select(chance, 4096u - chance, score > 0i);
}

// A bit for each of a window's three labels that is the guess.
fn agreeing(window: u32, guess: u32) -> u32 {
  let wrong = window ^ (guess * 0x010101u);
  return u32((wrong & 0xffu) == 0u) | (u32((wrong & 0xff00u) == 0u) << 1u) | (u32((wrong & 0xff0000u) == 0u) << 2u);
}

fn weight(index: u32) -> i32 {
  return extractBits(i32(tables[first_weight + index / 4u]), 8u * (index % 4u), 8u);
}

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
