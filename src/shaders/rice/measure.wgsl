// Chooses each block's predictor and each group's code, and counts the words of each brick.
// src/core/codecs/rice/SPEC.md, "The encoder's choice". brick.wgsl, memory.wgsl, causal.wgsl and load.wgsl stand in front
// of this text.
// Algorithm: the sum of a group's symbols in half of its rows under each predictor gives its expected cost; the predictor with
// the least sum of these over the block is taken. Then the group's symbols are made, and their quotients are added up for
// each k that may be the best. A brick that nothing clips and whose elements are all the same needs none of it.
// One invocation owns one part of a group, one workgroup a brick, plane by plane. Dispatch: one workgroup a brick, spread
// over x and y.
// Invariants:
// 1. What several invocations bring together are sums and ORs of whole numbers: their order changes nothing.
// 2. Each brick's record is written, and each group's that the chunk reaches, unless the brick's codes are all 0.
// Twin: `encodeBrick` in src/core/codecs/rice/brick.ts and src/core/codecs/rice/choice.ts.

// For each group of each plane of each brick: its code. 64 words a plane.
@group(0) @binding(3) var<storage, read_write> groups: array<u32>;
// For each plane of each brick: the lowest code in bits 0 to 3, the codes' width in 4 to 6, 1 in bit 7 if there are
// escapes (so: the brick's first byte), and from bit 8 on 3 bits for each block, its predictor.
@group(0) @binding(4) var<storage, read_write> headers: array<u32>;
// Words of each plane of each brick.
@group(0) @binding(5) var<storage, read_write> sizes: array<u32>;

// Whether elements differ: 1 more than the plane in which they last did.
var<workgroup> wg_varied_plane: atomic<u32>;
var<workgroup> wg_varies: u32;
// For each predictor, one row for each group: the sum of its symbols in the rows that count.
var<workgroup> wg_sums: array<atomic<u32>, 8u * group_count>;
// For each pair of predictors, one row for each group: their expected costs, in 16 bits each. No sum of them is larger.
var<workgroup> wg_costs: array<u32, 4u * group_count>;
const shares = 8u;
var<workgroup> wg_share_costs: array<u32, 4u * shares>;
// For each group: the sum of its symbols; and, for each of four k, of quotients, with escapes counted from bit 16 on.
var<workgroup> wg_symbol_sums: array<atomic<u32>, group_count>;
var<workgroup> wg_quotients: array<atomic<u32>, 4u * group_count>;
// Of the brick: bits; and the set of its codes, with bit 16 for escapes.
var<workgroup> wg_brick_bits: atomic<u32>;
var<workgroup> wg_brick_codes: atomic<u32>;
// The predictors of the blocks, as a header has them.
var<workgroup> wg_predictors: atomic<u32>;

// 'The first k is the least with 2S < 3n × 2^k, at most the largest k.'
fn first_parameter(symbol_sum: u32, count: u32) -> u32 {
  let sum = 2u * symbol_sum;
  let unit = 3u * count;
  let shift = u32(max(i32(digits(sum)) - i32(digits(unit)), 0));
  return min(shift + u32(sum >= (unit << shift)), raw_code - 2u);
}

fn digits(value: u32) -> u32 { return 32u - countLeadingZeros(value); }

// What a group's symbols are worth in bits, if k suits them.
fn expected_cost(symbol_sum: u32, count: u32) -> u32 {
  if (symbol_sum == 0u) { return 0u; }
  let k = first_parameter(symbol_sum, count);
  return min(count * (k + 1u) + (symbol_sum >> k), count * bits);
}

// Sums of symbols under the predictors 0 to 3, and 4 to 7.
struct Sums { low: vec4u, high: vec4u }

// Of one word. What several predictors need is worked out once: `symbols_of`, for all of them.
fn sums_of(at: u32, in_block: vec3u, valid: u32) -> Sums {
  let word = load_word(at);
  let is_left = in_block.x == 0u;
  let is_top = in_block.y == 0u;
  let is_front = in_block.z == 0u;
  let dx = packed_subtract(word, left_of(word, at, in_block));
  var above = 0u;
  var xy = dx;
  if (!is_top) {
    above = load_word(at - row_words);
    xy = packed_subtract(dx, packed_subtract(above, left_of(above, at - row_words, in_block)));
  }
  var behind = 0u;
  var xyz = xy;
  if (!is_front) {
    behind = load_word(at - slice_pitch);
    xyz = packed_subtract(xy, along_xy(at - slice_pitch, in_block));
  }
  let dy = packed_subtract(word, above);
  let dz = packed_subtract(word, behind);
  let left = select(dx, (dx & ~element_mask) | (select(dy, dz, is_top) & element_mask), is_left);
  let mask = select(valid, valid & ~element_mask, is_left && is_top && is_front);
  var sums = Sums(
    vec4u(
      sum_of_lanes(packed_symbols(word) & mask),
      sum_of_lanes(packed_symbols(left) & mask),
      sum_of_lanes(packed_symbols(select(dy, left, is_top)) & mask),
      sum_of_lanes(packed_symbols(select(dz, left, is_front)) & mask)),
    vec4u(
      sum_of_lanes(packed_symbols(select(xy, left, is_top)) & mask),
      sum_of_lanes(packed_symbols(xyz) & mask),
      0u,
      0u));
  if (causal == 1u) {
    sums.high.z = sum_of_lanes(packed_symbols(causal_residuals(6u, at, in_block)) & mask);
    sums.high.w = sum_of_lanes(packed_symbols(causal_residuals(7u, at, in_block)) & mask);
  }
  return sums;
}

