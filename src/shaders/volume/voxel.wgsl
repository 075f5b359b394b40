// Reads one voxel of any of the eight element types from a box of padded rows (`GpuVoxels` in core/codec/codec.ts).
// A prelude: TypeScript puts this file in front of each shader that reads voxels (statistics, texture fill, slices).
//
// A voxel is handed on as 32 *bits*: integers extended to 32 bits by their own sign, f32 as it is, f64 rounded to f32
// (nearest even; subnormal results become 0; finite values beyond f32 become its largest). The *key* of these bits is a
// u32 that rises as the value rises, so that minima, differences and ranges of integers are exact.
//
// Invariants
// 1. Floats are tested for NaN and infinity by their bits: WGSL allows implementations to assume there are none.

/// Place in `elementTypes` (core/shared/volume.ts): u8 i8 u16 i16 u32 i32 f32 f64.
override element_type: u32;

/// The box's words: x fastest, rows padded to whole words.
@group(0) @binding(0) var<storage, read> voxels: array<u32>;

fn is_float() -> bool {
  return element_type >= 6u;
}

/// Voxels in one unit of work: a word, or two for f64.
fn voxels_per_unit() -> u32 {
  return select(select(1u, 2u, element_type < 4u), 4u, element_type < 2u);
}

fn f64_to_f32_bits(low: u32, high: u32) -> u32 {
  let sign = high & 0x80000000u;
  let exponent = extractBits(high, 20u, 11u);
  let mantissa = ((high & 0xfffffu) << 3u) | (low >> 29u);
  let rest = low & 0x1fffffffu;
  if (exponent == 0x7ffu) {
    return sign | 0x7f800000u | select(0u, 0x400000u, (mantissa | rest) != 0u);
  }
  if (exponent < 897u) {
    return sign;
  }
  if (exponent > 1150u) {
    return sign | 0x7f7fffffu;
  }
  let truncated = ((exponent - 896u) << 23u) | mantissa;
  let up = rest > 0x10000000u || (rest == 0x10000000u && (mantissa & 1u) == 1u);
  return sign | min(truncated + select(0u, 1u, up), 0x7f7fffffu);
}

/// The 32 bits of voxel `x` in the row that starts at word `row`.
fn voxel_bits(row: u32, x: u32) -> u32 {
  switch element_type {
    case 0u: {
      return extractBits(voxels[row + x / 4u], (x % 4u) * 8u, 8u);
    }
    case 1u: {
      return bitcast<u32>(extractBits(bitcast<i32>(voxels[row + x / 4u]), (x % 4u) * 8u, 8u));
    }
    case 2u: {
      return extractBits(voxels[row + x / 2u], (x % 2u) * 16u, 16u);
    }
    case 3u: {
      return bitcast<u32>(extractBits(bitcast<i32>(voxels[row + x / 2u]), (x % 2u) * 16u, 16u));
    }
    case 7u: {
      return f64_to_f32_bits(voxels[row + 2u * x], voxels[row + 2u * x + 1u]);
    }
    default: {
      return voxels[row + x];
    }
  }
}

fn is_finite(bits: u32) -> bool {
  return !is_float() || (bits & 0x7f800000u) != 0x7f800000u;
}

/// A u32 that rises with the value.
fn voxel_key(bits: u32) -> u32 {
  if (is_float()) {
    return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
  }
  let signed = element_type == 1u || element_type == 3u || element_type == 5u;
  return select(bits, bits ^ 0x80000000u, signed);
}

/// value − low, given low's key and, for floats, low itself. Exact for integers until the difference is rounded to f32.
/// Floats are halved first, so that the difference of two large ones stays finite: the result is half of it for floats.
fn difference(bits: u32, low_key: u32, low: f32) -> f32 {
  if (is_float()) {
    return 0.5 * bitcast<f32>(bits) - 0.5 * low;
  }
  let key = voxel_key(bits);
  return select(-f32(low_key - key), f32(key - low_key), key >= low_key);
}
