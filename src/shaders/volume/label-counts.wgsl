// Counts the voxels of each number in a hash table: a label lies in the slot of its hash or, if that was taken, in one of
// the next. Voxels that are NaN or infinite are left out. Ownership and dispatch as in range.wgsl.
//
// Neighbours are often equal. So an invocation keeps its last number and adds its count only when the number changes.
//
// Invariants
// 1. Integer sums do not depend on the order of atomics. The order of the slots does.
// 2. `table` and `rest` are zero before the first dispatch.
// 3. No loop waits for another invocation: after `probes` steps a label that finds no slot sets `rest[1]`, and the result is void.
//
// Twin: src/core/volume/label-counts.gpu.test.ts computes the same on the CPU.

import package::volume::voxel::{element_type, is_finite, voxel_bits, voxels_per_unit};
import package::volume::label::{label_hash, label_number};

struct Piece {
  row_units: u32,
  row_voxels: u32,
  first_unit: u32,
  unit_count: u32,
  /// Slots of the table − 1: a power of two − 1.
  mask: u32,
}
@group(0) @binding(1) var<uniform> piece: Piece;
/// Two words per slot: the inverted number, 0 if the slot is free; and the count.
@group(0) @binding(2) var<storage, read_write> table: array<atomic<u32>>;
/// The voxels with the number 2^32 − 1 (or −1), whose inverse is 0; and 1 if the table was too small.
@group(0) @binding(3) var<storage, read_write> rest: array<atomic<u32>, 2>;

const probes = 512u;

fn add(number: u32, count: u32) {
  let key = ~number;
  if (count == 0u) {
    return;
  }
  if (key == 0u) {
    atomicAdd(&rest[0], count);
    return;
  }
  var slot = label_hash(number);
  for (var probe = 0u; probe < probes; probe++) {
    let at = 2u * (slot & piece.mask);
    var found = atomicLoad(&table[at]);
    if (found == 0u) {
      let taken = atomicCompareExchangeWeak(&table[at], 0u, key);
      found = select(taken.old_value, key, taken.exchanged);
      // The exchange may fail spuriously; then the same slot is tried again.
      if (found == 0u) {
        continue;
      }
    }
    if (found == key) {
      atomicAdd(&table[at + 1u], count);
      return;
    }
    slot++;
  }
  atomicStore(&rest[1], 1u);
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  // The table is already too small, as for a volume of intensities.
  if (atomicLoad(&rest[1]) == 1u) {
    return;
  }
  var last_number = 0u;
  var last_count = 0u;
  let per_unit = voxels_per_unit();
  let unit_words = select(1u, 2u, element_type == 7u);
  for (var step = 0u; step < 16u; step++) {
    let offset = group.x * 4096u + step * 256u + local;
    if (offset >= piece.unit_count) {
      break;
    }
    let unit = piece.first_unit + offset;
    let row = unit / piece.row_units;
    let row_word = row * piece.row_units * unit_words;
    let first = (unit - row * piece.row_units) * per_unit;
    let end = min(first + per_unit, piece.row_voxels);
    for (var x = first; x < end; x++) {
      let bits = voxel_bits(row_word, x);
      if (!is_finite(bits)) {
        continue;
      }
      let number = label_number(bits);
      if (number != last_number) {
        add(last_number, last_count);
        last_number = number;
        last_count = 0u;
      }
      last_count++;
    }
  }
  add(last_number, last_count);
}