fn bring_sum(predictor: u32, group: u32, sum: u32) { atomicAdd(&wg_sums[predictor * group_count + group], sum); }

// 'The one whose groups' expected costs add up to the least': of this invocation's block. The workgroup calls it together.
fn choose_predictor(place: Place, thread: u32) -> u32 {
  // 'Those whose y + z is odd, or all if the block is one row.' Groups start at even y and z, from their block's origin on.
  let is_one_row = min(place.extent.y - (place.group.y - place.in_block.y), block_y) * place.extent.z == 1u;
  var part = Sums(vec4u(0u), vec4u(0u));
  for (var i = 0u; i < part_words; i++) {
    let word = word_of(place, i);
    if (word.count > 0u && ((word.first.y + word.first.z) % 2u == 1u || is_one_row)) {
      let sums = sums_of(word_at(word.first), place_in_block(place, word), lanes_below(word.count));
      part.low += sums.low;
      part.high += sums.high;
    }
  }
  let group = thread / parts;
  bring_sum(0u, group, part.low.x);
  bring_sum(1u, group, part.low.y);
  bring_sum(2u, group, part.low.z);
  bring_sum(3u, group, part.low.w);
  bring_sum(4u, group, part.high.x);
  bring_sum(5u, group, part.high.y);
  if (causal == 1u) {
    bring_sum(6u, group, part.high.z);
    bring_sum(7u, group, part.high.w);
  }
  workgroupBarrier(); // the groups' sums are there

  // Here an invocation owns two predictors of a group.
  let counted = place.size.x * select(place.size.y * place.size.z / 2u, 1u, is_one_row);
  for (var pair = place.part; pair < 4u; pair += parts) {
    var cost = 0u;
    if (counted > 0u) {
      let first = atomicLoad(&wg_sums[2u * pair * group_count + group]);
      let second = atomicLoad(&wg_sums[(2u * pair + 1u) * group_count + group]);
      cost = expected_cost(first, counted) | (expected_cost(second, counted) << 16u);
    }
    wg_costs[pair * group_count + group] = cost;
  }
  workgroupBarrier(); // the groups' costs are there

  if (thread < 4u * shares) {
    let pair = thread / shares;
    let share = thread % shares;
    var sum = 0u;
    for (var i = 0u; i < group_count / shares; i++) {
      // In a picture, a share is two rows of four groups: half as wide as the brick.
      var number = 8u * share + i;
      if (picture == 1u) { number = (share / 2u) * 16u + (i / 4u) * 8u + (share % 2u) * 4u + i % 4u; }
      sum += wg_costs[pair * group_count + number];
    }
    wg_share_costs[thread] = sum;
  }
  workgroupBarrier(); // the shares' costs are there

  let number = vec2u(place.group.x / block_x, place.group.y / block_y);
  var least = 0xffffffffu;
  var chosen = 0u;
  for (var pair = 0u; pair < predictors / 2u; pair++) {
    var costs = 0u;
    for (var i = 0u; i < shares / blocks; i++) {
      costs += wg_share_costs[pair * shares + (number.y * (shares / blocks) + i) * blocks_x + number.x];
    }
    // 'The lowest number on a tie.'
    if ((costs & 0xffffu) < least) {
      least = costs & 0xffffu;
      chosen = 2u * pair;
    }
    if ((costs >> 16u) < least) {
      least = costs >> 16u;
      chosen = 2u * pair + 1u;
    }
  }
  return chosen;
}

// Adds up quotients with k, and counts escapes from bit 16 on. What there is not, counts as symbols 0, which add nothing.
fn quotients_of(symbols: ptr<function, array<u32, part_words>>, k: u32) -> u32 {
  let quotient_mask = (element_mask >> k) * ones;
  var zeros = 0u;
  var escaped = 0u;
  for (var i = 0u; i < part_words; i++) {
    let quotients = ((*symbols)[i] >> k) & quotient_mask;
    // The top bit of each lane with a quotient of 15 or more.
    let escapes = (((quotients & ~tops) + ones * ((1u << (bits - 1u)) - escape_quotient)) | quotients) & tops;
    if (escapes == 0u) {
      zeros += sum_of_lanes(quotients);
    } else {
      zeros += sum_of_lanes(quotients & ~((escapes >> (bits - 1u)) * element_mask));
      escaped += countOneBits(escapes);
    }
  }
  return (zeros + escape_quotient * escaped) | (escaped << 16u);
}

