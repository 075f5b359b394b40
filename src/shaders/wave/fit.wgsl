// Sums the products by which the CPU fits a part's weights: of every two of an element's neighbours, and of each neighbour and
// the element, weighted by how smooth the surroundings are. The sums are exact, in two words each.
// Algorithm: by tiles of elements. Each invocation reads the neighbours of one element into workgroup memory; then each sums
// some of the products over the tile.
// One workgroup owns one slab of a part: slice 0, or up to 16 slices after it. Dispatch: slabs × parts.
// Invariants:
// 1. A value has 12 bits and a weight 6, so four products fit in a word.
// Twin: `fit` in src/core/codecs/wave/loops.ts.

import constants::by_residuals;
import package::wave::contexts::{is_special, size};
import package::wave::layout::{Part, fraction};
import package::wave::places::{around_of, index_of};
import package::wave::predicted::elements;
import package::wave::values::{neighbour_count, neighbours_of, values};

@group(0) @binding(0) var<storage, read> parts: array<Part>;

const threads = 128u;
const columns = neighbour_count + 1u;
const sum_count = 434u;
const slab_slices = 16u;
// Vectors of a column: one more than its elements fill, so that columns lie in different banks.
const pitch = threads / 4u + 1u;

// For each part and slab: the low words of the sums, then their high words.
@group(0) @binding(3) var<storage, read_write> sums: array<u32>;

// By column and element: the value, and from bit 12 on the weighted value.
// By words, not by vectors: invocations write neighbouring ones, and a write of a vector's component may write the whole vector.
var<workgroup> wg_values: array<u32, 4u * columns * pitch>;

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

fn put(column: u32, thread: u32, value: u32) { wg_values[4u * column * pitch + thread] = value; }

fn four_at(vector: u32) -> vec4u {
  let at = 4u * vector;
  return vec4u(wg_values[at], wg_values[at + 1u], wg_values[at + 2u], wg_values[at + 3u]);
}

fn put_four(column: u32, thread: u32, four: vec4u) {
  put(column, thread, four.x);
  put(column + 1u, thread, four.y);
  put(column + 2u, thread, four.z);
  put(column + 3u, thread, four.w);
}

// Reads an element's neighbours, with a weight of 0 where it does not count.
fn load(part: Part, place: vec3i, is_inside: bool, shift: u32, thread: u32) {
  var n = array<vec4u, 7>();
  var own = 0u;
  var weight = 0u;
  if (is_inside) {
    n = neighbours_of(part, place);
    own = values[index_of(part, place)];
    if (!is_special(own, part.specials, part.special)) { weight = weight_of(part, place, n); }
  }
  let factor = select(0u, 1u + (weight << 12u), weight > 0u);
  let later = select(factor, 0u, place.z == 0);
  put_four(0u, thread, (n[0] >> vec4u(shift)) * factor);
  put_four(4u, thread, (n[1] >> vec4u(shift)) * factor);
  put_four(8u, thread, (n[2] >> vec4u(shift)) * vec4u(factor, factor, later, later));
  put_four(12u, thread, (n[3] >> vec4u(shift)) * later);
  put_four(16u, thread, (n[4] >> vec4u(shift)) * later);
  put_four(20u, thread, (n[5] >> vec4u(shift)) * later);
  put_four(24u, thread, (n[6] >> vec4u(shift)) * later);
  put(neighbour_count, thread, (own >> shift) * factor);
}

// The columns of a sum, as the places of their first vectors.
fn pair_of(sum: u32) -> vec2u {
  var rest = min(sum, sum_count - 1u);
  var row = 0u;
  while (rest >= columns - row) {
    rest -= columns - row;
    row++;
  }
  return vec2u(row, row + rest) * pitch;
}

// The weighted sum of four products.
fn product(pair: vec2u) -> u32 {
  let products = (four_at(pair.x) >> vec4u(12u)) * (four_at(pair.y) & vec4u(4095u));
  return products.x + products.y + products.z + products.w;
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let slab = workgroup.x;
  let number = workgroup.y;
  let part = parts[number];
  let first_slice = select(1u + slab_slices * (slab - 1u), 0u, slab == 0u);
  if (first_slice >= part.extent.z) { return; }
  let slices = min(select(slab_slices, 1u, slab == 0u), part.extent.z - first_slice);
  // After slice 0 one row in four counts.
  let rows = select((part.extent.y + 3u) / 4u, part.extent.y, slab == 0u);
  let total = slices * rows * part.extent.x;
  let shift = max(range_bits(part), 12u) - 12u;

  let first_pair = pair_of(thread);
  let second_pair = pair_of(thread + threads);
  let third_pair = pair_of(thread + 2u * threads);
  let fourth_pair = pair_of(thread + 3u * threads);
  var low = vec4u(0u);
  var high = vec4u(0u);
  for (var base = 0u; base < total; base += threads) {
    let i = base + thread;
    let z = first_slice + i / (rows * part.extent.x);
    var y = (i / part.extent.x) % rows;
    if (slab > 0u) { y = 4u * y + ((0u - z) & 3u); }
    let place = vec3i(vec3u(i % part.extent.x, y, z));
    // The sums no longer need the last tile.
    workgroupBarrier();
    load(part, place, i < total && y < part.extent.y, shift, thread);
    // The tile is loaded.
    workgroupBarrier();
    for (var four = 0u; four < threads / 4u; four++) {
      let sum = vec4u(
        product(first_pair + four), product(second_pair + four), product(third_pair + four), product(fourth_pair + four),
      );
      low += sum;
      high += select(vec4u(0u), vec4u(1u), low < sum);
    }
  }
  let at = (number * workgroups.x + slab) * 2u * sum_count;
  for (var own = 0u; own < 4u; own++) {
    let entry = thread + own * threads;
    if (entry < sum_count) {
      sums[at + entry] = low[own];
      sums[at + sum_count + entry] = high[own];
    }
  }
}
