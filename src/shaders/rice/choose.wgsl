// Which predictor a block takes, and which code a group. No entry point: kernels.ts puts it in front of encode.wgsl, behind
// reach.wgsl. src/core/codecs/rice/SPEC.md, "The encoder's choice".
// Algorithm: the sum of a group's symbols in a quarter of its rows (in pictures in half of them) under each predictor gives its
// expected cost; the predictor with the least sum of these over the block is taken. Quotients are added up for each k that may be the best.
// Invariants:
// 1. What several invocations bring together are sums of whole numbers: their order changes nothing.
// Twins: src/core/codecs/rice/choice.ts and `choosePredictor` in brick.ts.

// For each candidate, one row for each group: the sum of its symbols in the rows that count.
var<workgroup> wg_sums: array<atomic<u32>, candidates * group_count>;
// For each pair of candidates, one row for each group: their expected costs, in 16 bits each. No sum of them is larger.
override pairs: u32 = (candidates + 1u) / 2u;
var<workgroup> wg_costs: array<u32, pairs * group_count>;
const shares = 8u;
var<workgroup> wg_share_costs: array<u32, pairs * shares>;
// For each group, and for each of four k: the sum of quotients, with escapes counted from bit 16 on.
var<workgroup> wg_quotients: array<atomic<u32>, 4u * group_count>;

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

// Sums of symbols under the predictors 0 to 3, and 4 to 7; and under level with the mean.
struct Sums { low: vec4u, high: vec4u, by_mean: u32 }

// Of one word, under the predictors that are differences, in the lanes that `valid` covers; under level in those that are `there`.
fn add_sums(sums: ptr<function, Sums>, corner: Corner, edges: Edges, mean: u32, there: u32, valid: u32) {
  let left = from_left(corner, edges);
  let up = packed_subtract(corner.own, corner.above);
  let back = packed_subtract(corner.own, corner.behind);
  let flats = flats_of(corner);
  let cube = packed_subtract(flats.own, flats.behind);
  (*sums).low += vec4u(
    sum_of_lanes(packed_symbols(corner.own) & there),
    sum_of_lanes(packed_symbols(left) & valid),
    sum_of_lanes(packed_symbols(select(up, left, edges.top)) & valid),
    sum_of_lanes(packed_symbols(select(back, left, edges.front)) & valid));
  (*sums).high.x += sum_of_lanes(packed_symbols(select(flats.own, left, edges.top)) & valid);
  (*sums).high.y += sum_of_lanes(packed_symbols(cube) & valid);
  (*sums).by_mean += sum_of_lanes(packed_symbols(packed_subtract(corner.own, mean * ones)) & there);
}

// And by soft and soft up.
fn add_soft_sums(sums: ptr<function, Sums>, corner: Corner, edges: Edges, valid: u32) {
  let flats = flats_of(corner);
  (*sums).high.z += sum_of_lanes(packed_symbols(soft_residuals(corner, edges, flats)) & valid);
  (*sums).high.w += sum_of_lanes(packed_symbols(soft_up_residuals(corner, edges, flats)) & valid);
}

// Of how many rows of this invocation's block one counts: SPEC.md.
fn row_step(place: Place) -> u32 {
  let block_rows = min(place.extent.y - (place.group.y - place.in_block.y), block_y);
  if (block_rows * place.extent.z == 1u) { return 1u; }
  return select(4u, 2u, picture == 1u || causal == 1u || block_rows < 4u);
}

// Whether a row counts. In slices one after the other it is not the same row.
fn is_counted(step: u32, y: u32, z: u32) -> bool {
  switch (step) {
    case 1u: { return true; }
    case 2u: { return (y + z) % 2u == 1u; }
    default: { return (y + 2u * z) % 4u == 1u; }
  }
}

// How many of a group's rows count. Groups start at even z, and at a y that is a multiple of 4.
fn counted_rows(step: u32, size: vec3u) -> u32 {
  switch (step) {
    case 1u: { return size.y * size.z; }
    case 2u: { return size.y * size.z / 2u; }
    default: { return (size.z + 1u) / 2u * ((size.y + 2u) / 4u) + size.z / 2u * (size.y / 4u); }
  }
}

// Words of a whole part that count.
override counted_words: u32 = part_words / (4u - 2u * picture);

// Word `i` of them, where the part starts at an even z or, with `odd` 1, at an odd one.
fn counted_word(i: u32, odd: u32) -> u32 {
  let row = i / part_x;
  if (picture == 1u) { return i % part_x + part_x * (2u * row + 1u); }
  return i % part_x + part_x * (1u + 2u * ((row + odd) % 2u) + part_y * row);
}