struct Choice { code: u32, bits: u32, escaped: u32 }

// 'Of the first k and the three below the cheapest is taken, the larger on a tie; raw, unless that is cheaper.'
fn choose_code(first: u32, group: u32, count: u32) -> Choice {
  var best = Choice(raw_code, 0xffffffffu, 0u);
  for (var step = 0u; step <= min(first, 3u); step++) {
    let k = first - step;
    let quotients = atomicLoad(&wg_quotients[step * group_count + group]);
    let escaped = quotients >> 16u;
    let cost = count * (k + 1u) + (quotients & 0xffffu) + escaped * (bits - k);
    if (cost < best.bits) { best = Choice(k + 1u, cost, escaped); }
  }
  if (best.bits < count * bits) { return best; }
  return Choice(raw_code, count * bits, 0u);
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = workgroup.x + workgroup.y * workgroups.x;
  if (brick >= box.brick_count) { return; }
  let cut = cuts[brick];
  if (!is_mine(cut)) { return; }
  let place = place_of(cut, thread);
  let group = thread / parts;

  for (var plane = 0u; plane < planes; plane++) {
    let unit = brick * planes + plane;
    let differing = load_brick(place, plane, thread);
    if (differing != 0u || clipped == 1u) { atomicMax(&wg_varied_plane, plane + 1u); }
    workgroupBarrier(); // the brick is there, and it is known whether it varies
    if (thread == 0u) { wg_varies = u32(atomicLoad(&wg_varied_plane) == plane + 1u); }
    if (workgroupUniformLoad(&wg_varies) == 0u) {
      if (thread == 0u) {
        // 'Left' explains all but 'none' does if the elements are 0: the lowest number on a tie.
        let predictor = u32(((voxels[place.first_word] >> (16u * plane)) & element_mask) != 0u);
        var header = 0u;
        for (var block = 0u; block < blocks; block++) { header |= predictor << (8u + 3u * block); }
        headers[unit] = header;
        sizes[unit] = (block_header(blocks) + 31u) / 32u;
      }
      continue;
    }
    if (planes > 1u) {
      for (var i = thread; i < 8u * group_count; i += threads) { atomicStore(&wg_sums[i], 0u); }
      for (var i = thread; i < 4u * group_count; i += threads) { atomicStore(&wg_quotients[i], 0u); }
      if (place.part == 0u) { atomicStore(&wg_symbol_sums[group], 0u); }
      if (thread == 0u) {
        atomicStore(&wg_brick_bits, 0u);
        atomicStore(&wg_brick_codes, 0u);
        atomicStore(&wg_predictors, 0u);
      }
      workgroupBarrier(); // what is added to is 0
    }
    let predictor = choose_predictor(place, thread);

    var symbols = array<u32, part_words>();
    var symbol_sum = 0u;
    for (var i = 0u; i < part_words; i++) {
      let word = word_of(place, i);
      if (word.count > 0u) {
        symbols[i] = symbols_of(predictor, word_at(word.first), place_in_block(place, word)) & lanes_below(word.count);
      }
      symbol_sum += sum_of_lanes(symbols[i]);
    }
    atomicAdd(&wg_symbol_sums[group], symbol_sum);
    workgroupBarrier(); // the groups' sums are there

    let count = place.size.x * place.size.y * place.size.z;
    let group_sum = atomicLoad(&wg_symbol_sums[group]);
    var first = 0u;
    if (group_sum > 0u) {
      first = first_parameter(group_sum, count);
      for (var step = 0u; step <= min(first, 3u); step++) {
        atomicAdd(&wg_quotients[step * group_count + group], quotients_of(&symbols, first - step));
      }
    }
    workgroupBarrier(); // the groups' quotients are there

    if (place.part == 0u && count > 0u) {
      var choice = Choice(0u, 0u, 0u);
      if (group_sum > 0u) { choice = choose_code(first, group, count); }
      groups[unit * group_count + group] = choice.code;
      atomicAdd(&wg_brick_bits, choice.bits);
      atomicOr(&wg_brick_codes, (1u << choice.code) | (u32(choice.escaped > 0u) << 16u));
      if (starts_block(place)) { atomicOr(&wg_predictors, predictor << (3u * place.block)); }
    }
    workgroupBarrier(); // the brick's bits and codes are there

    if (thread == 0u) {
      let codes = atomicLoad(&wg_brick_codes);
      let least_code = countTrailingZeros(codes);
      let code_width = digits(31u - countLeadingZeros(codes & 0xffffu) - least_code);
      headers[unit] = least_code | (code_width << 4u) | ((codes >> 16u) << 7u) | (atomicLoad(&wg_predictors) << 8u);
      let header_bits = block_header(place.blocks.x * place.blocks.y) + code_width * place.group_count;
      sizes[unit] = (header_bits + atomicLoad(&wg_brick_bits) + 31u) / 32u;
    }
    workgroupBarrier(); // everything is read before the next plane overwrites it
  }
}
