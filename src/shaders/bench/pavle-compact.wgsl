// PAVLE's compaction: moves each block's codes from its slot to where the scan of the lengths puts them.
// Source: A. Balevic (2009), as described with CUVLE. A baseline of the bench, not a codec of Stria.
// One workgroup owns a block. Its invocations stride over the words that the block reaches.
// Dispatch: one workgroup per block, spread over x and y.
// Invariants: 1. The output starts as zeros. 2. Words that two blocks share are written by OR, all others by one invocation.

override slot_words: u32 = 512u;

struct Data { word_count: u32, block_count: u32 }

@group(0) @binding(0) var<uniform> data: Data;
// `slot_words` words for each block.
@group(0) @binding(1) var<storage, read> slots: array<u32>;
// The bit where each block goes, then the number of all bits.
@group(0) @binding(2) var<storage, read> block_offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> output_words: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let block = workgroup.x + workgroup.y * workgroups.x;
  if (block >= data.block_count) { return; }
  let start = block_offsets[block];
  let bits = block_offsets[block + 1u] - start;
  let shift = start % 32u;
  let source_words = (bits + 31u) / 32u;
  let target_words = (shift + bits + 31u) / 32u;
  let slot = block * slot_words;
  for (var word = thread; word < target_words; word += 256u) {
    var value = 0u;
    if (word < source_words) { value = slots[slot + word] >> shift; }
    if (shift > 0u && word > 0u) { value |= slots[slot + word - 1u] << (32u - shift); }
    let place = start / 32u + word;
    if (word == 0u || word == target_words - 1u) {
      atomicOr(&output_words[place], value);
    } else {
      atomicStore(&output_words[place], value);
    }
  }
}
