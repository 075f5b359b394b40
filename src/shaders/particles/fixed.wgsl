// Whole numbers below 2^53 as pairs of words, the low one first. Twin: core/particles/fixed-point.ts.

fn plus(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// a - b, where b is at most a.
fn minus(a: vec2u, b: vec2u) -> vec2u {
  return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

// The product of two words.
fn product(a: u32, b: u32) -> vec2u {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let left = (a >> 16u) * (b & 0xffffu);
  let right = (a & 0xffffu) * (b >> 16u);
  let middle = (low >> 16u) + (left & 0xffffu) + (right & 0xffffu);
  let high = (a >> 16u) * (b >> 16u) + (left >> 16u) + (right >> 16u) + (middle >> 16u);
  return vec2u((low & 0xffffu) | (middle << 16u), high);
}

// floor(value * weight / 2^16), where weight is at most 2^16.
fn times16(value: vec2u, weight: u32) -> vec2u {
  let low = (value.x >> 16u) * weight + (((value.x & 0xffffu) * weight) >> 16u);
  let high = product(value.y, weight);
  return plus(vec2u(low, 0u), vec2u(high.x << 16u, (high.y << 16u) | (high.x >> 16u)));
}

// floor(value * fraction / 2^32).
fn times32(value: vec2u, fraction: u32) -> vec2u {
  return plus(vec2u(product(value.x, fraction).y, 0u), product(value.y, fraction));
}

// floor(part * 2^32 / whole), eight bits at a time, where part is less than whole and whole at most 2^24.
fn fraction32(part: u32, whole: u32) -> u32 {
  var rest = part;
  var fraction = 0u;
  for (var digit = 0u; digit < 4u; digit++) {
    rest <<= 8u;
    fraction = (fraction << 8u) | (rest / whole);
    rest %= whole;
  }
  return fraction;
}
