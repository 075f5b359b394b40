// The questions that an encoder asks about a row and its elements. src/core/codecs/labels/SPEC.md, 'Walk' and 'Guesses'. Twin:
// `codeElement` in src/core/codecs/labels/walk.ts.

import package::labels::brick::brick_edge;
import package::labels::guesses::{index_bits, miss_chance, new_chance, next_guess, none};

// A row's questions: does it equal the rows around; then for each element three guesses, whether it is new, and six bits of its
// index.
const questions_per_element = 10u;
const questions_per_row = 1u + brick_edge * questions_per_element;
// A question: its chance and, above it, the answer.
const answer_bit = 12u;

// What one element asks: up to four questions, then its index in `index_bits` bits.
struct Questions { list: vec4u, count: u32, index: u32, index_bits: u32 }

fn question(chance: u32, answer: bool) -> u32 { return chance | (u32(answer) << answer_bit); }

// `labels_before`: the labels met before this element.
fn questions_of(windows: vec4u, left: u32, index: u32, labels_before: u32) -> Questions {
  var asked = Questions(vec4u(0u), 0u, index, 0u);
  var first = none;
  var second = none;
  for (var number = 0u; number < 3u; number++) {
    let guess = next_guess(windows, left, number, first, second);
    if (guess == none) { break; }
    asked.list[number] = question(miss_chance(windows, left, guess, number), guess != index);
    asked.count++;
    if (guess == index) { return asked; }
    if (number == 0u) { first = guess; } else { second = guess; }
  }
  if (labels_before == asked.count) { return asked; }
  let is_new = index == labels_before;
  asked.list[asked.count] = question(new_chance(labels_before - asked.count), is_new);
  asked.count++;
  if (!is_new) { asked.index_bits = index_bits(labels_before); }
  return asked;
}
