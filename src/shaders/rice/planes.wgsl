// Bits of symbols, turned from elements into planes and back. No entry point: kernels.ts puts it in front of the others.
// SPEC.md, 'Codes'. Twins: `writePlanes` and `readPlanes` in src/core/codecs/rice/brick.ts.

struct Eight { low: vec4u, high: vec4u }

// The words that have, in each byte, bit i of word b where these have bit b of word i: 8 × 8 bits are turned over in all four bytes
// at once (Warren, Hacker's Delight, 7-3). The same once more gives the words back.
fn transpose(words: Eight) -> Eight {
  let fours = vec4u(0x0f0f0f0fu);
  let low = (words.low & fours) | ((words.high & fours) << vec4u(4u));
  let high = ((words.low >> vec4u(4u)) & fours) | (words.high & ~fours);
  let turned_low = transpose_four(low);
  let turned_high = transpose_four(high);
  return Eight(turned_low, turned_high);
}

fn transpose_four(words: vec4u) -> vec4u {
  let twos = vec2u(0x33333333u);
  let low = (words.xy & twos) | ((words.zw & twos) << vec2u(2u));
  let high = ((words.xy >> vec2u(2u)) & twos) | (words.zw & ~twos);
  let ones_even = 0x55555555u;
  return vec4u(
    (low.x & ones_even) | ((low.y & ones_even) << 1u),
    ((low.x >> 1u) & ones_even) | (low.y & ~ones_even),
    (high.x & ones_even) | ((high.y & ones_even) << 1u),
    ((high.x >> 1u) & ones_even) | (high.y & ~ones_even));
}
