// Finds the smallest and the largest finite voxel, how many are NaN or infinite, and how flat the volume is: in every 16th row,
// among the voxels that are not 0 and have a left neighbour, how many equal it. (Labels are flat, scans are not.)
//
// One invocation owns 16 units (a word each, two for f64), 256 apart. One workgroup owns 4096 neighbouring units.
// Dispatch: ceil(unit_count / 4096) workgroups along x, at most 65,535.
//
// Invariants
// 1. Minima, maxima and integer sums do not depend on the order of atomics.
// 2. `result` is (0xffffffff, 0, 0, 0, 0) before the first dispatch.
//
// Twin: src/core/volume/streamed-statistics.ts.

import package::volume::voxel::{element_type, is_finite, voxel_bits, voxel_key, voxels_per_unit};

struct Piece {
  /// Units of one row, including padding.
  row_units: u32,
  /// Voxels of one row.
  row_voxels: u32,
  first_unit: u32,
  unit_count: u32,
  /// Units come from every n-th row: from all rows, or from some for 8-bit voxels, whose histogram gives the rest.
  row_step: u32,
  /// Keys of the lowest and the highest value that counts.
  first_key: u32,
  last_key: u32,
}
@group(0) @binding(1) var<uniform> piece: Piece;
/// Smallest key, largest key, not finite, not 0 with a left neighbour, and how many of those equal it.
@group(0) @binding(2) var<storage, read_write> result: array<atomic<u32>, 5>;

var<workgroup> wg_result: array<atomic<u32>, 5>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  if (local == 0u) {
    atomicStore(&wg_result[0], 0xffffffffu);
  }
  // The first element has its start value before the atomics below.
  workgroupBarrier();

  var low = 0xffffffffu;
  var high = 0u;
  var counts = vec3u(0u);
  let per_unit = voxels_per_unit();
  let unit_words = select(1u, 2u, element_type == 7u);
  for (var step = 0u; step < 16u; step++) {
    let offset = group.x * 4096u + step * 256u + local;
    if (offset >= piece.unit_count) {
      break;
    }
    let unit = piece.first_unit + offset;
    let counted_row = unit / piece.row_units;
    let row = counted_row * piece.row_step;
    let counts_flat = row % 16u == 0u;
    let row_word = row * piece.row_units * unit_words;
    let first = (unit - counted_row * piece.row_units) * per_unit;
    let end = min(first + per_unit, piece.row_voxels);
    for (var x = first; x < end; x++) {
      let bits = voxel_bits(row_word, x);
      if (!is_finite(bits)) {
        counts.x++;
        continue;
      }
      let key = voxel_key(bits);
      if (key < piece.first_key || key > piece.last_key) {
        continue;
      }
      low = min(low, key);
      high = max(high, key);
      if (counts_flat && bits != 0u && x > 0u) {
        counts.y++;
        counts.z += select(0u, 1u, voxel_bits(row_word, x - 1u) == bits);
      }
    }
  }
  atomicMin(&wg_result[0], low);
  atomicMax(&wg_result[1], high);
  atomicAdd(&wg_result[2], counts.x);
  atomicAdd(&wg_result[3], counts.y);
  atomicAdd(&wg_result[4], counts.z);
  // All invocations have added their results.
  workgroupBarrier();
  if (local == 0u) {
    atomicMin(&result[0], atomicLoad(&wg_result[0]));
    atomicMax(&result[1], atomicLoad(&wg_result[1]));
    atomicAdd(&result[2], atomicLoad(&wg_result[2]));
    atomicAdd(&result[3], atomicLoad(&wg_result[3]));
    atomicAdd(&result[4], atomicLoad(&wg_result[4]));
  }
}
