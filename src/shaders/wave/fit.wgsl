// Sums the products by which the CPU fits a part's weights: of every two of an element's neighbours, and of each neighbour and
// the element, weighted by how smooth the surroundings are. The sums are exact, in two words each.
// Algorithm: by tiles of elements, whose neighbours lie in workgroup memory. The neighbours are seven blocks of four columns; each
// invocation sums the products of two blocks, and of one neighbour and the element, over every fourth element of a tile. So 28 of
// 32 invocations work for an element, and read four columns at a time.
// One workgroup owns one slab of a part: slice 0, or up to 4 slices after it. It adds its sums to the part's.
// Dispatch: slabs × parts.
// Invariants:
// 1. A value has b bits, at most 12, and a weight is at most 63. So 2^(26 − 2b) products, and 16 bits more, fit in a word.
// 2. A slab has at most 2^18 elements, so its sums without their low 16 bits fit in a word.
// 3. `sums` starts as zeros.
// Twin: `fit` in src/core/codecs/wave/loops.ts.

import constants::by_residuals;
import package::wave::contexts::{is_special, size};
import package::wave::layout::{Part, fraction};
import package::wave::places::{around_of, index_of};
import package::wave::predicted::elements;
import package::wave::values::{neighbour_count, neighbours_of, values};

@group(0) @binding(0) var<storage, read> parts: array<Part>;

const threads = 128u;
const sum_count = 434u;
const slab_slices = 4u;
const blocks = neighbour_count / 4u;
const block_pairs = 28u;
// Invocations that work for the same elements, and the number of such groups.
const lanes = 32u;
const groups = threads / lanes;
const tile = 64u;
// For each part: the low words of the sums over slice 0, then their high words, then both of the other slices.
@group(0) @binding(3) var<storage, read_write> sums: array<atomic<u32>>;

// By element and block: the values of neighbours, and the weighted values. Later the sums of some groups.
var<workgroup> wg_values: array<vec4u, tile * blocks>;
var<workgroup> wg_weighted: array<vec4u, tile * blocks>;
// The elements. Later the sums with them.
var<workgroup> wg_own: array<u32, 2u * threads>;

fn range_bits(part: Part) -> u32 { return 32u - countLeadingZeros(part.range); }

fn unrest_at(part: Part, place: vec3i) -> u32 {
  let a = around_of(part, place);
  var sides = size(elements[a.here - 1u]) + size(elements[a.up]);
  if (place.z > 0) { sides += size(elements[a.behind]); }
  let corners = size(elements[a.up + a.right]) + size(elements[a.up - a.right]);
  return u32(2 * sides + corners) >> fraction;
}

fn differs(four: vec4u, value: u32) -> bool { return any(four != vec4u(value)); }

// How much an element counts; 0 if its neighbours are alike.
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
  let first = vec3i(vec3u(left, n[0].y, third));
  let gradients = abs(first.x - first.y) + abs(first.x - first.z) + abs(first.y - first.z);
  var unrest = u32(2 * gradients) >> (max(range_bits(part), 8u) - 8u);
  if (by_residuals == 1u) { unrest = unrest_at(part, place); }
  return max(1u, 252u / (4u + unrest));
}

fn put(element: u32, block: u32, four: vec4u, weight: vec4u) {
  wg_values[element * blocks + block] = four;
  wg_weighted[element * blocks + block] = four * weight;
}

// Reads an element's neighbours, with a weight of 0 where they do not count.
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

// The blocks of a pair: (0, 0), (0, 1) to (6, 6).
fn pair_of(number: u32) -> vec2u {
  var rest = min(number, block_pairs - 1u);
  var row = 0u;
  while (rest >= blocks - row) {
    rest -= blocks - row;
    row++;
  }
  return vec2u(row, row + rest);
}

// For each column of a first block the sums of products with the columns of a second one, and a sum with the element.
struct Sums { rows: array<vec4u, 4>, own: u32 }

var<private> low: Sums;
// What was carried from bit 16 on.
var<private> high: Sums;

