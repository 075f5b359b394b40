// A decoder's suffixes: planes of bits, found in a brick's code and turned into words of elements. No entry point: kernels.ts puts it in front
// of decode.wgsl, behind planes.wgsl. SPEC.md, 'Suffixes'. Twin: `readPlanes` in src/core/codecs/rice/brick.ts.

// Words of the 32 elements that planes are for: eight, or sixteen, which are all of a group.
override set_words: u32 = 32u / lanes;

// How to put bits that stand together into the places of a set that there are: which of them come by so many bits.
struct Spread { places: u32, by_1: u32, by_2: u32, by_4: u32, by_8: u32, by_16: u32 }

// One step of making it, as places move together: where those are that still move, the gaps' ends, and which places moved.
struct Closing { places: u32, gaps: u32, moved: u32 }

fn close(before: Closing, shift: u32) -> Closing {
  // Places with an odd number of gaps below them.
  var odd = before.gaps ^ (before.gaps << 1u);
  odd ^= odd << 2u;
  odd ^= odd << 4u;
  odd ^= odd << 8u;
  odd ^= odd << 16u;
  let moved = odd & before.places;
  return Closing((before.places ^ moved) | (moved >> shift), before.gaps & ~odd, moved);
}

// As `expand` in Hacker's Delight, 7-5.
fn spread_to(places: u32) -> Spread {
  let one = close(Closing(places, ~places << 1u, 0u), 1u);
  let two = close(one, 2u);
  let four = close(two, 4u);
  let eight = close(four, 8u);
  return Spread(places, one.moved, two.moved, four.moved, eight.moved, close(eight, 16u).moved);
}

fn moved_up(together: u32, shift: u32, to: u32) -> u32 { return (together & ~to) | ((together << shift) & to); }

fn spread_bits(together: u32, spread: Spread) -> u32 {
  var bits_there = moved_up(together, 16u, spread.by_16);
  bits_there = moved_up(bits_there, 8u, spread.by_8);
  bits_there = moved_up(bits_there, 4u, spread.by_4);
  bits_there = moved_up(bits_there, 2u, spread.by_2);
  return moved_up(bits_there, 1u, spread.by_1) & spread.places;
}

// The places that there are of a part's set number `number`, as bits of a plane.
fn places_of(place: Place, number: u32) -> u32 {
  var group = place;
  group.part = 0u;
  var first = 0u;
  if (lanes == 4u) { first = place.part * part_words + 8u * number; }
  var places = 0u;
  for (var i = 0u; i < set_words; i++) {
    // Of the word's first element; the others have the bits of the same number in the other lanes.
    var bit = i;
    if (lanes == 2u) { bit = 8u * ((i / 4u) % 2u) + 4u * (i / 8u) + i % 4u; }
    places |= (lanes_below(word_of(group, first + i).count) & ones) << bit;
  }
  return places;
}

// The planes of a set: how many, and where they stand, each of `count` bits.
struct Planes { width: u32, bit: u32, count: u32, spread: Spread }

fn planes_of(place: Place, coded: Coded, number: u32) -> Planes {
  var found = Planes(coded.width, coded.suffixes, 32u, Spread());
  if (clipped == 1u) {
    found.spread = spread_to(places_of(place, number));
    found.count = countOneBits(found.spread.places);
  }
  // Parts of whole groups have two sets where one invocation has them all.
  if (lanes == 4u && number == 1u) { found.bit += coded.width * (place.count - found.count); }
  return found;
}

// Bit `bit` of all symbols of a set; 0 if it belongs to no suffix. Planes that nothing clips are whole words.
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

// One half of each byte, the low (0) or the high one (1): that of `low`, and above it that of `high`.
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
  // These words' bits are the low or the high halves of the planes' bytes; above each goes that of the plane 8 further. So low and high
  // bytes come of one transposition, those of two tiles side by side.
  let half = place.part + eighth;
  let nibbles = Eight(
    joined_halves(low_planes.low, high_planes.low, half),
    joined_halves(low_planes.high, high_planes.high, half));
  let bytes = transpose(nibbles);
  return Eight(low_halves(bytes.low, bytes.high, 0x00ff00ffu, 8u), high_halves(bytes.low, bytes.high, 0x00ff00ffu, 8u));
}
