// Sums the products by which the CPU fits a part's weights: of each two of an element's neighbours, and of each neighbour and
// the element, weighed by how calm it is around. The sums are exact, in two words each.
// Algorithm: by tiles of elements. Each invocation reads the neighbours of one element into workgroup memory; then each sums
// some of the products over the tile.
// One workgroup owns one slab of a part: slice 0, or up to 16 slices behind it. Dispatch: slabs × parts.
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
const sums_per_thread = 4u;
const slab_slices = 16u;
const pitch = threads + 1u;

// For each part and slab: the low words of the sums, then their high words.
@group(0) @binding(4) var<storage, read_write> sums: array<u32>;

// By column and element: the value, and from bit 12 on the weighed value.
var<workgroup> wg_values: array<u32, columns * pitch>;

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
      wg_values[i * pitch + thread] = u32(value) >> shift;
    }
    let value = value_at(part, place);
    wg_values[neighbour_count * pitch + thread] = value >> shift;
    if (!is_flat && !is_special(part, value)) {
      let gradients = abs(first.x - first.y) + abs(first.x - first.z) + abs(first.y - first.z);
      var unrest = u32(2 * gradients) >> (max(range_bits(part), 8u) - 8u);
      if (by_residuals == 1u) { unrest = unrest_at(part, place); }
      weight = max(1u, 252u / (4u + unrest));
    }
  }
  for (var i = 0u; i < columns; i++) {
    let is_used = weight > 0u && (i < count || i == neighbour_count);
    let at = i * pitch + thread;
    wg_values[at] = select(0u, wg_values[at] * (1u + (weight << 12u)), is_used);
  }
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
  // Behind slice 0 one row in four counts.
  let rows = select((part.extent.y + 3u) / 4u, part.extent.y, slab == 0u);
  let total = slices * rows * part.extent.x;
  let shift = max(range_bits(part), 12u) - 12u;

  var pairs: array<vec2u, sums_per_thread>;
  for (var own = 0u; own < sums_per_thread; own++) {
    var rest = min(thread + own * threads, sum_count - 1u);
    var row = 0u;
    while (rest >= columns - row) {
      rest -= columns - row;
      row++;
    }
    pairs[own] = vec2u(row, row + rest) * pitch;
  }
  var low = vec4u(0u);
  var high = vec4u(0u);
  for (var base = 0u; base < total; base += threads) {
    let i = base + thread;
    let z = first_slice + i / (rows * part.extent.x);
    var y = (i / part.extent.x) % rows;
    if (slab > 0u) { y = 4u * y + ((0u - z) & 3u); }
    let place = vec3i(vec3u(i % part.extent.x, y, z));
    // The sums are done with the last tile.
    workgroupBarrier();
    load(part, place, i < total && y < part.extent.y, shift, thread);
    // The tile is read.
    workgroupBarrier();
    for (var own = 0u; own < sums_per_thread; own++) {
      let pair = pairs[own];
      for (var v = 0u; v < threads; v += 4u) {
        var sum = 0u;
        for (var k = v; k < v + 4u; k++) { sum += (wg_values[pair.x + k] >> 12u) * (wg_values[pair.y + k] & 4095u); }
        low[own] += sum;
        high[own] += u32(low[own] < sum);
      }
    }
  }
  let at = (number * workgroups.x + slab) * 2u * sum_count;
  for (var own = 0u; own < sums_per_thread; own++) {
    let entry = thread + own * threads;
    if (entry < sum_count) {
      sums[at + entry] = low[own];
      sums[at + sum_count + entry] = high[own];
    }
  }
}
