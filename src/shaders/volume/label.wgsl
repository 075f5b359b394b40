// The numbers of labels, and their hashes, for tables in memory and in textures.

import package::volume::voxel::is_float;

/// A label's number as 32 bits: those of an integer, signed or not. Floats are rounded.
fn label_number(bits: u32) -> u32 {
  if (is_float()) {
    return bitcast<u32>(i32(round(bitcast<f32>(bits))));
  }
  return bits;
}

fn label_hash(number: u32) -> u32 {
  let mixed = (number ^ (number >> 16u)) * 0x7feb352du;
  return (mixed ^ (mixed >> 15u)) * 0x846ca68bu;
}
