// Counts the voxels from `low` to `high` in 256 equal bins. Voxels outside, NaN and infinities are left out. Ownership and
// dispatch as in range.wgsl.
//
// Neighbours are similar and volumes are mostly background. So an invocation keeps its last bin and adds its count only when
// the bin changes: one atomic for many voxels.
//
// Invariants
// 1. Integer sums do not depend on the order of atomics.
// 2. `counts` is zero before the first dispatch.
// 3. 8-bit voxels are counted over their type's whole range, one bin per value.
//
// Twin: src/core/volume/streamed-statistics.ts.

import package::volume::voxel::{difference, element_type, is_finite, is_float, voxel_bits, voxel_key, voxels, voxels_per_unit};

struct Piece {
  row_units: u32,
  row_voxels: u32,
  first_unit: u32,
  unit_count: u32,
  /// First and last counted value, as keys.
  low_key: u32,
  high_key: u32,
  /// For floats: 2^power × low, and bins per unit of the scaled value.
  scaled_low: f32,
  bins_per_value: f32,
  /// For integers: a bin's width.
  bin_width: u32,
  power: i32,
}
@group(0) @binding(1) var<uniform> piece: Piece;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 256>;

var<workgroup> wg_counts: array<atomic<u32>, 256>;

fn bin_of(bits: u32) -> u32 {
  if (is_float()) {
    return u32(clamp(difference(bits, piece.low_key, piece.scaled_low, piece.power) * piece.bins_per_value, 0.0, 255.0));
  }
  return min((voxel_key(bits) - piece.low_key) / piece.bin_width, 255u);
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  var last_bin = 0u;
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
    if (element_type < 2u && end == first + 4u) {
      // A whole word of bytes: all of them count (invariant 3), and often all four are equal.
      let word = voxels[row_word + first / 4u] ^ select(0u, 0x80808080u, element_type == 1u);
      if (word == (word & 0xffu) * 0x01010101u) {
        let bin = word & 0xffu;
        if (bin != last_bin) {
          atomicAdd(&wg_counts[last_bin], last_count);
          last_bin = bin;
          last_count = 0u;
        }
        last_count += 4u;
      } else {
        atomicAdd(&wg_counts[word & 0xffu], 1u);
        atomicAdd(&wg_counts[(word >> 8u) & 0xffu], 1u);
        atomicAdd(&wg_counts[(word >> 16u) & 0xffu], 1u);
        atomicAdd(&wg_counts[word >> 24u], 1u);
      }
      continue;
    }
    for (var x = first; x < end; x++) {
      let bits = voxel_bits(row_word, x);
      let key = voxel_key(bits);
      if (!is_finite(bits) || key < piece.low_key || key > piece.high_key) {
        continue;
      }
      let bin = bin_of(bits);
      if (bin != last_bin) {
        atomicAdd(&wg_counts[last_bin], last_count);
        last_bin = bin;
        last_count = 0u;
      }
      last_count++;
    }
  }
  atomicAdd(&wg_counts[last_bin], last_count);
  // All invocations have added their counts.
  workgroupBarrier();
  let sum = atomicLoad(&wg_counts[local]);
  if (sum > 0u) {
    atomicAdd(&counts[local], sum);
  }
}
