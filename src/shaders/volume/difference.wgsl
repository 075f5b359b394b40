// Compares two volumes of the same shape and type voxel by voxel: writes first − second as f32 where that is kept, and counts.
// voxel.wgsl stands in front of it; `voxels` is a box of the first volume.
//
// The part that is compared lies in one box of each volume and in one of the difference. An invocation owns 32 voxels that
// lie 256 apart, a workgroup 8192 side by side, and gives one partial result: the processor adds those up, in doubles.
// Dispatch: ceil(count / 8192) workgroups along x, at most 65,535.
//
// Invariants
// 1. Two voxels differ if and only if their bits do; NaN equals the same NaN, and 0 is not −0.
// 2. Of integers the magnitude and its sum are exact (the sum has 64 bits). Floats: f32, as the picture shows them; what is
//    not finite has no magnitude.
// 3. Of equal magnitudes the first voxel's place is kept: partial results do not depend on any order.
//
// Twin: src/core/volume/difference.gpu.test.ts computes the same on the CPU.

import package::volume::voxel::{element_type, f64_to_f32_bits, is_finite, is_float, voxel_bits, voxel_key, voxels};

/// 0: there is no room for the differences, and `differences` is not written.
override keeps_differences: u32;

struct Place {
  first_row: u32,
  first_plane: u32,
  /// Rows of a plane of the box.
  rows: u32,
  spare: u32,
}

struct Part {
  columns: u32,
  rows: u32,
  /// The dispatch's first voxel, counted in the part, and how many it has.
  first: u32,
  count: u32,
  /// Words of a row of the two volumes.
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
  /// Of integers as they are, of floats the bits of a number that is not negative: both rise with the magnitude.
  magnitude: u32,
  /// Where that is, counted in the part.
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

/// As `voxel_bits`, of `other`.
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

/// Words in front of a row of the part, in a box whose rows have `row_words`.
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
      // Of floats, too, the bits of the magnitude are what the sum begins with.
      found = joined(found, Result(1u, magnitude, at, magnitude, 0u));
    }
  }

  wg_results[local] = found;
  for (var stride = 128u; stride > 0u; stride /= 2u) {
    workgroupBarrier(); // both halves are there before one is joined to the other
    if (local < stride) {
      wg_results[local] = joined(wg_results[local], wg_results[local + stride]);
    }
  }
  if (local == 0u) {
    results[part.first_result + group.x] = wg_results[0];
  }
}
