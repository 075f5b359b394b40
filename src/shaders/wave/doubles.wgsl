// Sums, differences, products and quotients of doubles (IEEE 754 binary64), rounded to nearest as on the CPU, from 32-bit integers.
// A double is its high and its low word. Infinities, NaN and numbers below 2^-1022 do not occur: a result that would be that small
// is 0.
// Algorithm: significands of 53 bits; results in 64 bits, of which the lowest says whether bits below it were lost, then rounding.

alias Double = vec2u;

const sign_bit = 0x80000000u;

fn exponent_of(a: Double) -> i32 { return i32(extractBits(a.x, 20u, 11u)); }
fn is_zero(a: Double) -> bool { return exponent_of(a) == 0; }
fn negated(a: Double) -> Double { return vec2u(a.x ^ sign_bit, a.y); }
// The significand, with its highest bit in bit 52.
fn significand_of(a: Double) -> vec2u { return vec2u((a.x & 0xfffffu) | 0x100000u, a.y); }

// The 64 bits shifted left by 0 to 63.
fn shifted_left(bits: vec2u, count: u32) -> vec2u {
  let few = count & 31u;
  let carried = (bits.y >> 1u) >> (31u - few);
  return select(vec2u((bits.x << few) | carried, bits.y << few), vec2u(bits.y << few, 0u), count >= 32u);
}

// The 64 bits shifted right. The lowest bit of the result is also set if a lost bit was.
fn shifted_right(bits: vec2u, count: u32) -> vec2u {
  if (count >= 64u) { return vec2u(0u, u32((bits.x | bits.y) != 0u)); }
  let few = count & 31u;
  let carried = (bits.x << 1u) << (31u - few);
  let lost = (bits.y << 1u) << (31u - few);
  if (count >= 32u) { return vec2u(0u, (bits.x >> few) | u32((carried | bits.y) != 0u)); }
  return vec2u(bits.x >> few, (bits.y >> few) | carried | u32(lost != 0u));
}

// A double of 64 bits whose highest one is 1 and stands for 2^(exponent − 1023).
fn rounded(sign: u32, exponent: i32, bits: vec2u) -> Double {
  if (exponent <= 0) { return vec2u(0u); }
  let low = (bits.y >> 11u) | (bits.x << 21u);
  let rest = bits.y & 0x7ffu;
  let up = u32(rest + (low & 1u) > 0x400u);
  let carry = u32((low & up) == 1u && low == 0xffffffffu);
  // The highest bit of the significand, and a carry beyond it, add to the exponent.
  return vec2u(sign | ((u32(exponent - 1) << 20u) + (bits.x >> 11u) + carry), low + up);
}

// A double of a whole number, (high, low), below 2^53.
fn double_of(number: vec2u) -> Double {
  if ((number.x | number.y) == 0u) { return vec2u(0u); }
  let zeros = select(32u + countLeadingZeros(number.y), countLeadingZeros(number.x), number.x != 0u);
  return rounded(0u, 1023 + 63 - i32(zeros), shifted_left(number, zeros));
}

fn double_of_signed(number: i32) -> Double {
  let size = double_of(vec2u(0u, u32(abs(number))));
  return vec2u(size.x | (u32(number) & sign_bit), size.y);
}

// a × 2^power.
fn scaled(a: Double, power: i32) -> Double {
  if (is_zero(a)) { return a; }
  return vec2u(a.x + (u32(power) << 20u), a.y);
}

fn sum_of(a: Double, b: Double) -> Double {
  let size_a = a.x & ~sign_bit;
  let size_b = b.x & ~sign_bit;
  let is_less = size_a < size_b || (size_a == size_b && a.y < b.y);
  let larger = select(a, b, is_less);
  let smaller = select(b, a, is_less);
  if (is_zero(smaller)) { return larger; }
  let sign = larger.x & sign_bit;
  let exponent = exponent_of(larger);
  // A bit is left for the sum's carry.
  let x = shifted_left(significand_of(larger), 10u);
  let y = shifted_right(shifted_left(significand_of(smaller), 10u), u32(exponent - exponent_of(smaller)));
  var bits: vec2u;
  if (sign == (smaller.x & sign_bit)) {
    let low = x.y + y.y;
    bits = vec2u(x.x + y.x + u32(low < x.y), low);
  } else {
    bits = vec2u(x.x - y.x - u32(x.y < y.y), x.y - y.y);
  }
  if ((bits.x | bits.y) == 0u) { return vec2u(0u); }
  let zeros = select(32u + countLeadingZeros(bits.y), countLeadingZeros(bits.x), bits.x != 0u);
  return rounded(sign, exponent + 1 - i32(zeros), shifted_left(bits, zeros));
}

