// The numbers of labels, and their hashes, for tables in memory and in textures.

import package::volume::voxel::is_float;

/// A label's number as 32 bits: those of an integer, signed or not. Floats are rounded to the nearest whole number, halves to the
/// even one. Twin: labelNumbers in src/core/volume/label-number.ts.
fn label_number(bits: u32) -> u32 {
  if (is_float()) {
    return bitcast<u32>(i32(clamp(round(bitcast<f32>(bits)), -2147483648.0, 2147483520.0)));
  }
  return bits;
}

fn label_hash(number: u32) -> u32 {
  let mixed = (number ^ (number >> 16u)) * 0x7feb352du;
  return (mixed ^ (mixed >> 15u)) * 0x846ca68bu;
}
