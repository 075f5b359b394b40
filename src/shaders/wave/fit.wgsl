// Sums the products by which the CPU fits a part's weights: of every two of an element's neighbours, and of each neighbour and
// the element, weighted by how smooth the surroundings are. The sums are exact, in two words each.
// Algorithm: by tiles of elements. Each invocation reads the neighbours of one element into workgroup memory; then each sums
// some of the products over the tile.
// One workgroup owns one slab of a part: slice 0, or up to 16 slices after it. Dispatch: slabs × parts.
// Invariants:
// 1. A value has 12 bits and a weight 6, so four products fit in a word.
// Twin: `fitted` in src/core/codecs/wave/part.ts.

import constants::by_residuals;
import package::wave::contexts::size;
import package::wave::layout::{Part, fraction};
import package::wave::neighbours::{count_of, in_plane_count, neighbour_count, neighbour_offsets};
import package::wave::predicted::neighbour_word;
import package::wave::source::{is_special, neighbour_value, parts, value_at};

const threads = 128u;
const columns = neighbour_count + 1u;
const sum_count = 434u;
const slab_slices = 16u;
// Vectors of a column: one more than its elements fill, so that columns lie in different banks.
const pitch = threads / 4u + 1u;

// For each part and slab: the low words of the sums, then their high words.
@group(0) @binding(4) var<storage, read_write> sums: array<u32>;

// By column and element: the value, and from bit 12 on the weighted value.
var<workgroup> wg_values: array<vec4u, columns * pitch>;

fn range_bits(part: Part) -> u32 { return 32u - countLeadingZeros(part.range); }

fn unrest_at(part: Part, place: vec3i) -> u32 {
  var sides = size(neighbour_word(part, place, vec3i(-1, 0, 0))) + size(neighbour_word(part, place, vec3i(0, -1, 0)));
  if (place.z > 0) { sides += size(neighbour_word(part, place, vec3i(0, 0, -1))); }
  let corners = size(neighbour_word(part, place, vec3i(1, -1, 0))) + size(neighbour_word(part, place, vec3i(-1, -1, 0)));
  return u32(2 * sides + corners) >> fraction;
}

// Reads an element's neighbours, with a weight of 0 where it does not count.
fn load(part: Part, place: vec3i, is_inside: bool, shift: u32, thread: u32) {
  var weight = 0u;
  var is_flat = true;
  let count = count_of(place.z);
  if (is_inside) {
    var first = vec3i(0);
    for (var i = 0u; i < count; i++) {
      let value = i32(neighbour_value(part, place, neighbour_offsets[i]));
      if (i == 0u) { first.x = value; }
      if (i == 1u) { first.y = value; }
      if (i == select(in_plane_count, 2u, place.z == 0)) { first.z = value; }
      is_flat = is_flat && value == first.x;
      wg_values[i * pitch + thread / 4u][thread % 4u] = u32(value) >> shift;
    }
    let value = value_at(part, place);
    wg_values[neighbour_count * pitch + thread / 4u][thread % 4u] = value >> shift;
    if (!is_flat && !is_special(part, value)) {
      let gradients = abs(first.x - first.y) + abs(first.x - first.z) + abs(first.y - first.z);
      var unrest = u32(2 * gradients) >> (max(range_bits(part), 8u) - 8u);
      if (by_residuals == 1u) { unrest = unrest_at(part, place); }
      weight = max(1u, 252u / (4u + unrest));
    }
  }
  for (var i = 0u; i < columns; i++) {
    let is_used = weight > 0u && (i < count || i == neighbour_count);
    let at = i * pitch + thread / 4u;
    wg_values[at][thread % 4u] = select(0u, wg_values[at][thread % 4u] * (1u + (weight << 12u)), is_used);
  }
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
  let products = (wg_values[pair.x] >> vec4u(12u)) * (wg_values[pair.y] & vec4u(4095u));
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
