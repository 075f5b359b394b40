// The places of the fields of a coded part, in bits from its first byte on. src/core/codecs/wave/SPEC.md, 'A coded part'.
// Twin: src/core/codecs/wave/header.ts.

import package::wave::layout::{Part, bits};

const neighbours = 28u;
const in_plane_neighbours = 10u;
const levels = 32u;
const cells = 27u;
const weight_bits = 11u;
const level_bits = 5u;
const bias_bits = 6u;

// The number of weights for later slices: 28, or none if there is only one slice.
fn weight_count(part: Part) -> u32 { return select(0u, neighbours, part.extent.z > 1u); }
fn weights_bit(special_count: u32) -> u32 { return 8u + (2u + special_count) * bits; }
fn levels_bit(part: Part, special_count: u32) -> u32 {
  return weights_bit(special_count) + (weight_count(part) + in_plane_neighbours) * weight_bits;
}
fn biases_bit(part: Part, special_count: u32) -> u32 { return levels_bit(part, special_count) + levels * level_bits; }
fn lengths_bit(part: Part, special_count: u32) -> u32 { return biases_bit(part, special_count) + 2u * cells * bias_bits + 16u; }
