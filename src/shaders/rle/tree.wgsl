// The bitmap trees of a workgroup's tiles, each spread over its lanes. src/core/codecs/rle/SPEC.md, 'Bitmap tree': a tile is what
// one byte of level 3 covers, 4096 elements.
//
// Part p of a tile is 64 elements: words 2p and 2p + 1 of level 0, byte p of level 1, bit p of level 2. Each lane owns `parts`
// neighbouring parts and builds its share of the tree alone: places in a payload are sums over the preceding lanes.

import package::rle::order::{Lane, lanes, threads, tiles_at_once};

const parts = 64u / lanes;
alias Bits = array<vec2u, parts>;

var<workgroup> wg_level_2: array<atomic<u32>, 2u * tiles_at_once>;
// Each lane's number, and the sums of eight, for two kinds of sums.
var<workgroup> wg_own: array<u32, 2u * threads>;
var<workgroup> wg_groups: array<atomic<u32>, 2u * threads / 8u>;

// Bit b is 1 if byte b of the word is not 0. (Hacker's Delight, section 6-1; the multiplication moves the bytes' bits together.)
fn nonzero_bytes(word: u32) -> u32 {
  let highs = (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) & 0x80808080u;
  return ((highs >> 7u) * 0x10204080u) >> 28u;
}

// The byte of the next higher level for eight bytes.
fn parent_byte(pair: vec2u) -> u32 {
  return nonzero_bytes(pair.x) | (nonzero_bytes(pair.y) << 4u);
}

fn ones(pair: vec2u) -> u32 {
  return countOneBits(pair.x) + countOneBits(pair.y);
}

// The bits before bit `at`.
fn bits_below(pair: vec2u, at: u32) -> vec2u {
  let mask = (1u << (at & 31u)) - 1u;
  return vec2u(select(pair.x, pair.x & mask, at < 32u), select(0u, pair.y & mask, at >= 32u));
}

// Byte `index` of eight.
fn byte_of(pair: vec2u, index: u32) -> u32 {
  return (select(pair.x, pair.y, index >= 4u) >> (8u * (index % 4u))) & 0xffu;
}

// The lane's counts for a scan: bytes of level 0 in the low half, runs in the high half. Also builds the lane's bits of level 2,
// which are complete after the next barrier.
fn count_own(at: Lane, own: Bits) -> u32 {
  var sum = 0u;
  var level_2 = 0u;
  for (var part = 0u; part < parts; part++) {
    let level_1 = parent_byte(own[part]);
    level_2 |= u32(level_1 != 0u) << part;
    sum += countOneBits(level_1) + (ones(own[part]) << 16u);
  }
  let bit = at.lane * parts;
  if (level_2 != 0u) { atomicOr(&wg_level_2[2u * at.slot + bit / 32u], level_2 << (bit % 32u)); }
  return sum;
}

fn level_2_bits(at: Lane) -> vec2u {
  return vec2u(atomicLoad(&wg_level_2[2u * at.slot]), atomicLoad(&wg_level_2[2u * at.slot + 1u]));
}

// The sum of `own` over the tile's preceding lanes. The whole workgroup must call it, once for each `kind` (0 or 1).
fn sum_before(at: Lane, kind: u32, own: u32) -> u32 {
  let first = kind * threads + at.slot * lanes;
  let place = first + at.lane;
  wg_own[place] = own;
  if (own != 0u) { atomicAdd(&wg_groups[place / 8u], own); }
  workgroupBarrier(); // all numbers and sums are stored
  var sum = 0u;
  for (var i = 0u; i < lanes / 8u - 1u; i++) {
    sum += select(0u, atomicLoad(&wg_groups[first / 8u + i]), i < at.lane / 8u);
  }
  for (var i = 0u; i < 7u; i++) { sum += select(0u, wg_own[(place & ~7u) + i], i < at.lane % 8u); }
  return sum;
}
