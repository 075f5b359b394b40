// Encodes each brick into a room of its own, and stores how many words it takes. src/core/codecs/rice/SPEC.md, 'A brick'.
// Algorithm: chooses the block's predictor and computes the symbols. Transposes them into bit planes; the planes' counts of ones
// decide each group's code. Each part then knows its number of bits, and a scan finds where they start. The code is assembled in
// workgroup memory and stored word by word. Its place in the payload is known only when all sizes are (sizes.wgsl, move.wgsl). An
// unclipped brick whose elements are all equal skips all of this.
// One invocation owns one part of a group, one workgroup a brick, plane by plane. Dispatch: one workgroup per brick, spread over
// x and y.
// Invariants:
// 1. Invocations combine integers by addition or OR, so their order does not matter.
// Twin: `encodeBrick` in src/core/codecs/rice/brick.ts.

import package::bricks::packed::{bits, element_mask, planes};
import package::rice::brick::{
  block_header, blocks, candidates, clipped, is_mine, mean_candidate, place_of, predictor_bits, raw_code, starts_block, threads,
  wide,
};
import package::rice::choose::{choose_predictor, wg_worths};
import package::rice::codes::choose_code;
import package::rice::load::{box, load_brick, mean_of, places, wg_means};
import package::rice::planes::{Eight, high_halves, low_halves, transpose};
import package::rice::residuals::{base_of, predictor_of, symbols_by};
import package::rice::scan::scan;
import package::rice::tiles::{code_words, wg_code, word_with};
import package::rice::writer::{Quotients, put, quotients_with, sum_of_four, write_escapes, write_planes, write_prefixes};

// The rooms for the bricks' codes, where `places` says.
@group(0) @binding(3) var<storage, read_write> rooms: array<u32>;
// Words of each plane of each brick.
@group(0) @binding(4) var<storage, read_write> sizes: array<u32>;

// 1 more than the number of the last plane whose elements differ.
var<workgroup> wg_varied_plane: atomic<u32>;
// The set of the brick's codes, one bit each.
var<workgroup> wg_codes: atomic<u32>;
// Halves of 2-byte symbols, for the other part of the group.
var<workgroup> wg_halves: array<vec4u, threads * wide + 1u - wide>;

// The code of a brick whose elements are all equal: its blocks' predictors and bases, at most two words.
fn write_uniform(room: u32, unit: u32, base: u32) {
  // Predictor 'left' leaves no residuals. If all elements are 0, so does level, which wins the tie because it comes first.
  let block = u32(base != 0u) | (base << predictor_bits);
  var low = 0u;
  var high = 0u;
  for (var number = 0u; number < blocks; number++) {
    let bit = block_header(number);
    if (bit < 32u) {
      low |= block << bit;
      high |= (block >> 1u) >> (31u - bit);
    } else {
      high |= block << (bit - 32u);
    }
  }
  let size = (block_header(blocks) + 31u) / 32u;
  rooms[room] = low;
  if (size > 1u) { rooms[room + 1u] = high; }
  sizes[unit] = size;
}

// The bit planes of 32 elements. Symbols of 1 byte: all planes of the part. Symbols of 2 bytes: the low 8 planes of the whole
// group for its first part, the high 8 for its second. The whole workgroup must call it.
fn planes_of(symbols: Eight, thread: u32) -> Eight {
  if (wide == 0u) { return transpose(symbols); }
  // The low and the high bytes. The first tile's elements are in bytes 0 and 2, the second tile's in bytes 1 and 3.
  let bytes = Eight(low_halves(symbols.low, symbols.high, 0x00ff00ffu, 8u), high_halves(symbols.low, symbols.high, 0x00ff00ffu, 8u));
  let is_second = thread % 2u == 1u;
  wg_halves[thread] = select(bytes.high, bytes.low, is_second);
  workgroupBarrier(); // the halves are stored
  let other = wg_halves[thread ^ 1u];
  return transpose(Eight(select(bytes.low, other, is_second), select(other, bytes.high, is_second)));
}

