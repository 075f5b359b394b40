// The second of two passes of CUVLE: each thread writes its codes straight to their place in the output.
// Source: A. Fuentes-Alventosa and others, CUVLE (2014); see cuvle-measure.wgsl. A baseline of the bench, not a codec of Stria.
// One invocation owns 16 neighbouring words (4 symbols each, the highest byte first), one workgroup a block of 256 × 16.
// Dispatch: one workgroup per block, spread over x and y.
// Invariants:
// 1. Bits count from a word's highest. Codes follow one another in the order of the symbols.
// 2. The output starts as zeros. A thread's first and last word are written by OR; the words between belong to it alone.

override words_per_thread: u32 = 16u;

struct Data { word_count: u32, block_count: u32 }

@group(0) @binding(0) var<uniform> data: Data;
@group(0) @binding(1) var<storage, read> words: array<u32>;
// 256 codes, then their 256 lengths in bits.
@group(0) @binding(2) var<storage, read> table: array<u32, 512>;
// The bit where each block goes, then the number of all bits.
@group(0) @binding(3) var<storage, read> block_offsets: array<u32>;
@group(0) @binding(4) var<storage, read_write> output_words: array<atomic<u32>>;

var<workgroup> wg_table: array<u32, 512>;
var<workgroup> wg_bits: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let block = workgroup.x + workgroup.y * workgroups.x;
  if (block >= data.block_count) { return; }
  wg_table[thread] = table[thread];
  wg_table[thread + 256u] = table[thread + 256u];
  workgroupBarrier(); // the table is stored
  let first = (block * 256u + thread) * words_per_thread;
  let end = min(first + words_per_thread, data.word_count);
  var own = 0u;
  for (var index = first; index < end; index++) {
    let symbols = words[index];
    own += wg_table[256u + (symbols >> 24u)] + wg_table[256u + ((symbols >> 16u) & 0xffu)];
    own += wg_table[256u + ((symbols >> 8u) & 0xffu)] + wg_table[256u + (symbols & 0xffu)];
  }
  wg_bits[thread] = own;
  for (var distance = 1u; distance < 256u; distance *= 2u) {
    workgroupBarrier(); // the previous step's sums are stored
    var before = 0u;
    if (thread >= distance) { before = wg_bits[thread - distance]; }
    workgroupBarrier(); // everyone has read before anyone writes
    wg_bits[thread] += before;
  }
  let position = block_offsets[block] + wg_bits[thread] - own;
  var place = position / 32u;
  var held = 0u; // bits of the word at `place`, from its highest
  var filled = position % 32u; // how many of its bits are taken, including those of the previous thread
  var is_first = true;
  for (var index = first; index < end; index++) {
    let symbols = words[index];
    for (var shift = 0u; shift < 32u; shift += 8u) {
      let symbol = (symbols >> (24u - shift)) & 0xffu;
      let code = wg_table[symbol];
      let bits = wg_table[256u + symbol];
      let room = 32u - filled;
      if (bits < room) {
        held |= code << (room - bits);
        filled += bits;
        continue;
      }
      held |= code >> (bits - room);
      if (is_first) { atomicOr(&output_words[place], held); } else { atomicStore(&output_words[place], held); }
      is_first = false;
      place++;
      filled = bits - room;
      held = 0u;
      if (filled > 0u) { held = code << (32u - filled); }
    }
  }
  if (filled > 0u && held != 0u) { atomicOr(&output_words[place], held); }
}
