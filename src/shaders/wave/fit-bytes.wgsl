// Sums the products from which the CPU fits a part's weights, like fit.wgsl, for elements of one byte.
// Algorithm: by quads, which are four adjacent elements of a row. For each column, one word has the four values, and two words have
// the low and the high bytes of the weighted values. One instruction multiplies and adds four pairs of bytes. Each invocation sums
// the products of two blocks of four columns, and of one neighbour and the element, over every fourth quad of a tile.
// One workgroup owns one slab of a part: slice 0, or up to 4 slices after it. It adds its sums to the part's. Dispatch: slabs × parts.
// Invariants:
// 1. A slab has at most 2^18 elements, so an invocation adds at most 2^14 sums of four products, which fit in a word.
// 2. `sums` starts as zeros.
// Twin: `fit` in src/core/codecs/wave/loops.ts.

import package::wave::contexts::is_special;
import package::wave::fitting::{
  block_pairs, blocks, fitted_row, fitted_rows, lanes, pair_of, put_sum, sums_at, unrest_of, weight_by,
};
import package::wave::layout::Part;
import package::wave::places::index_of;
import package::wave::values::{neighbour_count, neighbour_places, values};

@group(0) @binding(0) var<storage, read> parts: array<Part>;

const threads = 128u;
// The lanes of a group work on the same quads.
const groups = threads / lanes;
const tile = 32u;

// By quad and block: the values of four columns, the low bytes of the weighted values, and their high bytes. Later, the sums of some
// groups.
var<workgroup> wg_columns: array<vec4u, 3u * tile * blocks>;
// The elements. Later, the sums with them.
var<workgroup> wg_own: array<u32, 2u * threads>;

// The neighbours of four elements, a byte for each element, with the elements' weights.
struct Quad { columns: array<vec4u, 7>, own: u32, weights: vec4u, is_in_first_slice: bool }

fn bytes_at(at: u32) -> u32 { return pack4xU8(vec4u(values[at], values[at + 1u], values[at + 2u], values[at + 3u])); }
fn block_at(at: vec4u) -> vec4u { return vec4u(bytes_at(at.x), bytes_at(at.y), bytes_at(at.z), bytes_at(at.w)); }

fn differences(four: vec4u, word: u32) -> u32 {
  let bits = four ^ vec4u(word);
  return bits.x | bits.y | bits.z | bits.w;
}

// The weight of an element of the quad; 0 if its neighbours are equal. @param third see `unrest_of`
fn weight_of(part: Part, place: vec3i, i: u32, quad: Quad, differing: u32, third: u32) -> u32 {
  let byte = 8u * i;
  let is_in = u32(place.x) + i < part.extent.x && extractBits(differing, byte, 8u) != 0u &&
    !is_special(extractBits(quad.own, byte, 8u), part.specials, part.special);
  if (!is_in) { return 0u; }
  let left = extractBits(quad.columns[0].x, byte, 8u);
  let above = extractBits(quad.columns[0].y, byte, 8u);
  return weight_by(unrest_of(part, place + vec3i(i32(i), 0, 0), left, above, extractBits(third, byte, 8u)));
}

fn quad_of(part: Part, place: vec3i) -> Quad {
  let at = neighbour_places(part, place);
  var quad: Quad;
  quad.columns = array<vec4u, 7>(
    block_at(at[0]), block_at(at[1]), block_at(at[2]), block_at(at[3]), block_at(at[4]), block_at(at[5]), block_at(at[6]),
  );
  quad.own = bytes_at(index_of(part, place));
  quad.is_in_first_slice = place.z == 0;
  let c = quad.columns;
  let left = c[0].x;
  var differing = differences(c[0], left) | differences(c[1], left) | differences(c[2].xyxy, left);
  var third = c[0].z;
  if (place.z > 0) {
    differing |= differences(c[2], left) | differences(c[3], left) | differences(c[4], left) | differences(c[5], left) |
      differences(c[6], left);
    third = c[2].z;
  }
  quad.weights = vec4u(
    weight_of(part, place, 0u, quad, differing, third), weight_of(part, place, 1u, quad, differing, third),
    weight_of(part, place, 2u, quad, differing, third), weight_of(part, place, 3u, quad, differing, third),
  );
  return quad;
}

// @param weights of the first two columns' values @param others of the other two columns'
fn put_block(number: u32, block: u32, four: vec4u, weights: vec4u, others: vec4u) {
  let a = unpack4xU8(four.x) * weights;
  let b = unpack4xU8(four.y) * weights;
  let c = unpack4xU8(four.z) * others;
  let d = unpack4xU8(four.w) * others;
  let at = 3u * (number * blocks + block);
  wg_columns[at] = four;
  wg_columns[at + 1u] = vec4u(pack4xU8(a), pack4xU8(b), pack4xU8(c), pack4xU8(d));
  let s = vec4u(8u);
  wg_columns[at + 2u] = vec4u(pack4xU8(a >> s), pack4xU8(b >> s), pack4xU8(c >> s), pack4xU8(d >> s));
}

