// Bit planes of sets that the chunk's edge clips: moves the bits of existing elements together, and back to their places.
// SPEC.md, 'Suffixes'.

import package::bricks::packed::{lanes, lanes_below, ones};
import package::rice::brick::{Place, part_words, word_of};

// Words of the 32 elements of a set: eight, or all sixteen of a group.
override set_words: u32 = 32u / lanes;

// How to spread packed bits to the places of a set's existing elements. `by_n`: the places whose bits move up by n.
struct Spread { places: u32, by_1: u32, by_2: u32, by_4: u32, by_8: u32, by_16: u32 }

// One step of building a `Spread`: the places still to move, the gaps between them, and the places that moved.
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

// Packs the bits of a word at a set's places. As `compress` in Hacker's Delight, 7-4.
fn gather_bits(word: u32, spread: Spread) -> u32 {
  var together = moved_down(word & spread.places, 1u, spread.by_1);
  together = moved_down(together, 2u, spread.by_2);
  together = moved_down(together, 4u, spread.by_4);
  together = moved_down(together, 8u, spread.by_8);
  return moved_down(together, 16u, spread.by_16);
}

fn moved_down(apart: u32, shift: u32, moving: u32) -> u32 { return (apart & ~moving) | ((apart & moving) >> shift); }

// The existing elements of a part's set number `number`, as bits of a plane.
fn places_of(place: Place, number: u32) -> u32 {
  var group = place;
  group.part = 0u;
  var first = 0u;
  if (lanes == 4u) { first = place.part * part_words + 8u * number; }
  var places = 0u;
  for (var i = 0u; i < set_words; i++) {
    // The bit of the word's first element. The other elements have the same bit in the other lanes.
    var bit = i;
    if (lanes == 2u) { bit = 8u * ((i / 4u) % 2u) + 4u * (i / 8u) + i % 4u; }
    places |= (lanes_below(word_of(group, first + i).count) & ones) << bit;
  }
  return places;
}
