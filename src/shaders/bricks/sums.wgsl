// A decoder's sums, which turn residuals in workgroup memory into elements. Predictors 0 to 5 are the same in `rice` and
// `predict`; in `rice`, 6 and 7 are soft and higher ones are not sums. SPEC.md, 'Predictors'. Twins: `reconstruct` in
// src/core/codecs/rice/brick.ts and src/core/codecs/predict/predictors.ts.

import package::bricks::memory::{load_word, store_word};
import package::bricks::packed::{bits, element_mask, lanes, ones, packed_add, tops};
@if(predict) import package::predict::brick::{block_x, block_y, row_pitch, slice_pitch, soft_predictor, sum_predictors};
@else import package::rice::brick::{block_x, block_y, row_pitch, slice_pitch, soft_predictor, sum_predictors};

const at_x0 = 1u;
const at_y0 = 2u;
const at_z0 = 4u;

// One of a predictor's three sums: its axis (0, 1, 2; 3: none), and the coordinates that must be 0. Other lines have no sum, or
// half sums.
struct Sum { axis: u32, at: u32, others_half: bool }

fn sum_of(predictor: u32, step: u32) -> Sum {
  if (predictor >= sum_predictors) { return Sum(3u, 0u, false); }
  // Soft is left, and soft up is up, with half sums for the other lines.
  let is_soft = soft_predictor < sum_predictors && predictor >= soft_predictor;
  let lines = lines_of(select(predictor, predictor + 1u - soft_predictor, is_soft), step);
  return Sum(lines.x, lines.y, is_soft && lines.y != 0u);
}

// The axis, and the coordinates that must be 0.
fn lines_of(predictor: u32, step: u32) -> vec2u {
  switch (predictor * 4u + step) {
    case 4u, 8u, 16u: { return vec2u(2u, at_x0 | at_y0); }
    case 5u: { return vec2u(1u, at_x0); }
    case 9u: { return vec2u(0u, at_y0); }
    case 12u, 24u: { return vec2u(1u, at_x0 | at_z0); }
    case 13u: { return vec2u(0u, at_z0); }
    case 28u: { return vec2u(0u, at_y0 | at_z0); }
    case 6u, 18u, 22u, 26u: { return vec2u(0u, 0u); }
    case 10u, 17u, 21u, 30u: { return vec2u(1u, 0u); }
    case 14u, 20u, 25u, 29u: { return vec2u(2u, 0u); }
    default: { return vec2u(3u, 0u); }
  }
}

// The running sums along x of a word's elements, continuing from the previous word, which is already summed. Elements of 1 byte
// are summed as two pairs of 16 bits, so that carries do not reach a neighbour.
fn sum_word(word: u32, before: u32) -> u32 {
  if (lanes == 2u) { return packed_add(word * ones, (before >> 16u) * ones); }
  let odd = (word >> 8u) & 0x00ff00ffu;
  let pairs = (word & 0x00ff00ffu) + odd;
  let up_to_odd = pairs + (pairs << 16u) + (before >> 24u) * 0x00010001u;
  return ((up_to_odd - odd) & 0x00ff00ffu) | ((up_to_odd & 0x00ff00ffu) << 8u);
}

// Sums a row of `words` words. It loads four at a time before it stores any.
fn sum_row(first: u32, words: u32) {
  var before = 0u;
  var at = first;
  for (var fours = words / 4u; fours > 0u; fours--) {
    let row = vec4u(load_word(at), load_word(at + 1u), load_word(at + 2u), load_word(at + 3u));
    let first_sum = sum_word(row.x, before);
    let second_sum = sum_word(row.y, first_sum);
    let third_sum = sum_word(row.z, second_sum);
    before = sum_word(row.w, third_sum);
    store_word(at, first_sum);
    store_word(at + 1u, second_sum);
    store_word(at + 2u, third_sum);
    store_word(at + 3u, before);
    at += 4u;
  }
  for (var rest = words % 4u; rest > 0u; rest--) {
    before = sum_word(load_word(at), before);
    store_word(at, before);
    at++;
  }
}

// Sums a word's column along y or z, in the lanes of `mask` only.
fn sum_column(first: u32, pitch: u32, length: u32, mask: u32) {
  var before = 0u;
  var at = first;
  // Four at a time, like rows.
  for (var fours = length / 4u; fours > 0u; fours--) {
    let words = vec4u(load_word(at), load_word(at + pitch), load_word(at + 2u * pitch), load_word(at + 3u * pitch));
    let first_sum = packed_add(words.x, before);
    let second_sum = packed_add(words.y, first_sum & mask);
    let third_sum = packed_add(words.z, second_sum & mask);
    let last_sum = packed_add(words.w, third_sum & mask);
    store_word(at, first_sum);
    store_word(at + pitch, second_sum);
    store_word(at + 2u * pitch, third_sum);
    store_word(at + 3u * pitch, last_sum);
    before = last_sum & mask;
    at += 4u * pitch;
  }
  for (var rest = length % 4u; rest > 0u; rest--) {
    let sum = packed_add(load_word(at), before);
    store_word(at, sum);
    before = sum & mask;
    at += pitch;
  }
}

