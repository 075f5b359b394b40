// Transposes bytes into bit planes and back. SPEC.md, 'Codes'.

// Eight words in two halves. Without indexing they stay in registers.
struct Eight { low: vec4u, high: vec4u }

// `low` where `mask` has ones; elsewhere `high`, shifted up.
fn low_halves(low: vec4u, high: vec4u, mask: u32, shift: u32) -> vec4u {
  return (low & vec4u(mask)) | ((high << vec4u(shift)) & vec4u(~mask));
}

// The bits that low_halves leaves out: `low`, shifted down, where `mask` has ones; elsewhere `high`.
fn high_halves(low: vec4u, high: vec4u, mask: u32, shift: u32) -> vec4u {
  return ((low >> vec4u(shift)) & vec4u(mask)) | (high & vec4u(~mask));
}

// Transposes four matrices of 8 × 8 bits, one in each byte lane: bit i of word b becomes bit b of word i. It swaps halves of
// lanes between words 4 apart, then quarters between words 2 apart, then bits. It is its own inverse.
fn transpose(words: Eight) -> Eight {
  let low = low_halves(words.low, words.high, 0x0f0f0f0fu, 4u);
  let high = high_halves(words.low, words.high, 0x0f0f0f0fu, 4u);
  let first = vec4u(low.xy, high.xy);
  let third = vec4u(low.zw, high.zw);
  let upper = low_halves(first, third, 0x33333333u, 2u);
  let lower = high_halves(first, third, 0x33333333u, 2u);
  let even = vec4u(upper.x, lower.x, upper.z, lower.z);
  let odd = vec4u(upper.y, lower.y, upper.w, lower.w);
  let evens = low_halves(even, odd, 0x55555555u, 1u);
  let odds = high_halves(even, odd, 0x55555555u, 1u);
  return Eight(vec4u(evens.x, odds.x, evens.y, odds.y), vec4u(evens.z, odds.z, evens.w, odds.w));
}
