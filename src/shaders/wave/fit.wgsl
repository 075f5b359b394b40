// Sums the products from which a part's weights are fitted: of any two of an element's neighbours, and of each neighbour and
// the element, weighted by the smoothness of the surroundings. The sums are exact, in two words each.
// Algorithm: by tiles of elements, whose neighbours are in workgroup memory. The neighbours are seven blocks of four columns; each
// invocation sums the products of two blocks, and of one neighbour and the element, over every fourth element of a tile. So 28 of
// 32 invocations work on an element, and read four columns at a time.
// One workgroup owns one slab of a part: slice 0, or up to 8 slices after it. It adds its sums to the part's. Elements of one byte
// are left to fit-bytes.wgsl.
// Dispatch: slabs × parts.
// Invariants:
// 1. A value has b bits, at most 12, and a weight is at most 63. So 2^(26 − 2b) products, and 16 bits more, fit in a word.
// 2. A slab has at most 2^18 elements, so its sums without their low 16 bits fit in a word.
// 3. `sums` starts as zeros.
// Twin: `fit` in src/core/codecs/wave/loops.ts.

import package::wave::contexts::is_special;
import package::wave::fitting::{
  block_pairs, blocks, fitted_row, fitted_rows, lanes, pair_of, put_sum, range_bits, sums_at, unrest_of, weight_by,
};
import package::wave::layout::Part;
import package::wave::places::index_of;
import package::wave::values::{neighbour_count, neighbours_of, values};

@group(0) @binding(0) var<storage, read> parts: array<Part>;

const threads = 128u;
// The lanes of a group work on the same elements.
const groups = threads / lanes;
const tile = 64u;
// By element and block: the values of neighbours, and the weighted values. Later, the sums of some groups.
var<workgroup> wg_values: array<vec4u, tile * blocks>;
var<workgroup> wg_weighted: array<vec4u, tile * blocks>;
// The elements. Later, the sums with them.
var<workgroup> wg_own: array<u32, 2u * threads>;

fn differs(four: vec4u, value: u32) -> bool { return any(four != vec4u(value)); }

// The weight of an element; 0 if its neighbours are equal.
fn weight_of(part: Part, place: vec3i, n: array<vec4u, 7>) -> u32 {
  let left = n[0].x;
  var is_flat = !differs(n[0], left) && !differs(n[1], left) && all(n[2].xy == vec2u(left));
  var third = n[0].z;
  if (place.z > 0) {
    is_flat = is_flat && !differs(n[2], left) && !differs(n[3], left) && !differs(n[4], left) && !differs(n[5], left) &&
      !differs(n[6], left);
    third = n[2].z;
  }
  if (is_flat) { return 0u; }
  return weight_by(unrest_of(part, place, left, n[0].y, third));
}

fn put(element: u32, block: u32, four: vec4u, weight: vec4u) {
  wg_values[element * blocks + block] = four;
  wg_weighted[element * blocks + block] = four * weight;
}

// Reads an element's neighbours, with a weight of 0 if the element does not count.
fn load(part: Part, place: vec3i, is_inside: bool, shift: u32, thread: u32) {
  var n = array<vec4u, 7>();
  var own = 0u;
  var weight = 0u;
  if (is_inside) {
    n = neighbours_of(part, place);
    own = values[index_of(part, place)];
    if (!is_special(own, part.specials, part.special)) { weight = weight_of(part, place, n); }
  }
  let later = select(weight, 0u, place.z == 0);
  let s = vec4u(shift);
  put(thread, 0u, n[0] >> s, vec4u(weight));
  put(thread, 1u, n[1] >> s, vec4u(weight));
  put(thread, 2u, n[2] >> s, vec4u(weight, weight, later, later));
  put(thread, 3u, n[3] >> s, vec4u(later));
  put(thread, 4u, n[4] >> s, vec4u(later));
  put(thread, 5u, n[5] >> s, vec4u(later));
  put(thread, 6u, n[6] >> s, vec4u(later));
  wg_own[thread] = own >> shift;
}