// Both by places that are known when it is compiled.
fn counted_corner(reach: ptr<function, Reach>, i: u32, is_odd: bool) -> Corner {
  if (is_odd) { return corner_of(reach, counted_word(i, 1u)); }
  return corner_of(reach, counted_word(i, 0u));
}
fn counted_edges(reach: ptr<function, Reach>, i: u32, is_odd: bool) -> Edges {
  if (is_odd) { return edges_of(reach, counted_word(i, 1u)); }
  return edges_of(reach, counted_word(i, 0u));
}

// By the rows of a part that count.
fn sums_of_part(place: Place, reach: ptr<function, Reach>, mean: u32, step: u32) -> Sums {
  var sums = Sums(vec4u(0u), vec4u(0u), 0u);
  if (clipped == 1u || causal == 1u) {
    for (var i = 0u; i < part_words; i++) {
      let word = word_of(place, i);
      if (word.count == 0u || !is_counted(step, word.first.y, word.first.z)) { continue; }
      let corner = corner_of(reach, i);
      let edges = edges_of(reach, i);
      let is_base = i == 0u && edges.left && edges.top && edges.front;
      let there = lanes_below(word.count);
      let valid = there & ~select(0u, element_mask, is_base);
      add_sums(&sums, corner, edges, mean, there, valid);
      add_soft_sums(&sums, corner, edges, valid);
    }
    return sums;
  }
  // Parts start at an even y, in volumes at a multiple of 4; and at even z, but that the second ones of volumes of 2 bytes start at
  // odd ones.
  let is_odd = wide == 1u && picture == 0u && place.part == 1u;
  // Two loops, as compilers unroll none that is long.
  for (var i = 0u; i < counted_words; i++) {
    add_sums(&sums, counted_corner(reach, i, is_odd), counted_edges(reach, i, is_odd), mean, 0xffffffffu, 0xffffffffu);
  }
  for (var i = 0u; i < counted_words; i++) {
    add_soft_sums(&sums, counted_corner(reach, i, is_odd), counted_edges(reach, i, is_odd), 0xffffffffu);
  }
  return sums;
}

fn bring_sum(candidate: u32, group: u32, sum: u32) { atomicAdd(&wg_sums[candidate * group_count + group], sum); }

// Brings the sums of the predictors that are no sums themselves.
fn bring_causal_sums(place: Place, group: u32, step: u32) {
  var sums = array<u32, causal_predictors>();
  for (var i = 0u; i < part_words; i++) {
    let word = word_of(place, i);
    if (!is_counted(step, word.first.y, word.first.z)) { continue; }
    let position = lanes * word_at(word.first);
    let in_block = place_in_block(place, word);
    let base = base_of_block(position, in_block);
    for (var lane = 0u; lane < word.count; lane++) {
      let own = vec3u(in_block.x + lane, in_block.yz);
      if (all(own == vec3u(0u))) { continue; }
      let element = load_word(position / lanes) >> (bits * lane);
      let neighbours = neighbours_of(position + lane, own, base);
      sums[0] += symbol_of(element - median_at(position + lane, own, base));
      for (var number = 1u; number < causal_predictors; number++) {
        sums[number] += symbol_of(element - weigh(neighbours, median_predictor + number, base));
      }
    }
  }
  for (var i = 0u; i < causal_predictors; i++) { bring_sum(mean_candidate + 1u + i, group, sums[i]); }
}

fn symbol_of(residual: u32) -> u32 { return packed_symbols(residual & element_mask); }

