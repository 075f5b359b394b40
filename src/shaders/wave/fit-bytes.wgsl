// Sums the products from which a part's weights are fitted, like fit.wgsl, for elements of one byte.
// Algorithm: by quads, which are four adjacent elements of a row. For each column, one word has the four values, and two words have
// the low and the high bytes of the weighted values. One instruction multiplies and adds four pairs of bytes. Each invocation sums
// the products of two blocks of four columns, and of one neighbour and the element, over every fourth quad of a tile.
// One workgroup owns one slab of a part: slice 0, or up to 8 slices after it. It adds its sums to the part's. Dispatch: slabs × parts.
// Invariants:
// 1. A slab has at most 2^18 elements, so an invocation adds at most 2^14 sums of four products, which fit in a word.
// 2. `sums` starts as zeros.
// Twin: `fit` in src/core/codecs/wave/loops.ts.

import package::wave::contexts::is_special;
import package::wave::fitting::{
  block_pairs, blocks, fitted_row, fitted_rows, lanes, pair_of, put_sum, sums_at, unrest_of, weight_by,
};
import package::wave::layout::Part;
import package::wave::places::{around_of, margin};
import package::wave::values::neighbour_count;

@group(0) @binding(0) var<storage, read> parts: array<Part>;
@group(0) @binding(1) var<storage, read> quads: array<vec4u>;

const threads = 128u;
// The lanes of a group work on the same quads.
const groups = threads / lanes;
const tile = 32u;

// By quad and block: the values of four columns, the low bytes of the weighted values, and their high bytes. Later, the sums of some
// groups.
var<workgroup> wg_columns: array<vec4u, 3u * tile * blocks>;
// The elements.
var<workgroup> wg_own: array<u32, tile>;

// The neighbours of four elements, a byte for each element, with the elements' weights.
struct Quad { columns: array<vec4u, 7>, own: u32, weights: vec4u, is_in_first_slice: bool }

// The bytes from two places to the left of a quad to two places to the right of it. See windows.wgsl.
struct Window { low: u32, high: u32 }

fn packed(word: u32) -> u32 {
  let four = quads[word / 4u];
  return four.x | (four.y << 8u) | (four.z << 16u) | (four.w << 24u);
}

// The window of the quad whose first element is at a word.
fn window_at(word: u32) -> Window { return Window(packed(word - margin), packed(word - margin + 4u)); }

fn left2(w: Window) -> u32 { return w.low; }
fn left(w: Window) -> u32 { return (w.low >> 8u) | (w.high << 24u); }
fn here(w: Window) -> u32 { return (w.low >> 16u) | (w.high << 16u); }
fn right(w: Window) -> u32 { return (w.low >> 24u) | (w.high << 8u); }
fn right2(w: Window) -> u32 { return w.high; }

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
  let at = around_of(part, place);
  let own = window_at(at.here);
  let up = window_at(at.up);
  let up2 = window_at(at.up2);
  let behind = window_at(at.behind);
  let behind_up = window_at(at.behind_up);
  let behind_down = window_at(at.behind_down);
  let farther = window_at(at.farther);
  var quad: Quad;
  quad.columns = array<vec4u, 7>(
    vec4u(left(own), here(up), left(up), right(up)),
    vec4u(left2(own), here(up2), left(up2), right(up2)),
    vec4u(left2(up), right2(up), here(behind), left(behind)),
    vec4u(here(behind_up), right(behind), here(behind_down), left(behind_up)),
    vec4u(right(behind_up), left(behind_down), right(behind_down), right2(behind)),
    vec4u(here(window_at(at.behind_down2)), left2(behind), here(window_at(at.behind_up2)), here(farther)),
    vec4u(left(farther), here(window_at(at.farther_up)), right(farther), here(window_at(at.farther_down))),
  );
  if (place.y == 0 && place.z == 0) {
    // The element on the left stands for those above.
    let near = vec4u(left(own));
    quad.columns[0] = near;
    quad.columns[1] = vec4u(quad.columns[1].x, near.yzw);
    quad.columns[2] = vec4u(near.xy, quad.columns[2].zw);
  }
  quad.own = here(own);
  quad.is_in_first_slice = place.z == 0;
  let c = quad.columns;
  let first = c[0].x;
  var differing = differences(c[0], first) | differences(c[1], first) | differences(c[2].xyxy, first);
  var third = c[0].z;
  if (place.z > 0) {
    differing |= differences(c[2], first) | differences(c[3], first) | differences(c[4], first) | differences(c[5], first) |
      differences(c[6], first);
    third = c[2].z;
  }
  quad.weights = vec4u(
    weight_of(part, place, 0u, quad, differing, third), weight_of(part, place, 1u, quad, differing, third),
    weight_of(part, place, 2u, quad, differing, third), weight_of(part, place, 3u, quad, differing, third),
  );
  return quad;
}

