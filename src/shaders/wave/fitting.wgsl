// The elements that count in a fit, their weights, and the places of their sums. Twin: `fit` in src/core/codecs/wave/loops.ts.

import constants::by_residuals;
import package::wave::contexts::size;
import package::wave::layout::{Part, fraction};
import package::wave::places::around_of;
import package::wave::predicted::elements;
import package::wave::values::neighbour_count;

const sum_count = 434u;
// The neighbours are seven blocks of four columns. Of the 32 lanes of a fit, 28 have a pair of blocks and a neighbour each.
const blocks = neighbour_count / 4u;
const block_pairs = 28u;
const lanes = 32u;
const slab_slices = 8u;

// For each part: the low words of the sums over slice 0, then their high words, then both for the other slices.
@group(0) @binding(3) var<storage, read_write> sums: array<atomic<u32>>;

// The rows of a slab that count: those of slice 0, or one in `period` of up to 8 slices after it.
struct FittedRows { first_slice: u32, slices: u32, in_slice: u32, period: u32 }

// The rows of a slab. A slab after the last one has no slices.
fn fitted_rows(part: Part, slab: u32) -> FittedRows {
  if (slab == 0u) { return FittedRows(0u, 1u, part.extent.y, 1u); }
  let first = 1u + slab_slices * (slab - 1u);
  let slices = min(slab_slices, max(part.extent.z, first) - first);
  let period = select(16u, 4u, by_residuals == 1u || part.extent.y * part.extent.z < 1024u);
  return FittedRows(first, slices, (part.extent.y + period - 1u) / period, period);
}

// A row's y and z. It may be below the part.
fn fitted_row(rows: FittedRows, number: u32) -> vec2u {
  let z = rows.first_slice + number / rows.in_slice;
  return vec2u(rows.period * (number % rows.in_slice) + ((0u - z) & (rows.period - 1u)), z);
}

fn range_bits(part: Part) -> u32 { return 32u - countLeadingZeros(part.range); }

// The variation of an element's surroundings. @param third the neighbour behind; in slice 0, the one above on the left
fn unrest_of(part: Part, place: vec3i, left: u32, above: u32, third: u32) -> u32 {
  if (by_residuals == 0u) {
    let values = vec3i(vec3u(left, above, third));
    let gradients = abs(values.x - values.y) + abs(values.x - values.z) + abs(values.y - values.z);
    return u32(2 * gradients) >> (max(range_bits(part), 8u) - 8u);
  }
  let a = around_of(part, place);
  var sides = size(elements[a.here - 1u]) + size(elements[a.up]);
  if (place.z > 0) { sides += size(elements[a.behind]); }
  let corners = size(elements[a.up + a.right]) + size(elements[a.up - a.right]);
  return u32(2 * sides + corners) >> fraction;
}

// The weight, 1 to 63, from the variation of the surroundings.
fn weight_by(unrest: u32) -> u32 { return max(1u, 252u / (4u + unrest)); }

// The blocks of pair `number`, in the order (0, 0), (0, 1) … (6, 6).
fn pair_of(number: u32) -> vec2u {
  var rest = min(number, block_pairs - 1u);
  var row = 0u;
  while (rest >= blocks - row) {
    rest -= blocks - row;
    row++;
  }
  return vec2u(row, row + rest);
}

// The place of the part's sums over slice 0, or over the other slices.
fn sums_at(number: u32, slab: u32) -> u32 { return (2u * number + u32(slab > 0u)) * 2u * sum_count; }

// Adds low + 2^16 high to a sum of the part.
fn put_sum(at: u32, row: u32, column: u32, low: u32, high: u32) {
  // A block paired with itself has each product twice.
  if (row > column) { return; }
  let entry = at + row * (neighbour_count + 1u) - (row * (row + 1u)) / 2u + column;
  let upper = high + (low >> 16u);
  let word = (upper << 16u) | (low & 0xffffu);
  let before = atomicAdd(&sums[entry], word);
  let rest = (upper >> 16u) + u32(before + word < word);
  if (rest > 0u) { atomicAdd(&sums[entry + sum_count], rest); }
}