// 'The one whose groups' expected costs add up to the least': the candidate of this invocation's block. The workgroup calls it
// together.
fn choose_predictor(place: Place, reach: ptr<function, Reach>, mean: u32, thread: u32) -> u32 {
  let step = row_step(place);
  let part = sums_of_part(place, reach, mean, step);
  let group = thread / parts;
  bring_sum(0u, group, part.low.x);
  bring_sum(1u, group, part.low.y);
  bring_sum(2u, group, part.low.z);
  bring_sum(3u, group, part.low.w);
  bring_sum(4u, group, part.high.x);
  bring_sum(5u, group, part.high.y);
  bring_sum(6u, group, part.high.z);
  bring_sum(7u, group, part.high.w);
  bring_sum(mean_candidate, group, part.by_mean);
  if (causal == 1u) { bring_causal_sums(place, group, step); }
  workgroupBarrier(); // the groups' sums are there

  // Here an invocation owns two candidates of a group.
  let counted = place.size.x * counted_rows(step, place.size);
  for (var pair = place.part; pair < pairs; pair += parts) {
    var cost = 0u;
    if (counted > 0u) {
      let first = atomicLoad(&wg_sums[2u * pair * group_count + group]);
      // Behind the last candidate there is none: it costs nothing, and is not taken.
      let second = select(0u, atomicLoad(&wg_sums[(2u * pair + 1u) * group_count + group]), 2u * pair + 1u < candidates);
      cost = expected_cost(first, counted) | (expected_cost(second, counted) << 16u);
    }
    wg_costs[pair * group_count + group] = cost;
  }
  workgroupBarrier(); // the groups' costs are there

  if (thread < pairs * shares) {
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
  for (var pair = 0u; pair < pairs; pair++) {
    var costs = 0u;
    for (var i = 0u; i < shares / blocks; i++) {
      costs += wg_share_costs[pair * shares + (number.y * (shares / blocks) + i) * blocks_x + number.x];
    }
    // 'The first on a tie.'
    if ((costs & 0xffffu) < least) {
      least = costs & 0xffffu;
      chosen = 2u * pair;
    }
    if ((costs >> 16u) < least && 2u * pair + 1u < candidates) {
      least = costs >> 16u;
      chosen = 2u * pair + 1u;
    }
  }
  return chosen;
}

// Adds up quotients with k, and counts escapes from bit 16 on. What there is not, counts as symbols 0, which add nothing.
// `all`: the OR of all symbols, by whose quotients escapes are ruled out for all of them at once.
fn quotients_of(symbols: ptr<function, array<u32, part_words>>, all: u32, k: u32) -> u32 {
  let quotient_mask = (element_mask >> k) * ones;
  var zeros = 0u;
  if (escapes_in((all >> k) & quotient_mask) == 0u) {
    for (var i = 0u; i < part_words; i++) { zeros += sum_of_lanes(((*symbols)[i] >> k) & quotient_mask); }
    return zeros;
  }
  var escaped = 0u;
  for (var i = 0u; i < part_words; i++) {
    let quotients = ((*symbols)[i] >> k) & quotient_mask;
    let escapes = escapes_in(quotients);
    zeros += sum_of_lanes(quotients & ~((escapes >> (bits - 1u)) * element_mask));
    escaped += countOneBits(escapes);
  }
  return (zeros + escape_quotient * escaped) | (escaped << 16u);
}

// The top bit of each lane with a quotient of 15 or more.
fn escapes_in(quotients: u32) -> u32 {
  return (((quotients & ~tops) + ones * ((1u << (bits - 1u)) - escape_quotient)) | quotients) & tops;
}

// A group's code, and the quotients of one invocation's part with it.
struct Choice { code: u32, quotients: u32 }

// 'Of the first k and the three below the cheapest is taken, the larger on a tie; raw, unless that is cheaper.' The workgroup
// calls it together.
fn choose_code(symbols: ptr<function, array<u32, part_words>>, symbol_sum: u32, group: u32, count: u32) -> Choice {
  var first = 0u;
  var own = vec4u(0u);
  if (symbol_sum > 0u) {
    first = first_parameter(symbol_sum, count);
    var all = 0u;
    for (var i = 0u; i < part_words; i++) { all |= (*symbols)[i]; }
    own.x = bring_quotients(symbols, all, first, 0u, group);
    if (first > 0u) { own.y = bring_quotients(symbols, all, first, 1u, group); }
    if (first > 1u) { own.z = bring_quotients(symbols, all, first, 2u, group); }
    if (first > 2u) { own.w = bring_quotients(symbols, all, first, 3u, group); }
  }
  workgroupBarrier(); // the groups' quotients are there
  if (symbol_sum == 0u) { return Choice(0u, 0u); }
  var best = Choice(raw_code, 0u);
  var least = count * bits;
  for (var step = 0u; step < 4u; step++) {
    if (step > first) { continue; }
    let k = first - step;
    let quotients = atomicLoad(&wg_quotients[step * group_count + group]);
    let cost = count * (k + 1u) + (quotients & 0xffffu) + (quotients >> 16u) * (bits - k);
    if (cost < least) {
      least = cost;
      best = Choice(k + 1u, own[step]);
    }
  }
  return best;
}

fn bring_quotients(symbols: ptr<function, array<u32, part_words>>, all: u32, first: u32, step: u32, group: u32) -> u32 {
  let quotients = quotients_of(symbols, all, first - step);
  atomicAdd(&wg_quotients[step * group_count + group], quotients);
  return quotients;
}
