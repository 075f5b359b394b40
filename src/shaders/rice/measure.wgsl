// Chooses each block's predictor and each group's code, and counts the bits of each brick.
// src/core/codecs/rice/SPEC.md, "The encoder's choice". brick.wgsl and load.wgsl stand in front of this text.
// Algorithm: the sum of a group's symbols under each predictor gives its expected cost; the predictor with the least sum
// of these over the block is taken. Then the group's bits are counted for the four k's around that sum.
// One invocation owns one group, one workgroup a brick, plane by plane. Dispatch: one workgroup a brick, spread over x, y.
// Invariants:
// 1. Sums of whole numbers alone meet in the atomics: their order changes nothing.
// 2. Each group's and each brick's record is written, also where the chunk does not reach a group (as 0).
// Twin: `predict` in src/core/codecs/rice/brick.ts and src/core/codecs/rice/choice.ts.

// For each group of each plane of each brick: its code in bits 0 to 3, the bits it adds to the prefixes in 4 to 15, and to
// the escapes from 16 on. 64 words a plane.
@group(0) @binding(4) var<storage, read_write> groups: array<u32>;
// For each plane of each brick: the lowest code in bits 0 to 3, the codes' width in 4 to 6, 1 in bit 7 if there are
// escapes (so: the brick's first byte), and from bit 8 on 3 bits for each block, its predictor.
@group(0) @binding(5) var<storage, read_write> headers: array<u32>;
// Bytes of each plane of each brick.
@group(0) @binding(6) var<storage, read_write> sizes: array<u32>;

// Expected cost of each predictor, 8 words a block.
var<workgroup> wg_costs: array<atomic<u32>, 32>;
var<workgroup> wg_bits: atomic<u32>;
var<workgroup> wg_least_code: atomic<u32>;
var<workgroup> wg_largest_code: atomic<u32>;
var<workgroup> wg_has_escapes: atomic<u32>;

fn sum_of_lanes(symbols: u32) -> u32 {
  if (lanes == 4u) { return dot4U8Packed(symbols, ones); }
  return (symbols & 0xffffu) + (symbols >> 16u);
}

fn digits(value: u32) -> u32 { return 32u - countLeadingZeros(value); }

// 'k starts at the number of binary digits of floor(2S / 3n), at most the largest k.'
fn first_parameter(symbol_sum: u32, count: u32) -> u32 { return min(digits(2u * symbol_sum / (3u * count)), raw_code - 2u); }

fn expected_cost(symbol_sum: u32, count: u32) -> u32 {
  if (symbol_sum == 0u) { return 0u; }
  let k = first_parameter(symbol_sum, count);
  return min(count * (k + 1u) + (symbol_sum >> k), count * bits);
}

// Sums of the group's symbols under the predictors 0 to 5. What several of them need is worked out once: `symbols_of`,
// for all of them.
fn symbol_sums(place: Place) -> array<u32, predictors> {
  var sums = array<u32, predictors>();
  for (var y = 0u; y < place.size.y; y++) {
    for (var x = 0u; x < place.size.x; x += lanes) {
      var at = word_at(place.group.x + x, place.group.y + y, place.group.z);
      let valid = lanes_below(place.size.x - x);
      var in_block = vec3u(place.in_block + vec2u(x, y), place.group.z);
      var xy_behind = 0u;
      if (in_block.z != 0u) { xy_behind = along_xy(at - slice_pitch, in_block); }
      for (var z = 0u; z < place.size.z; z++) {
        in_block.z = place.group.z + z;
        var mask = valid;
        if (all(in_block == vec3u(0u))) { mask &= ~element_mask; }
        let left = from_left(at, in_block);
        let xy = along_xy(at, in_block);
        sums[0] += sum_of_lanes(packed_symbols(wg_words[at]) & mask);
        sums[1] += sum_of_lanes(packed_symbols(left) & mask);
        sums[2] += sum_of_lanes(packed_symbols(select(along_y(at, in_block), left, in_block.y == 0u)) & mask);
        sums[3] += sum_of_lanes(packed_symbols(select(along_z(at, in_block), left, in_block.z == 0u)) & mask);
        sums[4] += sum_of_lanes(packed_symbols(select(xy, left, in_block.y == 0u)) & mask);
        sums[5] += sum_of_lanes(packed_symbols(select(packed_subtract(xy, xy_behind), xy, in_block.z == 0u)) & mask);
        xy_behind = xy;
        at += slice_pitch;
      }
    }
  }
  return sums;
}

struct Choice { code: u32, prefix_bits: u32, suffix_bits: u32, escape_bits: u32 }

