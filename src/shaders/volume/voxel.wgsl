// Reads one voxel of any of the eight element types from a box of padded rows (`GpuVoxels` in core/codec/codec.ts).
//
// A voxel's *bits* are 32 bits: integers extended with their own sign, f32 as it is, f64 rounded to f32 (to nearest even;
// subnormal results become 0; finite values beyond f32 become its largest). The *key* of these bits is a u32 that rises with the
// value, so that minima, differences and ranges of integers are exact.
//
// Invariants
// 1. NaN and infinity are detected by bits, because WGSL lets implementations assume that there are none.

/// Index in `elementTypes` (core/shared/volume.ts): u8 i8 u16 i16 u32 i32 f32 f64.
override element_type: u32;

/// The box's words: x fastest, rows padded to whole words.
@group(0) @binding(0) var<storage, read> voxels: array<u32>;

fn is_float() -> bool {
  return element_type >= 6u;
}

fn is_signed() -> bool {
  return element_type == 1u || element_type == 3u || element_type == 5u;
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
  return select(bits, bits ^ 0x80000000u, is_signed());
}

/// The inverse of `voxel_key`.
fn bits_of_key(key: u32) -> u32 {
  if (is_float()) {
    return select(~key, key ^ 0x80000000u, (key & 0x80000000u) != 0u);
  }
  return select(key, key ^ 0x80000000u, is_signed());
}

/// The value as a float: integers beyond 2^24 are rounded.
fn value_of(bits: u32) -> f32 {
  if (is_float()) {
    return bitcast<f32>(bits);
  }
  return select(f32(bits), f32(bitcast<i32>(bits)), is_signed());
}

/// 2^power; power: −126…127.
fn power_of_two(power: i32) -> f32 {
  return bitcast<f32>(u32(power + 127) << 23u);
}

/// 2^power × a finite float, from its bits, because GPUs may treat subnormal numbers as 0. Exact from 2^-100 to 2^60. Smaller
/// results may become 0, larger ones become 2^60.
fn scaled(bits: u32, power: i32) -> f32 {
  let exponent = extractBits(bits, 23u, 8u);
  let fraction = bits & 0x7fffffu;
  // The value is whole × 2^(place − power).
  let whole = f32(select(fraction | 0x800000u, fraction, exponent == 0u));
  let place = max(i32(exponent), 1) - 150 + power;
  var size = whole * power_of_two(clamp(place, -126, 37));
  if (whole == 0.0 || place < -126) {
    size = 0.0;
  } else if (place > 37) {
    size = power_of_two(60);
  }
  return select(size, -size, (bits & 0x80000000u) != 0u);
}

/// 2^power × (value − low), given low's key and 2^power × low. The power is chosen so that no window overflows or vanishes
/// (`valuePower` in src/core/volume/value-scale.ts). Exact for integers until the difference is rounded to f32.
fn difference(bits: u32, low_key: u32, scaled_low: f32, power: i32) -> f32 {
  if (is_float()) {
    return scaled(bits, power) - scaled_low;
  }
  let key = voxel_key(bits);
  return select(-f32(low_key - key), f32(key - low_key), key >= low_key) * power_of_two(power);
}
