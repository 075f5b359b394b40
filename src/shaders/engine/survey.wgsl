// What prediction would make of chunks, from a sample of their rows: bits that Rice codes are expected to take. And how
// often elements differ from their neighbours along x, from one or from both.
//
// Of each 8 rows of a slice one is taken, another one in each slice. It is cut into pieces of 16 elements; each piece is a
// group of one Rice parameter, under each of five predictors (left, up, behind, flat, Lorenzo; src/core/codecs/rice/SPEC.md,
// 'Predictors'). Elements of 4 bytes are two planes of 2 bytes, as there. Words hold several elements or both planes, and
// all of them are computed with at once.
// An invocation owns one piece, a workgroup 64 pieces of one chunk. Dispatch: chunk_count × workgroups_per_chunk workgroups
// over x and y (core/gpu/commands.ts, spread).
// Invariants:
//   1. `totals` is zero before the dispatch; whole numbers alone meet in the atomics, so their order changes nothing.
//   2. A piece outside its chunk (chunks of one dispatch may differ in shape) reads and adds nothing.
// Twin: core/codecs/survey.ts, `survey`.

override element_bytes: u32 = 1u;
/** Bits of a lane of a word: 8 or 16. */
override bits: u32 = select(16u, 8u, element_bytes == 1u);
override lanes: u32 = 32u / bits;
override lane_mask: u32 = 0xffffffffu >> (32u - bits);
/** 1 in each lane, and the highest bit of each lane. */
override ones: u32 = 0xffffffffu / lane_mask;
override tops: u32 = ones << (bits - 1u);
/** 'The highest code is the raw group: 8 or 15'; the largest k is two less. */
override largest_k: u32 = min(bits, 15u) - 2u;
override piece_words: u32 = 4u * element_bytes;

const piece_elements = 16u;
const row_step = 8u;
const predictors = 5u;
const counters = predictors + 2u;
const threads = 64u;

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
/** 14 words a chunk: the low and high word of each of `counters`, the predictors' bits first, then steps and spikes. */
@group(0) @binding(2) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> box: Box;

var<workgroup> wg_counts: array<atomic<u32>, counters>;

fn packed_subtract(a: u32, b: u32) -> u32 { return ((a | tops) - (b & ~tops)) ^ ((a ^ ~b) & tops); }

fn packed_symbols(residuals: u32) -> u32 {
  return ((residuals & ~tops) << 1u) ^ (((residuals & tops) >> (bits - 1u)) * lane_mask);
}

/** The symbols' sum, or for two planes the sum of each. */
fn plane_sums(symbols: u32) -> vec2u {
  if (element_bytes == 1u) {
    let pairs = (symbols & 0x00ff00ffu) + ((symbols >> 8u) & 0x00ff00ffu);
    return vec2u((pairs & 0xffffu) + (pairs >> 16u), 0u);
  }
  if (element_bytes == 2u) { return vec2u((symbols & 0xffffu) + (symbols >> 16u), 0u); }
  return vec2u(symbols & 0xffffu, symbols >> 16u);
}

// core/codecs/rice/choice.ts, `expectedCost`
fn expected_bits(symbol_sum: u32, count: u32) -> u32 {
  if (symbol_sum == 0u) { return 0u; }
  let k = min(32u - countLeadingZeros(2u * symbol_sum / (3u * count)), largest_k);
  return min(count * (k + 1u) + (symbol_sum >> k), count * bits);
}

/** The elements to the left of a word's; for a row's first element `first` stands there. */
fn left_of(at: u32, is_first: bool, first: u32) -> u32 {
  if (element_bytes == 4u) {
    if (is_first) { return first; }
    return voxels[at - 1u];
  }
  let word = voxels[at] << bits;
  if (is_first) { return word | (first & lane_mask); }
  return word | (voxels[at - 1u] >> (32u - bits));
}

/** Differences along x of the differences along y; in the first row, along x alone. */
fn flat(at: u32, is_first: bool, has_above: bool) -> u32 {
  let word = voxels[at];
  if (!has_above) { return packed_subtract(word, left_of(at, is_first, word)); }
  let above = voxels[at - box.row_stride];
  return packed_subtract(
    packed_subtract(word, left_of(at, is_first, above)),
    packed_subtract(above, left_of(at - box.row_stride, is_first, above)),
  );
}

/** The elements to the right of a word's; behind a row's last word anything. */
fn right_of(at: u32) -> u32 {
  let next = voxels[min(at + 1u, arrayLength(&voxels) - 1u)];
  if (element_bytes == 4u) { return next; }
  return (voxels[at] >> bits) | (next << (32u - bits));
}

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
    var sums = array<vec2u, predictors>();
    var steps = 0u;
    var spikes = 0u;
    for (var word_index = 0u; word_index < piece_words && word_index * 4u < count * element_bytes; word_index++) {
      let is_first = first_x == 0u && word_index == 0u;
      let x = first_x + word_index * 4u / element_bytes;
      let mask = elements_below(chunk.row_elements - x);
      let word = voxels[at];
      // A row's first element has none before it, its last one none behind.
      let differs = elements_set((word ^ left_of(at, is_first, word)) & mask);
      steps += countOneBits(differs);
      spikes += countOneBits(differs & elements_set((word ^ right_of(at)) & elements_below(chunk.row_elements - 1u - x)));
      var first = word;
      if (slice > 0u) { first = voxels[at - box.slice_stride]; }
      if (row > 0u) { first = voxels[at - box.row_stride]; }
      let left = packed_subtract(word, left_of(at, is_first, first));
      var residuals = array<u32, predictors>(left, left, left, left, left);
      if (row > 0u) {
        residuals[1] = packed_subtract(word, voxels[at - box.row_stride]);
        residuals[3] = flat(at, is_first, true);
      }
      residuals[4] = residuals[3];
      if (slice > 0u) {
        residuals[2] = packed_subtract(word, voxels[at - box.slice_stride]);
        residuals[4] = packed_subtract(residuals[3], flat(at - box.slice_stride, is_first, row > 0u));
      }
      for (var i = 0u; i < predictors; i++) { sums[i] += plane_sums(packed_symbols(residuals[i]) & mask); }
      at++;
    }
    for (var i = 0u; i < predictors; i++) {
      let cost = expected_bits(sums[i].x, count) + expected_bits(sums[i].y, count);
      if (cost > 0u) { atomicAdd(&wg_counts[i], cost); }
    }
    if (steps > 0u) { atomicAdd(&wg_counts[predictors], steps); }
    if (spikes > 0u) { atomicAdd(&wg_counts[predictors + 1u], spikes); }
  }
  workgroupBarrier(); // all pieces are added up before their sum goes on
  if (local < counters) {
    let sum = atomicLoad(&wg_counts[local]);
    let total = (chunk_index * counters + local) * 2u;
    let before = atomicAdd(&totals[total], sum);
    if (before > 0xffffffffu - sum) { atomicAdd(&totals[total + 1u], 1u); }
  }
}