fn digits(value: u32) -> u32 { return 32u - countLeadingZeros(value); }

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = workgroup.x + workgroup.y * workgroups.x;
  if (brick >= box.brick_count) { return; }
  let cut = places[brick].xy;
  if (!is_mine(cut)) { return; }
  let place = place_of(cut, thread);
  let group_elements = place.size.x * place.size.y * place.size.z;

  for (var plane = 0u; plane < planes; plane++) {
    let unit = brick * planes + plane;
    let room = places[brick].z + plane * places[brick].w;
    let differing = load_brick(place, plane, thread);
    if (differing != 0u || clipped == 1u) { atomicMax(&wg_varied_plane, plane + 1u); }
    // Includes a barrier, so the brick is in workgroup memory, too.
    if (workgroupUniformLoad(&wg_varied_plane) != plane + 1u) {
      if (thread == 0u) { write_uniform(room, unit, word_with(vec3u(0u)) & element_mask); }
      if (planes > 1u && thread < blocks) { atomicStore(&wg_means[thread], 0u); }
      workgroupBarrier(); // it is read before the next plane overwrites it
      continue;
    }
    let mean = mean_of(place);
    let candidate = choose_predictor(place, mean);
    let symbols = symbols_by(candidate, place, mean);
    let own_planes = planes_of(symbols, thread);
    let code = choose_code(own_planes, group_elements, thread);
    let is_rice = code > 0u && code < raw_code;
    let width = select(select(0u, bits, code == raw_code), code - 1u, is_rice);
    // How many of the 8 planes are suffixes, and how many bits each has.
    var plane_count = width;
    if (wide == 1u) { plane_count = select(min(width, 8u), max(width, 8u) - 8u, place.part == 1u); }
    let plane_bits = select(place.count, group_elements, wide == 1u);
    var own_bits = 0u;
    var quotients = Quotients();
    if (is_rice) {
      quotients = quotients_with(symbols, width);
      let zeros = sum_of_four(quotients.words.low) + sum_of_four(quotients.words.high);
      own_bits = (place.count + zeros) | ((quotients.escapes * (bits - width)) << 16u);
    }
    if (place.part == 0u && place.count > 0u) { atomicOr(&wg_codes, 1u << code); }
    let scanned = scan(thread, vec2u(plane_count * plane_bits, own_bits));

    let codes = atomicLoad(&wg_codes);
    let least_code = countTrailingZeros(codes);
    let code_width = digits(31u - countLeadingZeros(codes) - least_code);
    let escape_bits = scanned.total.y >> 16u;
    let codes_at = block_header(place.blocks.x * place.blocks.y);
    let prefixes_at = codes_at + code_width * place.group_count;
    let escapes_at = prefixes_at + (scanned.total.y & 0xffffu);
    let size = min((escapes_at + escape_bits + scanned.total.x + 31u) / 32u, code_words);
    let suffixes_at = 32u * size - scanned.total.x;

    if (thread == 0u) {
      put(0u, least_code | (code_width << 4u) | (u32(escape_bits > 0u) << 7u), 8u);
      sizes[unit] = size;
    }
    if (starts_block(place)) {
      var base = base_of(place);
      if (candidate == 0u) { base = 0u; }
      if (candidate == mean_candidate) { base = mean; }
      put(block_header(place.block), predictor_of(candidate) | (base << predictor_bits), predictor_bits + bits);
    }
    if (place.count > 0u && place.part == 0u) { put(codes_at + code_width * place.code_index, code - least_code, code_width); }
    write_planes(place, own_planes, plane_count, suffixes_at + scanned.before.x);
    if (is_rice) {
      write_prefixes(place, quotients.words, prefixes_at + (scanned.before.y & 0xffffu));
      if (quotients.escapes > 0u) { write_escapes(symbols, quotients.escaped, width, escapes_at + (scanned.before.y >> 16u)); }
    }
    workgroupBarrier(); // the brick's bits are all written
    for (var word = thread; word < size; word += threads) {
      rooms[room + word] = atomicLoad(&wg_code[word]);
      if (planes > 1u) { atomicStore(&wg_code[word], 0u); }
    }
    if (planes > 1u) {
      if (thread < blocks) { atomicStore(&wg_means[thread], 0u); }
      if (thread < blocks * candidates) { atomicStore(&wg_worths[thread], 0u); }
      if (thread == 0u) { atomicStore(&wg_codes, 0u); }
      workgroupBarrier(); // all sums are 0 again before the next plane
    }
  }
}
