// Estimates from a sample of rows how well prediction would compress chunks: the expected bits of Rice codes. Also counts how
// often elements differ from one or both neighbours along x.
//
// The sample is one of each 8 rows, a different one in each slice. It is cut into pieces of 16 elements. Each piece is a group
// with its own Rice parameter, under each of six predictors (left, up, behind, flat, Lorenzo, soft; src/core/codecs/rice/SPEC.md,
// 'Predictors'). As there, elements of 4 bytes are two planes of 2 bytes. A word holds several elements or both planes, and they
// are computed together.
// An invocation owns one piece, a workgroup 64 pieces of one chunk. Dispatch: chunk_count × workgroups_per_chunk workgroups over
// x and y (core/gpu/commands.ts, spread).
// Invariants:
// 1. `totals` is zero before the dispatch. Atomics only add integers, so their order does not matter.
// 2. A piece outside its chunk reads and adds nothing. (Chunks of one dispatch may differ in shape.)
// Twin: core/codec/survey.ts, `survey`.

override element_bytes: u32 = 1u;
/** Bits of a lane of a word: 8 or 16. */
override bits: u32 = select(16u, 8u, element_bytes == 1u);
override lanes: u32 = 32u / bits;
override lane_mask: u32 = 0xffffffffu >> (32u - bits);
/** 1 in each lane, and the highest bit of each lane. */
override ones: u32 = 0xffffffffu / lane_mask;
override tops: u32 = ones << (bits - 1u);
/** The highest code is the raw group, 8 or 15. The largest k is two less. */
override largest_k: u32 = min(bits, 15u) - 2u;
override piece_words: u32 = 4u * element_bytes;

const piece_elements = 16u;
const row_step = 8u;
const predictors = 6u;
const counters = predictors + 2u;
const threads = 64u;
const parts = 8u;

struct Box {
  row_stride: u32,      // words from row to row of the box
  slice_stride: u32,    // words from slice to slice of the box
  chunk_count: u32,
  workgroups_per_chunk: u32,
}

struct Chunk {
  first_word: u32,      // of the chunk, in `voxels`
  row_elements: u32,
  rows: u32,
  slices: u32,
}

/** Words of the box, rows padded. */
@group(0) @binding(0) var<storage, read> voxels: array<u32>;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
/** 16 words per chunk: the low and high word of each of `counters`: first the predictors' bits, then steps and spikes. */
@group(0) @binding(2) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> box: Box;

/** For each counter the invocations' terms, in their order. */
var<workgroup> wg_terms: array<u32, counters * threads>;
/** For each counter: partial sums over the invocations. */
var<workgroup> wg_parts: array<u32, counters * parts>;

fn packed_subtract(a: u32, b: u32) -> u32 { return ((a | tops) - (b & ~tops)) ^ ((a ^ ~b) & tops); }

/**
 * Subtracts from each element half of a signed `before`, rounded up. `difference`: the element minus all of `before`. As in
 * shaders/bricks/packed.wgsl.
 */
fn packed_soften(difference: u32, before: u32) -> u32 {
  return ((difference & ~tops) + ((before >> 1u) & ~tops)) ^ ((difference ^ before) & tops);
}

fn packed_symbols(residuals: u32) -> u32 {
  return ((residuals & ~tops) << 1u) ^ (((residuals & tops) >> (bits - 1u)) * lane_mask);
}

/** The sum of the symbols; with two planes, the sum for each. */
fn plane_sums(symbols: u32) -> vec2u {
  if (element_bytes == 1u) {
    let pairs = (symbols & 0x00ff00ffu) + ((symbols >> 8u) & 0x00ff00ffu);
    return vec2u((pairs & 0xffffu) + (pairs >> 16u), 0u);
  }
  if (element_bytes == 2u) { return vec2u((symbols & 0xffffu) + (symbols >> 16u), 0u); }
  return vec2u(symbols & 0xffffu, symbols >> 16u);
}

// Twin: `expectedCost` in core/codec/survey.ts.
fn expected_bits(symbol_sum: u32, count: u32) -> u32 {
  if (symbol_sum == 0u) { return 0u; }
  // Division by a constant is cheap, and nearly all pieces are whole.
  let mean = select(2u * symbol_sum / (3u * count), symbol_sum / 24u, count == piece_elements);
  let k = min(32u - countLeadingZeros(mean), largest_k);
  return min(count * (k + 1u) + (symbol_sum >> k), count * bits);
}

/** The left neighbours of a word's elements. `previous`: the word before it. */
fn left_of(word: u32, previous: u32) -> u32 {
  if (element_bytes == 4u) { return previous; }
  return (word << bits) | (previous >> (32u - bits));
}

/** The right neighbours of a word's elements. `next`: the word after it. */
fn right_of(word: u32, next: u32) -> u32 {
  if (element_bytes == 4u) { return next; }
  return (word >> bits) | (next << (32u - bits));
}

/** A stand-in for the word before a row: its last element is the first of `word`. */
fn before_row(word: u32) -> u32 {
  if (element_bytes == 4u) { return word; }
  return word << (32u - bits);
}

/** Differences along x of a word's elements. */
fn along_x(word: u32, previous: u32) -> u32 { return packed_subtract(word, left_of(word, previous)); }