// 'Of k, k − 1, k − 2 and k − 3 the cheapest is taken, the larger on a tie; raw, unless that is cheaper.'
fn choose_code(place: Place, predictor: u32, symbol_sum: u32) -> Choice {
  if (symbol_sum == 0u) { return Choice(0u, 0u, 0u, 0u); }
  let first = first_parameter(symbol_sum, place.count);
  // Below 0 the last candidate is tried again.
  let k = max(vec4i(i32(first)) - vec4i(0, 1, 2, 3), vec4i(0));
  let shift = vec4u(k);
  var zeros = vec4u(0u);
  var escaped = vec4u(0u);
  for (var z = 0u; z < place.size.z; z++) {
    for (var y = 0u; y < place.size.y; y++) {
      for (var x = 0u; x < place.size.x; x += lanes) {
        let at = word_at(place.group.x + x, place.group.y + y, place.group.z + z);
        let in_block = vec3u(place.in_block + vec2u(x, y), place.group.z + z);
        // Lanes behind the chunk's edge count as symbols 0, which add nothing here.
        var symbols = symbols_of(predictor, at, in_block) & lanes_below(place.size.x - x);
        for (var lane = 0u; lane < lanes; lane++) {
          let quotients = vec4u(symbols & element_mask) >> shift;
          zeros += min(quotients, vec4u(escape_quotient));
          escaped += select(vec4u(0u), vec4u(1u), quotients >= vec4u(escape_quotient));
          symbols >>= bits;
        }
      }
    }
  }
  var choice = Choice(raw_code, 0u, place.count * bits, 0u);
  var least = place.count * bits;
  for (var i = 0u; i < 4u; i++) {
    let prefix_bits = place.count + zeros[i];
    let suffix_bits = place.count * shift[i];
    let escape_bits = escaped[i] * (bits - shift[i]);
    let cost = prefix_bits + suffix_bits + escape_bits;
    if (cost < least) {
      choice = Choice(shift[i] + 1u, prefix_bits, suffix_bits, escape_bits);
      least = cost;
    }
  }
  return choice;
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = workgroup.x + workgroup.y * workgroups.x;
  if (brick >= box.brick_count) { return; }
  let chunk = chunks[chunk_of_brick[brick]];
  if (chunk.picture != picture) { return; }
  let place = place_of(chunk, box, brick - chunk.first_brick, thread);

  for (var plane = 0u; plane < planes; plane++) {
    if (thread < 32u) { atomicStore(&wg_costs[thread], 0u); }
    if (thread == 0u) {
      atomicStore(&wg_bits, block_header(place.blocks.x * place.blocks.y));
      atomicStore(&wg_least_code, raw_code);
      atomicStore(&wg_largest_code, 0u);
      atomicStore(&wg_has_escapes, 0u);
    }
    load_brick(place, plane, thread);
    workgroupBarrier(); // the brick is there, and the sums are 0

    var sums = symbol_sums(place);
    if (place.count > 0u) {
      for (var predictor = 0u; predictor < predictors; predictor++) {
        atomicAdd(&wg_costs[8u * place.block + predictor], expected_cost(sums[predictor], place.count));
      }
    }
    workgroupBarrier(); // the costs are whole

    var chosen = array<u32, 4>();
    for (var block = 0u; block < blocks; block++) {
      var least = 0xffffffffu;
      for (var predictor = 0u; predictor < predictors; predictor++) {
        let cost = atomicLoad(&wg_costs[8u * block + predictor]);
        if (cost < least) {
          chosen[block] = predictor;
          least = cost;
        }
      }
    }
    let predictor = chosen[place.block];
    let choice = choose_code(place, predictor, sums[predictor]);
    let record = (brick * planes + plane) * threads + thread;
    groups[record] = choice.code | (choice.prefix_bits << 4u) | (choice.escape_bits << 16u);
    if (place.count > 0u) {
      atomicAdd(&wg_bits, choice.prefix_bits + choice.suffix_bits + choice.escape_bits);
      atomicMin(&wg_least_code, choice.code);
      atomicMax(&wg_largest_code, choice.code);
      atomicOr(&wg_has_escapes, choice.escape_bits);
    }
    workgroupBarrier(); // the brick's counts are whole

    if (thread == 0u) {
      let least_code = atomicLoad(&wg_least_code);
      let code_width = digits(atomicLoad(&wg_largest_code) - least_code);
      var header = least_code | (code_width << 4u) | select(0u, 128u, atomicLoad(&wg_has_escapes) != 0u);
      for (var block = 0u; block < blocks; block++) { header |= chosen[block] << (8u + 3u * block); }
      headers[brick * planes + plane] = header;
      sizes[brick * planes + plane] = (atomicLoad(&wg_bits) + code_width * place.group_count + 7u) / 8u;
    }
    workgroupBarrier(); // everything is read before the next plane overwrites it
  }
}
