// The contexts of an element, from the elements around it. src/core/codecs/wave/SPEC.md, 'Energy', 'Bias' and 'Special values'.
// Twin: src/core/codecs/wave/model.ts and walk.ts.

import package::wave::layout::fraction;

const escape_from = 12u;

// Elements around one: the value in the low half, the signed residual in the high one.
struct Near {
  has_behind: bool,
  left: u32,
  left2: u32,
  above: u32,
  above_left: u32,
  above_right: u32,
  above2: u32,
  behind: u32,
  behind_left: u32,
  behind_right: u32,
  behind_up: u32,
  behind_down: u32,
}

fn value(word: u32) -> i32 { return i32(word & 0xffffu); }
fn residual(word: u32) -> i32 { return i32(word) >> 16u; }
fn size(word: u32) -> i32 { return abs(residual(word)); }

fn energy_of(near: Near) -> i32 {
  let here = 8 * (size(near.left) + size(near.above)) + 4 * (size(near.above_right) + size(near.above_left)) +
    2 * (size(near.left2) + size(near.above2));
  if (!near.has_behind) { return (18 * here) >> 7u; }
  let behind = 8 * size(near.behind) + 4 * (size(near.behind_right) + size(near.behind_down)) +
    2 * (size(near.behind_left) + size(near.behind_up));
  return (12 * here + 9 * behind) >> 7u;
}

fn level_of(energy: i32) -> u32 {
  // An energy of 0 has the level of 1. An energy has at most 18 bits, so the conversion is exact.
  let bits_of_float = bitcast<u32>(f32(max(energy, 1)));
  let octave = (bits_of_float >> 23u) - 127u;
  // 91 / 64 of the octave's first number.
  let is_upper = (bits_of_float & 0x7fffffu) >= 27u << 17u;
  return min(31u, 2u * octave + u32(is_upper));
}

fn low_bits_of(level: u32) -> u32 { return max(level >> 1u, fraction + 3u) - (fraction + 3u); }

fn scale_of(energy: i32) -> i32 { return max(energy >> 2u, (3 << fraction) >> 3u); }

fn phase_of(prediction: i32) -> u32 { return (u32(prediction) >> (fraction - 2u)) & 3u; }

fn table_of(level: u32, prediction: i32) -> u32 { return (4u * level + phase_of(prediction)) * 27u; }

fn is_special(element: u32, special_count: u32, specials: vec2u) -> bool {
  // `&&` and `||` would be branches.
  return ((special_count > 0u) & (element == specials.x)) | ((special_count > 1u) & (element == specials.y));
}

fn residual_of(element: i32, plain: i32, special_count: u32, specials: vec2u) -> i32 {
  let limit = select(32767, 1 << fraction, is_special(u32(element), special_count, specials));
  return clamp((element << fraction) - plain, -limit, limit);
}

fn signed_unit(difference: i32, least: i32, unit: i32) -> i32 {
  return select(select(0, -unit, difference <= -least), unit, difference >= least);
}

fn cell_of(first: i32, second: i32, third: i32, scale: i32) -> u32 {
  // The least d with 8 d ≥ 6 scale.
  let least = (3 * scale + 3) >> 2u;
  return u32(13 + signed_unit(first, least, 9) + signed_unit(second, least, 3) + signed_unit(third, least, 1));
}

// The cells of both biases.
fn bias_cells(near: Near, plain: i32, energy: i32) -> vec2u {
  let scale = scale_of(energy);
  let left = value(near.left);
  let above = value(near.above);
  var first = above;
  var second = value(near.above_right);
  var residual_behind = 0;
  if (near.has_behind) {
    let behind = value(near.behind);
    first = left + behind - value(near.behind_left);
    second = above + behind - value(near.behind_up);
    residual_behind = residual(near.behind);
  }
  let third = left + above - value(near.above_left);
  return vec2u(
    cell_of(residual(near.left), residual(near.above), residual_behind, scale),
    cell_of((first << fraction) - plain, (second << fraction) - plain, (third << fraction) - plain, scale),
  );
}

fn is_value(word: u32, special: i32) -> u32 { return u32(value(word) == special); }

// The part 5 a + b of a special value's context.
fn equal_near(near: Near, special: i32) -> u32 {
  var close = is_value(near.left, special) + 2u * is_value(near.above, special);
  var others = is_value(near.above_right, special) + is_value(near.above_left, special);
  if (near.has_behind) {
    close += 4u * is_value(near.behind, special);
    others += is_value(near.behind_right, special) + is_value(near.behind_down, special);
  }
  return 5u * close + others;
}

// The number of h from 0 to 6 with distance ≥ unit << h. Both numbers have at most 24 bits, so their conversion is exact.
fn reach_of(distance: i32, unit: i32) -> u32 {
  // Shifting a number left by h adds h to its float's exponent, and positive floats are ordered like their bits.
  let octaves = (bitcast<i32>(f32(distance)) - bitcast<i32>(f32(unit))) >> 23u;
  return u32(clamp(octaves + 1, 0, 7));
}

// The context of a special value's flag. @param equal the result of `equal_near`
fn flag_context(equal: u32, special: i32, energy: i32, level: u32, prediction: i32, has_behind: bool) -> u32 {
  let reach = reach_of(8 * abs(prediction - (special << fraction)), max(2, energy));
  let calm = u32(level >= 8u) + u32(level >= 13u);
  return (equal * 8u + reach) * 3u + calm + select(0u, 960u, has_behind);
}
