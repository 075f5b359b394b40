// Finds the heads and tails of a unit's groups. SPEC.md, 'Classes; heads and tails'.
// Algorithm: in an unclipped brick all groups of a class have the same length, so a group's heads follow from the number of
// earlier groups with its class, which is a count of equal nibbles. The tails of all classes are contiguous; a scan places them.

import package::bricks::packed::{bits, low_bits};
import package::predict::brick::{Chunk, Place, class_count, group_shape, head_words, section_count, size_of, tail_words, threads};
import package::predict::scan::scan;

// As places.wgsl left them.
@group(0) @binding(4) var<storage, read> places: array<u32>;
@group(0) @binding(5) var<storage, read> starts: array<u32>;

// The unit's classes, 4 bits for each group inside the chunk.
var<workgroup> wg_class_words: array<u32, 8>;
// For each group of an unclipped brick: its class, and the first words of its heads and tails.
var<workgroup> wg_groups: array<vec3u, threads>;

fn class_at(index: u32) -> u32 { return min((wg_class_words[index / 8u] >> (4u * (index % 8u))) & 15u, class_count); }

// How many of a word's nibbles under `mask` equal `value`.
fn count_nibbles(word: u32, value: u32, mask: u32) -> u32 {
  var differing = word ^ (value * 0x11111111u);
  differing |= differing >> 2u;
  differing |= differing >> 1u;
  return countOneBits(~differing & 0x11111111u & mask);
}

// Words of heads of the earlier groups with the group's class.
fn heads_before(place: Place, group_class: u32) -> u32 {
  if (place.is_whole) {
    var count = 0u;
    for (var word = 0u; word < 8u; word++) {
      let nibbles = min(max(place.group_index, 8u * word) - 8u * word, 8u);
      count += count_nibbles(wg_class_words[word], group_class, low_bits(4u * nibbles));
    }
    return count * head_words(group_class, threads);
  }
  var words = 0u;
  for (var index = 0u; index < place.group_index; index++) {
    if (class_at(index) == group_class) {
      let number = vec3u(index % place.groups.x, (index / place.groups.x) % place.groups.y, index / (place.groups.x * place.groups.y));
      let size = size_of(place.extent, number * group_shape());
      words += head_words(group_class, size.x * size.y * size.z);
    }
  }
  return words;
}

// Words of the unit's classes.
fn class_words(place: Place) -> u32 { return (place.groups.x * place.groups.y * place.groups.z + 7u) / 8u; }

// The word of the payload where a unit's part of a section starts. Section 0 is the classes, 1 the tails, 1 + c the heads of
// class c.
fn unit_part(chunk: Chunk, chunk_number: u32, unit: u32, section: u32) -> u32 {
  return chunk.payload_word + starts[(section_count + 3u) * chunk_number + 2u + section] + places[section_count * unit + section];
}

// Fills wg_groups. The whole workgroup must call it, after wg_class_words is filled and a barrier. A barrier must follow.
fn place_groups(place: Place, chunk: Chunk, chunk_number: u32, unit: u32, thread: u32) {
  var group_class = 0u;
  if (place.count > 0u) { group_class = class_at(place.group_index); }
  var start = unit_part(chunk, chunk_number, unit, 1u + group_class);
  if (group_class > 0u) { start += heads_before(place, group_class); }
  var tail_start = unit_part(chunk, chunk_number, unit, 1u);
  if (bits == 16u) { tail_start += scan(thread, tail_words(group_class, place.count)); }
  wg_groups[thread] = vec3u(group_class, start, tail_start);
}