fn put_quad(number: u32, quad: Quad) {
  let w = quad.weights;
  let later = select(w, vec4u(0u), quad.is_in_first_slice);
  put_block(number, 0u, quad.columns[0], w, w);
  put_block(number, 1u, quad.columns[1], w, w);
  put_block(number, 2u, quad.columns[2], w, later);
  put_block(number, 3u, quad.columns[3], later, later);
  put_block(number, 4u, quad.columns[4], later, later);
  put_block(number, 5u, quad.columns[5], later, later);
  put_block(number, 6u, quad.columns[6], later, later);
  wg_own[number] = quad.own;
}

// For each column of a first block, the sums of products with the columns of a second block, and a sum with the element. They are
// never indexed by a variable, so that they stay in registers.
struct Sums { first: vec4u, second: vec4u, third: vec4u, fourth: vec4u, own: u32 }

// The sums with the low bytes of the weighted values, and with their high bytes.
var<private> low: Sums;
var<private> high: Sums;

fn products(word: u32, columns: vec4u) -> vec4u {
  return vec4u(
    dot4U8Packed(word, columns.x), dot4U8Packed(word, columns.y), dot4U8Packed(word, columns.z), dot4U8Packed(word, columns.w),
  );
}

// Splits l + 2^8 h into low + 2^16 high.
fn split(l: u32, h: u32) -> vec2u { return vec2u((l & 0xffffu) + ((h & 0xffu) << 8u), (l >> 16u) + (h >> 8u)); }

// Adds up a column's sums of all groups, and adds the result to the part's sums.
fn put_column(at: u32, row: u32, column: u32, thread: u32, l: vec4u, h: vec4u) {
  let x = split(l.x, h.x);
  let y = split(l.y, h.y);
  let z = split(l.z, h.z);
  let w = split(l.w, h.w);
  // Wait until earlier sums have been read.
  workgroupBarrier();
  wg_columns[2u * thread] = vec4u(x, y);
  wg_columns[2u * thread + 1u] = vec4u(z, w);
  // Wait for the sums of all groups.
  workgroupBarrier();
  if (thread >= block_pairs) { return; }
  var one = vec4u(x, y);
  var other = vec4u(z, w);
  for (var other_thread = thread + lanes; other_thread < threads; other_thread += lanes) {
    one += wg_columns[2u * other_thread];
    other += wg_columns[2u * other_thread + 1u];
  }
  put_sum(at, row, column, one.x, one.y);
  put_sum(at, row, column + 1u, one.z, one.w);
  put_sum(at, row, column + 2u, other.x, other.y);
  put_sum(at, row, column + 3u, other.z, other.w);
}

@compute @workgroup_size(threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let slab = workgroup.x;
  let number = workgroup.y;
  let part = parts[number];
  let rows = fitted_rows(part, slab);
  let row_quads = (part.extent.x + 3u) / 4u;
  let total = rows.slices * rows.in_slice * row_quads;
  if (total == 0u) { return; }
  let group = thread / lanes;
  let lane = thread % lanes;
  let pair = pair_of(lane);
  let neighbour = min(lane, neighbour_count - 1u);
  for (var base = 0u; base < total; base += threads) {
    var quad: Quad;
    let row = fitted_row(rows, (base + thread) / row_quads);
    if (base + thread < total && row.x < part.extent.y) {
      quad = quad_of(part, vec3i(vec3u(4u * ((base + thread) % row_quads), row)));
    }
    for (var turn = 0u; turn < min(groups, (total - base + lanes - 1u) / lanes); turn++) {
      // Wait until no sum needs the last tile.
      workgroupBarrier();
      if (group == turn) { put_quad(lane, quad); }
      // Wait until the tile is loaded.
      workgroupBarrier();
      for (var i = group; i < tile; i += groups) {
        let first = 3u * (i * blocks + pair.x);
        let four = wg_columns[3u * (i * blocks + pair.y)];
        let lows = wg_columns[first + 1u];
        low.first += products(lows.x, four);
        low.second += products(lows.y, four);
        low.third += products(lows.z, four);
        low.fourth += products(lows.w, four);
        let highs = wg_columns[first + 2u];
        high.first += products(highs.x, four);
        high.second += products(highs.y, four);
        high.third += products(highs.z, four);
        high.fourth += products(highs.w, four);
        let own = 3u * (i * blocks + neighbour / 4u);
        low.own += dot4U8Packed(wg_columns[own + 1u][neighbour % 4u], wg_own[i]);
        high.own += dot4U8Packed(wg_columns[own + 2u][neighbour % 4u], wg_own[i]);
      }
    }
  }
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
  for (var other = thread; other < threads; other += lanes) { own += split(wg_own[other], wg_own[threads + other]); }
  put_sum(at, thread, neighbour_count, own.x, own.y);
}
