// Collects the different whole numbers among the voxels of a box in a hash table: a number lies in the slot of its hash or, if that was
// taken, in one of the next.
//
// One invocation owns a voxel. Dispatch: ceil(voxels / 256) workgroups, spread over x and y.
//
// Invariants
// 1. `table` and `state` are zero before the first dispatch.
// 2. No loop waits for another invocation: after `probes` steps a number that finds no slot sets `state[0]`.
//
// Twin: `LabelBuilders.add` in src/core/mesh/label-builders.ts, which alone decides what to do about voxels that are not labels.

import package::volume::label::label_hash;
import package::volume::voxel::{element_type, is_signed, voxel_bits, voxels};

struct Piece {
  /// Voxels along x, and words from one row to the next.
  row_voxels: u32,
  row_words: u32,
  first_row: u32,
  voxel_count: u32,
}
@group(0) @binding(1) var<uniform> piece: Piece;
/// The inverted magnitudes, 0 in free slots: the first half for nonnegative numbers, the second for negative ones.
@group(0) @binding(2) var<storage, read_write> table: array<atomic<u32>>;
/// 1 if a voxel is not a 32-bit integer or there are too many numbers; and 1 if 2^32 − 1 occurs, whose inverse is 0.
@group(0) @binding(3) var<storage, read_write> state: array<atomic<u32>, 2>;

const slots = 4096u;
const probes = 512u;

/// High and low word of a voxel's bits; the high word is 0 except for f64.
fn bits_of(row: u32, x: u32) -> vec2u {
  if (element_type == 7u) {
    return vec2u(voxels[row + 2u * x + 1u], voxels[row + 2u * x]);
  }
  return vec2u(0u, voxel_bits(row, x));
}

/// Magnitude, 1 if it is negative, and 1 if it is a whole number below 2^32.
fn whole_number(bits: vec2u) -> vec3u {
  if (element_type < 6u) {
    let is_negative = is_signed() && (bits.y & 0x80000000u) != 0u;
    return vec3u(select(bits.y, 0u - bits.y, is_negative), u32(is_negative), 1u);
  }
  // Converts an f32 to an f64. Ignores subnormal numbers, infinities and NaN, which are not labels.
  var wide = bits;
  if (element_type == 6u) {
    let exponent = extractBits(bits.y, 23u, 8u);
    let fraction = bits.y & 0x7fffffu;
    wide = vec2u((bits.y & 0x80000000u) | ((exponent + 896u) << 20u) | (fraction >> 3u), fraction << 29u);
    if ((bits.y & 0x7fffffffu) == 0u) {
      wide = vec2u(0u);
    }
  }
  if ((wide.x & 0x7fffffffu) == 0u && wide.y == 0u) {
    return vec3u(0u, 0u, 1u);
  }
  let sign = wide.x >> 31u;
  let exponent = extractBits(wide.x, 20u, 11u);
  if (exponent < 1023u || exponent > 1054u) {
    return vec3u(0u);
  }
  // Places of the high word's 21 digits that are left of the point.
  let power = exponent - 1023u;
  let high = (wide.x & 0xfffffu) | 0x100000u;
  if (power <= 20u) {
    let rest = (high & ((1u << (20u - power)) - 1u)) | wide.y;
    return vec3u(high >> (20u - power), sign, u32(rest == 0u));
  }
  let more = power - 20u;
  return vec3u((high << more) | (wide.y >> (32u - more)), sign, u32((wide.y << more) == 0u));
}

fn insert(magnitude: u32, half: u32) {
  let key = ~magnitude;
  if (key == 0u) {
    atomicStore(&state[1], 1u);
    return;
  }
  var slot = label_hash(magnitude);
  for (var probe = 0u; probe < probes; probe++) {
    let at = half * slots + slot % slots;
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
      return;
    }
    slot++;
  }
  atomicStore(&state[0], 1u);
}

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
) {
  let index = (group.x + group.y * groups.x) * 256u + local;
  if (index >= piece.voxel_count || atomicLoad(&state[0]) == 1u) {
    return;
  }
  let row = index / piece.row_voxels;
  let x = index - row * piece.row_voxels;
  let word = (piece.first_row + row) * piece.row_words;
  let bits = bits_of(word, x);
  // Neighbours are often equal, so only the first voxel of a run is looked up.
  if (x > 0u && all(bits == bits_of(word, x - 1u))) {
    return;
  }
  let number = whole_number(bits);
  if (number.z == 0u || (number.y == 1u && number.x > 0x80000000u)) {
    atomicStore(&state[0], 1u);
    return;
  }
  insert(number.x, number.y);
}
