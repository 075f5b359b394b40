// A decoder's suffixes: turns bit planes of a brick's code into words of elements. SPEC.md, 'Suffixes'. Twin: `readPlanes` in
// src/core/codecs/rice/brick.ts.

import package::bricks::memory::load_word;
import package::bricks::packed::lanes;
import package::rice::brick::{Place, clipped};
import package::rice::planes::{Eight, high_halves, low_halves, transpose};
import package::rice::reader::{Coded, peek, reader_at};
import package::rice::spread::{Spread, places_of, spread_bits, spread_to};

// The planes of a set: how many there are, where they start, and the bits in each.
struct Planes { width: u32, bit: u32, count: u32, spread: Spread }

fn planes_of(place: Place, coded: Coded, number: u32) -> Planes {
  var found = Planes(coded.width, coded.suffixes, 32u, Spread());
  if (clipped == 1u) {
    found.spread = spread_to(places_of(place, number));
    found.count = countOneBits(found.spread.places);
  }
  // With elements of 1 byte, one invocation may own both sets of an unclipped group.
  if (lanes == 4u && number == 1u) { found.bit += coded.width * (place.count - found.count); }
  return found;
}

// Bit `bit` of all symbols of a set; 0 if no suffix has that bit. Unclipped planes are whole words.
fn plane_at(found: Planes, bit: u32) -> u32 {
  if (bit >= found.width) { return 0u; }
  if (clipped == 0u) { return load_word(found.bit / 32u + bit); }
  return spread_bits(peek(reader_at(found.bit + bit * found.count)), found.spread);
}

fn planes_from(found: Planes, bit: u32) -> Eight {
  return Eight(
    vec4u(plane_at(found, bit), plane_at(found, bit + 1u), plane_at(found, bit + 2u), plane_at(found, bit + 3u)),
    vec4u(plane_at(found, bit + 4u), plane_at(found, bit + 5u), plane_at(found, bit + 6u), plane_at(found, bit + 7u)));
}

// Joins one half of each byte, the low (0) or the high one (1), of `low` with the same half of `high` above it.
fn joined_halves(low: vec4u, high: vec4u, half: u32) -> vec4u {
  return ((low >> vec4u(4u * half)) & vec4u(0x0f0f0f0fu)) | ((high << vec4u(4u - 4u * half)) & vec4u(0xf0f0f0f0u));
}

// The suffixes of eight words of a part, from word 8 × `eighth` on.
fn suffixes_of(place: Place, coded: Coded, eighth: u32) -> Eight {
  if (lanes == 4u) { return transpose(planes_from(planes_of(place, coded, eighth), 0u)); }
  let found = planes_of(place, coded, 0u);
  let low_planes = planes_from(found, 0u);
  var high_planes = Eight();
  if (found.width > 8u) { high_planes = planes_from(found, 8u); }
  // These words' bits are the low or the high halves of the planes' bytes. Above each goes the half from the plane 8 further. One
  // transposition then gives low and high bytes, for two tiles side by side.
  let half = place.part + eighth;
  let nibbles = Eight(
    joined_halves(low_planes.low, high_planes.low, half),
    joined_halves(low_planes.high, high_planes.high, half));
  let bytes = transpose(nibbles);
  return Eight(low_halves(bytes.low, bytes.high, 0x00ff00ffu, 8u), high_halves(bytes.low, bytes.high, 0x00ff00ffu, 8u));
}