// For each column of a first block, the sums of products with the columns of a second block, and a sum with the element. They are
// never indexed by a variable, so that they stay in registers.
struct Sums { first: vec4u, second: vec4u, third: vec4u, fourth: vec4u, own: u32 }

var<private> low: Sums;
// The parts of the sums from bit 16 on.
var<private> high: Sums;

fn carry() {
  let bits = vec4u(16u);
  let mask = vec4u(0xffffu);
  high.first += low.first >> bits;
  high.second += low.second >> bits;
  high.third += low.third >> bits;
  high.fourth += low.fourth >> bits;
  high.own += low.own >> 16u;
  low.first &= mask;
  low.second &= mask;
  low.third &= mask;
  low.fourth &= mask;
  low.own &= 0xffffu;
}

// Adds up a column's sums of all groups, and adds the result to the part's sums.
fn put_column(at: u32, row: u32, column: u32, thread: u32, l: vec4u, h: vec4u) {
  // Wait until earlier sums have been read.
  workgroupBarrier();
  wg_values[thread] = l;
  wg_weighted[thread] = h;
  // Wait for the sums of all groups.
  workgroupBarrier();
  if (thread >= block_pairs) { return; }
  var lows = l;
  var highs = h;
  for (var other = thread + lanes; other < threads; other += lanes) {
    lows += wg_values[other];
    highs += wg_weighted[other];
  }
  put_sum(at, row, column, lows.x, highs.x);
  put_sum(at, row, column + 1u, lows.y, highs.y);
  put_sum(at, row, column + 2u, lows.z, highs.z);
  put_sum(at, row, column + 3u, lows.w, highs.w);
}

@compute @workgroup_size(threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let slab = workgroup.x;
  let number = workgroup.y;
  let part = parts[number];
  let rows = fitted_rows(part, slab);
  let total = rows.slices * rows.in_slice * part.extent.x;
  if (total == 0u) { return; }
  let value_bits = range_bits(part);
  let shift = max(value_bits, 12u) - 12u;
  // The number of products that fit in a word.
  let most = 1u << (26u - 2u * min(value_bits, 12u));
  let run = min(most, tile / groups);

  let group = thread / lanes;
  let lane = thread % lanes;
  let pair = pair_of(lane);
  let neighbour = min(lane, neighbour_count - 1u);
  var products = 0u;
  for (var base = 0u; base < total; base += tile) {
    // Wait until no sum needs the last tile.
    workgroupBarrier();
    if (thread < tile) {
      let i = base + thread;
      let row = fitted_row(rows, i / part.extent.x);
      load(part, vec3i(vec3u(i % part.extent.x, row)), i < total && row.x < part.extent.y, shift, thread);
    }
    // Wait until the tile is loaded.
    workgroupBarrier();
    for (var first = group; first < tile; first += run * groups) {
      for (var element = first; element < first + run * groups; element += groups) {
        let weighted = wg_weighted[element * blocks + pair.x];
        let four = wg_values[element * blocks + pair.y];
        low.first += weighted.x * four;
        low.second += weighted.y * four;
        low.third += weighted.z * four;
        low.fourth += weighted.w * four;
        low.own += wg_weighted[element * blocks + neighbour / 4u][neighbour % 4u] * wg_own[element];
      }
      products += run;
      if (products == most) {
        carry();
        products = 0u;
      }
    }
  }
  carry();
  let at = sums_at(number, slab);
  let row = 4u * pair.x;
  let column = 4u * pair.y;
  put_column(at, row, column, thread, low.first, high.first);
  put_column(at, row + 1u, column, thread, low.second, high.second);
  put_column(at, row + 2u, column, thread, low.third, high.third);
  put_column(at, row + 3u, column, thread, low.fourth, high.fourth);
  wg_own[thread] = low.own;
  wg_own[threads + thread] = high.own;
  // Wait for the sums with the elements.
  workgroupBarrier();
  if (thread >= block_pairs) { return; }
  var own = vec2u(0u);
  for (var other = thread; other < threads; other += lanes) { own += vec2u(wg_own[other], wg_own[threads + other]); }
  put_sum(at, thread, neighbour_count, own.x, own.y);
}