// The weighted values of a block: their low bytes, and their high bytes.
struct Weighted { low: vec4u, high: vec4u }

// @param x the weight of the first element, for each of the four columns @param y and so on those of the others
fn weighted(four: vec4u, x: vec4u, y: vec4u, z: vec4u, w: vec4u) -> Weighted {
  // A product has 14 bits, so a word has two of them.
  let byte = vec4u(255u);
  let half = vec4u(16u);
  let even = (four & byte) * x + ((four >> half) & byte) * (z << half);
  let odd = ((four >> vec4u(8u)) & byte) * y + (four >> vec4u(24u)) * (w << half);
  let bytes = vec4u(0xff00ffu);
  return Weighted((even & bytes) | ((odd & bytes) << vec4u(8u)), ((even >> vec4u(8u)) & bytes) | (odd & ~bytes));
}

fn weigh(quad: Quad) -> array<Weighted, 7> {
  let w = quad.weights;
  let later = select(w, vec4u(0u), quad.is_in_first_slice);
  let c = quad.columns;
  return array<Weighted, 7>(
    weighted(c[0], w.xxxx, w.yyyy, w.zzzz, w.wwww),
    weighted(c[1], w.xxxx, w.yyyy, w.zzzz, w.wwww),
    weighted(c[2], vec4u(w.xx, later.xx), vec4u(w.yy, later.yy), vec4u(w.zz, later.zz), vec4u(w.ww, later.ww)),
    weighted(c[3], later.xxxx, later.yyyy, later.zzzz, later.wwww),
    weighted(c[4], later.xxxx, later.yyyy, later.zzzz, later.wwww),
    weighted(c[5], later.xxxx, later.yyyy, later.zzzz, later.wwww),
    weighted(c[6], later.xxxx, later.yyyy, later.zzzz, later.wwww),
  );
}

fn put_block(number: u32, block: u32, four: vec4u, weighted: Weighted) {
  let at = 3u * (number * blocks + block);
  wg_columns[at] = four;
  wg_columns[at + 1u] = weighted.low;
  wg_columns[at + 2u] = weighted.high;
}

fn put_quad(number: u32, quad: Quad, weighted: array<Weighted, 7>) {
  put_block(number, 0u, quad.columns[0], weighted[0]);
  put_block(number, 1u, quad.columns[1], weighted[1]);
  put_block(number, 2u, quad.columns[2], weighted[2]);
  put_block(number, 3u, quad.columns[3], weighted[3]);
  put_block(number, 4u, quad.columns[4], weighted[4]);
  put_block(number, 5u, quad.columns[5], weighted[5]);
  put_block(number, 6u, quad.columns[6], weighted[6]);
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
    // Set to zeros in each turn of the loop, which a declaration without a value is not on every device.
    var quad = Quad();
    let row = fitted_row(rows, (base + thread) / row_quads);
    if (base + thread < total && row.x < part.extent.y) {
      quad = quad_of(part, vec3i(vec3u(4u * ((base + thread) % row_quads), row)));
    }
    let weights = weigh(quad);
    for (var turn = 0u; turn < min(groups, (total - base + lanes - 1u) / lanes); turn++) {
      // Wait until no sum needs the last tile.
      workgroupBarrier();
      if (group == turn) { put_quad(lane, quad, weights); }
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
  // Wait until earlier sums have been read.
  workgroupBarrier();
  wg_columns[thread] = vec4u(low.own, high.own, 0u, 0u);
  // Wait for the sums with the elements.
  workgroupBarrier();
  if (thread >= block_pairs) { return; }
  var own = vec2u(0u);
  for (var other = thread; other < threads; other += lanes) { own += split(wg_columns[other].x, wg_columns[other].y); }
  put_sum(at, thread, neighbour_count, own.x, own.y);
}