// Sums a row, adding to each element half of the one before it. `halved`: the bits of a lane, or 0 for a whole sum. Lanes are
// moved to the high bits of a word, so that they are signed and wrap.
fn half_sum_row(first: u32, words: u32, halved: u32) {
  var before = 0u;
  for (var at = first; at < first + words; at++) {
    let word = load_word(at);
    var sums = 0u;
    for (var lane = 0u; lane < lanes; lane++) {
      let own = (word >> (bits * lane)) << (32u - bits);
      before = own + before - (u32(i32(before) >> 1u) & (halved << (32u - bits)));
      sums |= (before >> (32u - bits)) << (bits * lane);
    }
    store_word(at, sums);
  }
}

// How lanes add the preceding value: the bits in `lower` shifted down by one, the bits in `same` as they are. So h(d), half of d
// rounded up, is d >> 1 plus the lowest bit of d; the top bits carry the sign.
struct Carry { lower: u32, same: u32 }

fn add_carried(word: u32, before: u32, carry: Carry) -> u32 {
  return ((word & ~tops) + ((before >> 1u) & carry.lower) + (before & carry.same)) ^ ((word ^ before) & tops);
}

// Sums a word's column along y or z: whole sums in the lanes of `whole`, half sums in the others.
fn half_sum_column(first: u32, pitch: u32, length: u32, whole: u32) {
  let carry = Carry(~tops & ~whole, (ones & ~whole) | (~tops & whole));
  var before = 0u;
  var at = first;
  // Four at a time, as in `sum_column`.
  for (var fours = length / 4u; fours > 0u; fours--) {
    let words = vec4u(load_word(at), load_word(at + pitch), load_word(at + 2u * pitch), load_word(at + 3u * pitch));
    let first_sum = add_carried(words.x, before, carry);
    let second_sum = add_carried(words.y, first_sum, carry);
    let third_sum = add_carried(words.z, second_sum, carry);
    before = add_carried(words.w, third_sum, carry);
    store_word(at, first_sum);
    store_word(at + pitch, second_sum);
    store_word(at + 2u * pitch, third_sum);
    store_word(at + 3u * pitch, before);
    at += 4u * pitch;
  }
  for (var rest = length % 4u; rest > 0u; rest--) {
    before = add_carried(load_word(at), before, carry);
    store_word(at, before);
    at += pitch;
  }
}

// As `sum_block`, for a sum whose other lines are half sums: all lines of the block take part.
fn half_sum_block(sum: Sum, origin: u32, end: vec3u, lane: u32, width: u32) {
  let words = block_x / lanes;
  switch (sum.axis) {
    case 0u: {
      for (var line = lane; line < block_y * end.z; line += width) {
        let y = line % block_y;
        if (y < end.y) {
          half_sum_row(origin + (line / block_y) * slice_pitch + y * row_pitch, end.x, select(element_mask, 0u, y == 0u));
        }
      }
    }
    case 1u: {
      for (var line = lane; line < words * end.z; line += width) {
        let x = line % words;
        let whole = select(0u, element_mask, x == 0u);
        if (x < end.x) { half_sum_column(origin + (line / words) * slice_pitch + x, row_pitch, end.y, whole); }
      }
    }
    default: {
      for (var line = lane; line < words * end.y; line += width) {
        let x = line % words;
        let whole = select(0u, element_mask, line == 0u);
        if (x < end.x) { half_sum_column(origin + (line / words) * row_pitch + x, slice_pitch, end.z, whole); }
      }
    }
  }
}

// One of the three sums over a block, shared by `width` invocations, of which this is number `lane`. `origin`: the block's first
// word. `extent`: the block's size in elements.
fn sum_block(sum: Sum, origin: u32, extent: vec3u, lane: u32, width: u32) {
  let words = block_x / lanes;
  // Lines are numbered as in an unclipped block and skipped past its end, so that shifts can split their numbers.
  let end = vec3u((extent.x + lanes - 1u) / lanes, extent.yz);
  if (sum.others_half) {
    half_sum_block(sum, origin, end, lane, width);
    return;
  }
  let restricted = vec3<bool>((sum.at & at_x0) != 0u, (sum.at & at_y0) != 0u, (sum.at & at_z0) != 0u);
  let end_of_lines = select(end, vec3u(1u), restricted);
  let mask = select(0xffffffffu, element_mask, restricted.x);
  switch (sum.axis) {
    case 0u: {
      for (var line = lane; line < block_y * end_of_lines.z; line += width) {
        let y = line % block_y;
        if (y < end_of_lines.y) { sum_row(origin + (line / block_y) * slice_pitch + y * row_pitch, end.x); }
      }
    }
    case 1u: {
      for (var line = lane; line < words * end_of_lines.z; line += width) {
        let x = line % words;
        if (x < end_of_lines.x) { sum_column(origin + (line / words) * slice_pitch + x, row_pitch, end.y, mask); }
      }
    }
    case 2u: {
      for (var line = lane; line < words * end_of_lines.y; line += width) {
        let x = line % words;
        if (x < end_of_lines.x) { sum_column(origin + (line / words) * row_pitch + x, slice_pitch, end.z, mask); }
      }
    }
    default: {}
  }
}
