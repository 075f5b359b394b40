// Chooses each group's code. src/core/codecs/rice/SPEC.md, "The encoder's choice".
// Algorithm: counts how many of a group's symbols have each bit set. The expected cost of each k follows from these counts alone:
// a quotient's bits are worth 1, 2, 4 and 8, and a symbol with any higher bit is an escape.
// Twin: `chooseCode` in src/core/codecs/rice/choice.ts.

import package::bricks::packed::bits;
import package::rice::brick::{escape_quotient, raw_code, threads, wide};
import package::rice::planes::Eight;

// For each part: for each of 8 bits, how many of its 32 elements have that bit set, 8 bits per count.
var<workgroup> wg_counts: array<vec2u, threads>;

fn counts_of(planes_there: Eight) -> vec2u {
  let low = countOneBits(planes_there.low);
  let high = countOneBits(planes_there.high);
  return vec2u(
    low.x | (low.y << 8u) | (low.z << 16u) | (low.w << 24u),
    high.x | (high.y << 8u) | (high.z << 16u) | (high.w << 24u));
}

// The counts for bit `k` and the three bits above it; the maximum and the sum of the counts for all higher bits; and the best
// code so far.
struct Search { k: u32, own: vec4u, most: u32, sum: u32, code: u32, least: u32 }

// Moves on to the next lower k. 'Of all k for which the third is at most n × w, the one with the least second is taken; the
// larger on a tie.'
fn try_next(search: ptr<function, Search>, has_bit: u32, count: u32) {
  let high = (*search).own.w;
  (*search).most = max((*search).most, high);
  (*search).sum += high;
  let own = vec4u(has_bit, (*search).own.xyz);
  (*search).own = own;
  (*search).k -= 1u;
  let k = (*search).k;
  if (k + 2u > raw_code) { return; }
  let inside = count * (k + 1u) + own.x + 2u * own.y + 4u * own.z + 8u * own.w;
  let escape = escape_quotient + bits - k;
  let expected = inside + (*search).most * escape;
  let longest = inside + (*search).sum * escape + min(min(own.x, own.y), min(own.z, own.w)) * (bits - k);
  if (expected < (*search).least && longest <= count * bits) {
    (*search).code = k + 1u;
    (*search).least = expected;
  }
}

fn try_four(search: ptr<function, Search>, counts: u32, count: u32) {
  try_next(search, counts >> 24u, count);
  try_next(search, (counts >> 16u) & 0xffu, count);
  try_next(search, (counts >> 8u) & 0xffu, count);
  try_next(search, counts & 0xffu, count);
}

// The code of a group of `count` elements. The whole workgroup must call it.
fn choose_code(planes_there: Eight, count: u32, thread: u32) -> u32 {
  let own = counts_of(planes_there);
  wg_counts[thread] = own;
  workgroupBarrier(); // all counts are stored
  let other = wg_counts[thread ^ 1u];
  var low = own + other;
  var high = vec2u(0u);
  if (wide == 1u) {
    low = select(own, other, thread % 2u == 1u);
    high = select(other, own, thread % 2u == 1u);
  }
  if (all((low | high) == vec2u(0u))) { return 0u; }
  var search = Search(bits, vec4u(0u), 0u, 0u, raw_code, count * bits);
  if (wide == 1u) {
    try_four(&search, high.y, count);
    try_four(&search, high.x, count);
  }
  try_four(&search, low.y, count);
  try_four(&search, low.x, count);
  return search.code;
}
