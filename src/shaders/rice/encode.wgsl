// Encodes each brick into a room of its own, and says how many words it has. src/core/codecs/rice/SPEC.md, 'A brick'.
// brick.wgsl, shared-memory.wgsl, linear.wgsl, causal.wgsl, load.wgsl, reach.wgsl, choose.wgsl, scan.wgsl and writer.wgsl stand in front of
// this text.
// Algorithm: the block's predictor is chosen, symbols are made, the groups' codes chosen. Each part of a group knows its bits
// by then, and a scan of these says where they start. The brick's code takes its elements' place in workgroup memory, and
// is stored word by word; where it goes in the payload is known when all sizes are (sizes.wgsl, move.wgsl). A brick that nothing clips
// and whose elements are all the same needs none of it.
// One invocation owns one part of a group, one workgroup a brick, plane by plane. Dispatch: one workgroup a brick, spread
// over x and y.
// Invariants:
// 1. What several invocations bring together are sums and ORs of whole numbers: their order changes nothing.
// Twin: `encodeBrick` in src/core/codecs/rice/brick.ts.

// Where `places` says: bricks, one in each room.
@group(0) @binding(3) var<storage, read_write> rooms: array<u32>;
// Words of each plane of each brick.
@group(0) @binding(4) var<storage, read_write> sizes: array<u32>;

// Bits of suffixes; bits of prefixes and, from bit 16 on, of escapes. A brick's Rice groups are less than 2^16 bits.
alias Scanned = vec2u;

// Whether elements differ: 1 more than the plane in which they last did.
var<workgroup> wg_varied_plane: atomic<u32>;
var<workgroup> wg_varies: u32;
// For each group: the sum of its symbols.
var<workgroup> wg_symbol_sums: array<atomic<u32>, group_count>;
// The set of the brick's codes.
var<workgroup> wg_codes: atomic<u32>;

// The code of a brick whose elements are all the same: its blocks' predictors and bases, two words at most.
fn write_uniform(room: u32, unit: u32, base: u32) {
  // 'Left' explains all, but level does if the elements are 0: the first on a tie.
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
  let group = thread / parts;

  for (var plane = 0u; plane < planes; plane++) {
    let unit = brick * planes + plane;
    let room = places[brick].z + plane * places[brick].w;
    let differing = load_brick(place, plane, thread);
    if (differing != 0u || clipped == 1u) { atomicMax(&wg_varied_plane, plane + 1u); }
    workgroupBarrier(); // the brick is there, and it is known whether it varies
    if (thread == 0u) { wg_varies = u32(atomicLoad(&wg_varied_plane) == plane + 1u); }
    if (workgroupUniformLoad(&wg_varies) == 0u) {
      if (thread == 0u) { write_uniform(room, unit, load_word(0u) & element_mask); }
      if (planes > 1u && thread < blocks) { atomicStore(&wg_means[thread], 0u); }
      workgroupBarrier(); // it is read before the next plane overwrites it
      continue;
    }
    if (planes > 1u) {
      for (var i = thread; i < candidates * group_count; i += threads) { atomicStore(&wg_sums[i], 0u); }
      for (var i = thread; i < 4u * group_count; i += threads) { atomicStore(&wg_quotients[i], 0u); }
      if (place.part == 0u) { atomicStore(&wg_symbol_sums[group], 0u); }
      if (thread == 0u) { atomicStore(&wg_codes, 0u); }
      workgroupBarrier(); // what is added to is 0
    }
    var reach = reach_of(place);
    let mean = mean_of(place);
    let candidate = choose_predictor(place, &reach, mean, thread);
    var base = load_word(word_at(vec3u(place.group.xy - place.in_block, 0u))) & element_mask;
    if (candidate == 0u) { base = 0u; }
    if (candidate == mean_candidate) { base = mean; }
    var symbols = symbols_of(candidate, &reach, mean, place);
    if (planes > 1u && thread < blocks) { atomicStore(&wg_means[thread], 0u); }
    var symbol_sum = 0u;
    for (var i = 0u; i < part_words; i++) { symbol_sum += sum_of_lanes(symbols[i]); }
    atomicAdd(&wg_symbol_sums[group], symbol_sum);
    workgroupBarrier(); // the groups' sums are there, and nobody reads elements any more

    let choice = choose_code(&symbols, atomicLoad(&wg_symbol_sums[group]), group, place.size.x * place.size.y * place.size.z);
    let code = choice.code;
    let is_rice = code > 0u && code < raw_code;
    let coded = Coded(select(select(0u, bits, code == raw_code), code - 1u, is_rice), is_rice);
    let escapes_there = choice.quotients >> 16u;
    var own_bits = 0u;
    if (is_rice) { own_bits = (place.count + (choice.quotients & 0xffffu)) | ((escapes_there * (bits - coded.width)) << 16u); }
    if (place.part == 0u && place.count > 0u) { atomicOr(&wg_codes, 1u << code); }
    let scanned = scan(thread, vec2u(coded.width * place.count, own_bits));

    let codes = atomicLoad(&wg_codes);
    let least_code = countTrailingZeros(codes);
    let code_width = digits(31u - countLeadingZeros(codes) - least_code);
    let escape_bits = scanned.total.y >> 16u;
    let codes_at = block_header(place.blocks.x * place.blocks.y);
    let suffixes_at = codes_at + code_width * place.group_count;
    let prefixes_at = suffixes_at + scanned.total.x;
    let escapes_at = prefixes_at + (scanned.total.y & 0xffffu);
    let size = min((escapes_at + escape_bits + 31u) / 32u, memory_words);
    for (var word = thread; word < size; word += threads) { store_word(word, 0u); }
    workgroupBarrier(); // the code is 0

    if (thread == 0u) {
      put(0u, least_code | (code_width << 4u) | (u32(escape_bits > 0u) << 7u), 8u);
      sizes[unit] = size;
    }
    if (starts_block(place)) { put(block_header(place.block), predictor_of(candidate) | (base << predictor_bits), predictor_bits + bits); }
    if (place.count > 0u && place.part == 0u) { put(codes_at + code_width * place.code_index, code - least_code, code_width); }
    if (code > 0u) {
      let before = scanned.before;
      let prefixes = prefixes_at + (before.y & 0xffffu);
      let escapes = escapes_at + (before.y >> 16u);
      write_part(place, &symbols, coded, escapes_there > 0u, suffixes_at + before.x, prefixes, escapes);
    }
    workgroupBarrier(); // the brick's bits are all there
    for (var word = thread; word < size; word += threads) { rooms[room + word] = load_word(word); }
    workgroupBarrier(); // the brick is stored before the next plane overwrites it
  }
}