/** The highest bit of each element of a word that is not 0. */
fn elements_set(word: u32) -> u32 {
  if (element_bytes == 4u) { return select(0u, 0x80000000u, word != 0u); }
  return (((word & ~tops) + ~tops) | word) & tops;
}

/** All bits of the first `count` elements of a word. */
fn elements_below(count: u32) -> u32 {
  let bytes = count * element_bytes;
  return select(0xffffffffu, (1u << (8u * (bytes % 4u))) - 1u, bytes < 4u);
}

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  let chunk_index = min(number / box.workgroups_per_chunk, box.chunk_count - 1u);
  let chunk = chunks[chunk_index];
  let pieces = (chunk.row_elements + piece_elements - 1u) / piece_elements;
  let blocks = (chunk.rows + row_step - 1u) / row_step;
  let piece = (number % box.workgroups_per_chunk) * threads + local;
  let slice = piece / (pieces * blocks);
  let is_inside = number / box.workgroups_per_chunk < box.chunk_count && slice < chunk.slices;
  if (is_inside) {
    let row = min((piece / pieces) % blocks * row_step + (4u + 5u * slice) % row_step, chunk.rows - 1u);
    let first_x = piece % pieces * piece_elements;
    let count = min(piece_elements, chunk.row_elements - first_x);
    var at = chunk.first_word + slice * box.slice_stride + row * box.row_stride + first_x * element_bytes / 4u;
    let has_above = row > 0u;
    let has_behind = slice > 0u;
    // Missing rows and slices are replaced by the row itself. Their results are not used.
    let to_above = select(0u, box.row_stride, has_above);
    let to_behind = select(0u, box.slice_stride, has_behind);
    // The word of the row, the words above and behind, and the word above the one behind.
    var words = vec4u(voxels[at], voxels[at - to_above], voxels[at - to_behind], voxels[at - to_above - to_behind]);
    var previous: vec4u;
    if (first_x == 0u) {
      // The predecessor of a row's first element: the element above, else the one behind, else itself; before the row behind, the
      // element above that.
      previous = vec4u(
        before_row(select(words.z, words.y, has_above)),
        before_row(words.y),
        before_row(words.w),
        before_row(words.w),
      );
    } else {
      previous = vec4u(
        voxels[at - 1u],
        voxels[at - to_above - 1u],
        voxels[at - to_behind - 1u],
        voxels[at - to_above - to_behind - 1u],
      );
    }
    var sums = array<vec2u, predictors>();
    var steps = 0u;
    var spikes = 0u;
    for (var word_index = 0u; word_index < piece_words && word_index * 4u < count * element_bytes; word_index++) {
      let x = first_x + word_index * 4u / element_bytes;
      let mask = elements_below(chunk.row_elements - x);
      let word = words.x;
      at++;
      let next = voxels[min(at, arrayLength(&voxels) - 1u)];
      // A row's first element has no left neighbour, its last no right neighbour.
      let not_first = select(0xffffffffu, ~elements_below(1u), x == 0u);
      let differs = elements_set((word ^ left_of(word, previous.x)) & mask & not_first);
      steps += countOneBits(differs);
      spikes += countOneBits(
        differs & elements_set((word ^ right_of(word, next)) & elements_below(chunk.row_elements - 1u - x)),
      );
      let left = along_x(word, previous.x);
      let left_above = along_x(words.y, previous.y);
      let flat = select(left, packed_subtract(left, left_above), has_above);
      let left_behind = along_x(words.z, previous.z);
      let left_above_behind = along_x(words.w, previous.w);
      let flat_behind = select(left_behind, packed_subtract(left_behind, left_above_behind), has_above);
      let soft = select(left, packed_soften(flat, left_above), has_above);
      let soft_behind = select(left_behind, packed_soften(flat_behind, left_above_behind), has_above);
      let residuals = array<u32, predictors>(
        left,
        select(left, packed_subtract(word, words.y), has_above),
        select(left, packed_subtract(word, words.z), has_behind),
        flat,
        select(flat, packed_subtract(flat, flat_behind), has_behind),
        select(soft, packed_soften(packed_subtract(soft, soft_behind), soft_behind), has_behind),
      );
      for (var i = 0u; i < predictors; i++) { sums[i] += plane_sums(packed_symbols(residuals[i]) & mask); }
      previous = words;
      // Not used past the piece's last word.
      words = vec4u(next, voxels[at - to_above], voxels[at - to_behind], voxels[at - to_above - to_behind]);
    }
    for (var i = 0u; i < predictors; i++) {
      wg_terms[i * threads + local] = expected_bits(sums[i].x, count) + expected_bits(sums[i].y, count);
    }
    wg_terms[predictors * threads + local] = steps;
    wg_terms[(predictors + 1u) * threads + local] = spikes;
  }
  workgroupBarrier(); // the terms are stored
  if (local < counters * parts) {
    var sum = 0u;
    for (var i = 0u; i < threads / parts; i++) { sum += wg_terms[local / parts * threads + local % parts + parts * i]; }
    wg_parts[local] = sum;
  }
  workgroupBarrier(); // the partial sums are stored
  if (local < counters) {
    var sum = 0u;
    for (var i = 0u; i < parts; i++) { sum += wg_parts[local * parts + i]; }
    let total = (chunk_index * counters + local) * 2u;
    let before = atomicAdd(&totals[total], sum);
    if (before > 0xffffffffu - sum) { atomicAdd(&totals[total + 1u], 1u); }
  }
}