fn carry() {
  for (var row = 0u; row < 4u; row++) {
    high.rows[row] += low.rows[row] >> vec4u(16u);
    low.rows[row] &= vec4u(0xffffu);
  }
  high.own += low.own >> 16u;
  low.own &= 0xffffu;
}

fn put_sum(at: u32, row: u32, column: u32, low_part: u32, high_part: u32) {
  // A block has each product with itself twice.
  if (row > column) { return; }
  let entry = at + row * (neighbour_count + 1u) - (row * (row + 1u)) / 2u + column;
  let upper = high_part + (low_part >> 16u);
  let word = (upper << 16u) | (low_part & 0xffffu);
  let before = atomicAdd(&sums[entry], word);
  let rest = (upper >> 16u) + u32(before + word < word);
  if (rest > 0u) { atomicAdd(&sums[entry + sum_count], rest); }
}

@compute @workgroup_size(threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let slab = workgroup.x;
  let number = workgroup.y;
  let part = parts[number];
  let first_slice = select(1u + slab_slices * (slab - 1u), 0u, slab == 0u);
  if (first_slice >= part.extent.z) { return; }
  let slices = min(select(slab_slices, 1u, slab == 0u), part.extent.z - first_slice);
  // After slice 0 one row in four counts.
  let rows = select((part.extent.y + 3u) / 4u, part.extent.y, slab == 0u);
  let total = slices * rows * part.extent.x;
  let value_bits = range_bits(part);
  let shift = max(value_bits, 12u) - 12u;
  // How many products fit in a word.
  let most = 1u << (26u - 2u * min(value_bits, 12u));
  let run = min(most, tile / groups);

  let group = thread / lanes;
  let lane = thread % lanes;
  let pair = pair_of(lane);
  let neighbour = min(lane, neighbour_count - 1u);
  var products = 0u;
  for (var base = 0u; base < total; base += tile) {
    // The sums no longer need the last tile.
    workgroupBarrier();
    if (thread < tile) {
      let i = base + thread;
      let z = first_slice + i / (rows * part.extent.x);
      var y = (i / part.extent.x) % rows;
      if (slab > 0u) { y = 4u * y + ((0u - z) & 3u); }
      load(part, vec3i(vec3u(i % part.extent.x, y, z)), i < total && y < part.extent.y, shift, thread);
    }
    // The tile is loaded.
    workgroupBarrier();
    for (var first = group; first < tile; first += run * groups) {
      for (var element = first; element < first + run * groups; element += groups) {
        let weighted = wg_weighted[element * blocks + pair.x];
        let four = wg_values[element * blocks + pair.y];
        low.rows[0] += weighted.x * four;
        low.rows[1] += weighted.y * four;
        low.rows[2] += weighted.z * four;
        low.rows[3] += weighted.w * four;
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
  // The tiles are no longer needed.
  workgroupBarrier();
  if (group > 0u) {
    let at = thread - lanes;
    for (var row = 0u; row < 4u; row++) {
      wg_values[4u * at + row] = low.rows[row];
      wg_weighted[4u * at + row] = high.rows[row];
    }
    wg_own[at] = low.own;
    wg_own[threads + at] = high.own;
  }
  // The sums of all groups but the first are there.
  workgroupBarrier();
  if (thread >= block_pairs) { return; }
  for (var at = thread; at < threads - lanes; at += lanes) {
    for (var row = 0u; row < 4u; row++) {
      low.rows[row] += wg_values[4u * at + row];
      high.rows[row] += wg_weighted[4u * at + row];
    }
    low.own += wg_own[at];
    high.own += wg_own[threads + at];
  }
  let at = (2u * number + u32(slab > 0u)) * 2u * sum_count;
  for (var row = 0u; row < 4u; row++) {
    for (var column = 0u; column < 4u; column++) {
      put_sum(at, 4u * pair.x + row, 4u * pair.y + column, low.rows[row][column], high.rows[row][column]);
    }
  }
  put_sum(at, thread, neighbour_count, low.own, high.own);
}
