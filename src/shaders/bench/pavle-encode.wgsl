// PAVLE's encoder: assembles a block's variable-length codes in workgroup memory and writes them to the block's slot.
// Source: A. Balevic (2009), as described with CUVLE. A baseline of the bench, not a codec of Stria.
// One invocation encodes one word (4 symbols, the highest byte first), one workgroup a block of 256 words.
// Dispatch: one workgroup per block, spread over x and y.
// Invariants:
// 1. Bits count from a word's highest. Codes follow one another in the order of the symbols.
// 2. A block takes at most `slot_words` words. A longer one is cut, but its full length is stored.

override slot_words: u32 = 512u;

// The number of words, and of blocks of 256 words.
struct Data { word_count: u32, block_count: u32 }

@group(0) @binding(0) var<uniform> data: Data;
@group(0) @binding(1) var<storage, read> words: array<u32>;
// 256 codes, then their 256 lengths in bits.
@group(0) @binding(2) var<storage, read> table: array<u32, 512>;
// `slot_words` words for each block.
@group(0) @binding(3) var<storage, read_write> slots: array<u32>;
// The bits of each block, then a 0.
@group(0) @binding(4) var<storage, read_write> block_bits: array<u32>;

var<workgroup> wg_table: array<u32, 512>;
var<workgroup> wg_bits: array<u32, 256>;
var<workgroup> wg_codes: array<atomic<u32>, 1025>;

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
  for (var word = thread; word < 1025u; word += 256u) { atomicStore(&wg_codes[word], 0u); }
  let index = block * 256u + thread;
  let has_word = index < data.word_count;
  var symbols = 0u;
  if (has_word) { symbols = words[index]; }
  workgroupBarrier(); // the table is stored, the codes are 0

  var own = 0u;
  if (has_word) {
    for (var shift = 0u; shift < 32u; shift += 8u) { own += wg_table[256u + ((symbols >> (24u - shift)) & 0xffu)]; }
  }
  wg_bits[thread] = own;
  for (var distance = 1u; distance < 256u; distance *= 2u) {
    workgroupBarrier(); // the previous step's sums are stored
    var before = 0u;
    if (thread >= distance) { before = wg_bits[thread - distance]; }
    workgroupBarrier(); // everyone has read before anyone writes
    wg_bits[thread] += before;
  }
  workgroupBarrier(); // the last sum is the block's length
  let total = wg_bits[255];
  var position = wg_bits[thread] - own;
  if (has_word) {
    for (var shift = 0u; shift < 32u; shift += 8u) {
      let symbol = (symbols >> (24u - shift)) & 0xffu;
      let code = wg_table[symbol];
      let bits = wg_table[256u + symbol];
      let room = 32u - position % 32u;
      if (bits <= room) {
        atomicOr(&wg_codes[position / 32u], code << (room - bits));
      } else {
        atomicOr(&wg_codes[position / 32u], code >> (bits - room));
        atomicOr(&wg_codes[position / 32u + 1u], code << (32u + room - bits));
      }
      position += bits;
    }
  }
  workgroupBarrier(); // all codes are written
  let used = min(slot_words, (total + 31u) / 32u);
  for (var word = thread; word < used; word += 256u) { slots[block * slot_words + word] = atomicLoad(&wg_codes[word]); }
  if (thread == 0u) {
    block_bits[block] = total;
    if (block == data.block_count - 1u) { block_bits[block + 1u] = 0u; }
  }
}
