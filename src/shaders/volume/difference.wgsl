// Compares two volumes of the same shape and type voxel by voxel: writes first − second as f32 if that is kept, and counts
// differences. `voxels` is a box of the first volume.
//
// The compared part lies in one box of each volume and one box of differences. An invocation owns 32 voxels, 256 apart. A
// workgroup owns 8192 neighbouring voxels and writes one partial result, which the CPU adds up in doubles.
// Dispatch: ceil(count / 8192) workgroups along x, at most 65,535.
//
// Invariants
// 1. Two voxels differ if and only if their bits do: NaN equals the same NaN, and 0 differs from −0.
// 2. For integers the magnitude and its sum (64 bits) are exact. For floats they are f32, like the picture; values that are not
//    finite have no magnitude.
// 3. Among equal magnitudes the first voxel's place is kept, so partial results do not depend on any order.
//
// Twin: src/core/volume/resident/difference.gpu.test.ts computes the same on the CPU.

import package::volume::voxel::{element_type, f64_to_f32_bits, is_finite, is_float, voxel_bits, voxel_key, voxels};

/// 0: there is no memory for the differences, so `differences` is not written.
override keeps_differences: u32;

struct Place {
  first_row: u32,
  first_plane: u32,
  /// Rows per plane of the box.
  rows: u32,
  spare: u32,
}

struct Part {
  columns: u32,
  rows: u32,
  /// The dispatch's first voxel, counted within the part, and its number of voxels.
  first: u32,
  count: u32,
  /// Words per row of the two volumes.
  row_words: u32,
  first_result: u32,
  spare_0: u32,
  spare_1: u32,
  one: Place,
  two: Place,
  target_place: Place,
}

struct Result {
  differing: u32,
  /// The integer itself, or the bits of a non-negative float. Both rise with the magnitude.
  magnitude: u32,
  /// The voxel with that magnitude, counted within the part.
  place: u32,
  /// Two halves of an integer, or an f32 and nothing.
  sum_low: u32,
  sum_high: u32,
}

@group(0) @binding(1) var<uniform> part: Part;
@group(0) @binding(2) var<storage, read> other: array<u32>;
@group(0) @binding(3) var<storage, read_write> differences: array<f32>;
@group(0) @binding(4) var<storage, read_write> results: array<Result>;

var<workgroup> wg_results: array<Result, 256>;

/// As `voxel_bits`, for `other`.
fn other_bits(row: u32, x: u32) -> u32 {
  switch element_type {
    case 0u: {
      return extractBits(other[row + x / 4u], (x % 4u) * 8u, 8u);
    }
    case 1u: {
      return bitcast<u32>(extractBits(bitcast<i32>(other[row + x / 4u]), (x % 4u) * 8u, 8u));
    }
    case 2u: {
      return extractBits(other[row + x / 2u], (x % 2u) * 16u, 16u);
    }
    case 3u: {
      return bitcast<u32>(extractBits(bitcast<i32>(other[row + x / 2u]), (x % 2u) * 16u, 16u));
    }
    case 7u: {
      return f64_to_f32_bits(other[row + 2u * x], other[row + 2u * x + 1u]);
    }
    default: {
      return other[row + x];
    }
  }
}

/// Words before a row of the part, in a box whose rows have `row_words` words.
fn row_start(place: Place, row: u32, plane: u32, row_words: u32) -> u32 {
  return ((place.first_plane + plane) * place.rows + place.first_row + row) * row_words;
}

fn joined(a: Result, b: Result) -> Result {
  var sum = a;
  sum.differing += b.differing;
  if (b.magnitude > a.magnitude || (b.magnitude == a.magnitude && b.place < a.place)) {
    sum.magnitude = b.magnitude;
    sum.place = b.place;
  }
  if (is_float()) {
    sum.sum_low = bitcast<u32>(bitcast<f32>(a.sum_low) + bitcast<f32>(b.sum_low));
  } else {
    sum.sum_low = a.sum_low + b.sum_low;
    sum.sum_high = a.sum_high + b.sum_high + select(0u, 1u, sum.sum_low < a.sum_low);
  }
  return sum;
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
  var found = Result(0u, 0u, 0xffffffffu, 0u, 0u);
  for (var step = 0u; step < 32u; step++) {
    let offset = group.x * 8192u + step * 256u + local;
    if (offset >= part.count) {
      break;
    }
    let at = part.first + offset;
    let x = at % part.columns;
    let row = (at / part.columns) % part.rows;
    let plane = at / (part.columns * part.rows);
    let one_row = row_start(part.one, row, plane, part.row_words);
    let two_row = row_start(part.two, row, plane, part.row_words);
    let a = voxel_bits(one_row, x);
    let b = other_bits(two_row, x);
    var differs = a != b;
    if (element_type == 7u) {
      let low = 2u * x;
      differs = voxels[one_row + low] != other[two_row + low] || voxels[one_row + low + 1u] != other[two_row + low + 1u];
    }
    var magnitude = 0u;
    var value = 0f;
    if (is_float()) {
      value = bitcast<f32>(a) - bitcast<f32>(b);
      let bits = bitcast<u32>(value) & 0x7fffffffu;
      magnitude = select(0u, bits, differs && is_finite(a) && is_finite(b) && bits < 0x7f800000u);
      value = select(0f, value, differs);
    } else {
      let key_a = voxel_key(a);
      let key_b = voxel_key(b);
      magnitude = max(key_a, key_b) - min(key_a, key_b);
      value = select(-f32(magnitude), f32(magnitude), key_a >= key_b);
    }
    if (keeps_differences != 0u) {
      differences[row_start(part.target_place, row, plane, part.columns) + x] = value;
    }
    if (differs) {
      // For floats, too, the sum starts with the bits of the magnitude.
      found = joined(found, Result(1u, magnitude, at, magnitude, 0u));
    }
  }

  wg_results[local] = found;
  for (var stride = 128u; stride > 0u; stride /= 2u) {
    workgroupBarrier(); // both halves are stored before one is joined to the other
    if (local < stride) {
      wg_results[local] = joined(wg_results[local], wg_results[local + stride]);
    }
  }
  if (local == 0u) {
    results[part.first_result + group.x] = wg_results[0];
  }
}