fn product_of(a: Double, b: Double) -> Double {
  if (is_zero(a) || is_zero(b)) { return vec2u(0u); }
  // In digits of 14 bits, up to four products fit in a word.
  let m = significand_of(a);
  let n = significand_of(b);
  let p = vec4u(m.y & 0x3fffu, extractBits(m.y, 14u, 14u), (m.y >> 28u) | ((m.x & 0x3ffu) << 4u), m.x >> 10u);
  let q = vec4u(n.y & 0x3fffu, extractBits(n.y, 14u, 14u), (n.y >> 28u) | ((n.x & 0x3ffu) << 4u), n.x >> 10u);
  let c0 = p.x * q.x;
  let c1 = p.x * q.y + p.y * q.x + (c0 >> 14u);
  let c2 = p.x * q.z + p.y * q.y + p.z * q.x + (c1 >> 14u);
  let c3 = p.x * q.w + p.y * q.z + p.z * q.y + p.w * q.x + (c2 >> 14u);
  let c4 = p.y * q.w + p.z * q.z + p.w * q.y + (c3 >> 14u);
  let c5 = p.z * q.w + p.w * q.z + (c4 >> 14u);
  let c6 = p.w * q.w + (c5 >> 14u);
  // The product has 105 or 106 bits: these are bits 42 to 105.
  let lost = u32(((c0 | c1 | c2) & 0x3fffu) != 0u);
  let digit = c5 & 0x3fffu;
  var bits = vec2u((c6 << 10u) | (digit >> 4u), (c3 & 0x3fffu) | ((c4 & 0x3fffu) << 14u) | (digit << 28u) | lost);
  let is_short = i32(bits.x) >= 0;
  bits = select(bits, shifted_left(bits, 1u) | vec2u(0u, lost), is_short);
  return rounded((a.x ^ b.x) & sign_bit, exponent_of(a) + exponent_of(b) - 1022 - i32(is_short), bits);
}

// `b` is not 0.
fn quotient_of(a: Double, b: Double) -> Double {
  if (is_zero(a)) { return vec2u(0u); }
  let divisor = significand_of(b);
  var rest = significand_of(a);
  let is_less = rest.x < divisor.x || (rest.x == divisor.x && rest.y < divisor.y);
  if (is_less) { rest = shifted_left(rest, 1u); }
  // The quotient is at least 1 and less than 2.
  rest = vec2u(rest.x - divisor.x - u32(rest.y < divisor.y), rest.y - divisor.y);
  var bits = vec2u(0u, 1u);
  // Made too small, by more than the errors that WGSL allows for it, a conversion and a product.
  let reciprocal = (1.0 - 0x1p-20) / f32(divisor.x + 1u);
  for (var digits = 0u; digits < 5u; digits++) {
    // The next 11 bits. The estimate is right, or 1 too small.
    rest = shifted_left(rest, 11u);
    var digit = u32(f32(rest.x) * reciprocal);
    let low = digit * (divisor.y & 0xffffu);
    let middle = digit * (divisor.y >> 16u);
    let taken_low = low + (middle << 16u);
    let taken_high = digit * divisor.x + (middle >> 16u) + u32(taken_low < low);
    rest = vec2u(rest.x - taken_high - u32(rest.y < taken_low), rest.y - taken_low);
    if (rest.x > divisor.x || (rest.x == divisor.x && rest.y >= divisor.y)) {
      rest = vec2u(rest.x - divisor.x - u32(rest.y < divisor.y), rest.y - divisor.y);
      digit++;
    }
    bits = shifted_left(bits, 11u) | vec2u(0u, digit);
  }
  bits = shifted_left(bits, 8u) | vec2u(0u, u32((rest.x | rest.y) != 0u));
  return rounded((a.x ^ b.x) & sign_bit, exponent_of(a) - exponent_of(b) + 1023 - i32(is_less), bits);
}

// The greatest whole number that is not above a, if it is from −1023 to 1023, else the nearer of these.
fn floor_of(a: Double) -> i32 {
  let is_negative = a.x >= sign_bit;
  let exponent = exponent_of(a) - 1023;
  if (exponent >= 10) { return select(1023, -1023, is_negative); }
  if (exponent < 0) { return select(0, -1, is_negative && !is_zero(a)); }
  let bits = significand_of(a);
  let whole = i32(bits.x >> (20u - u32(exponent)));
  let has_rest = ((bits.x << (12u + u32(exponent))) | bits.y) != 0u;
  return select(whole, max(-1023, -whole - i32(has_rest)), is_negative);
}
