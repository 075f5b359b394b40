// The first of two passes of CUVLE: the bits that each block's codes take.
// Source: A. Fuentes-Alventosa and others, CUVLE (2014). There a block waits for its neighbour's position, which needs forward
// progress between workgroups. WebGPU does not promise that, so the lengths are scanned between two passes. A baseline of the
// bench, not a codec of Stria.
// One invocation owns 16 neighbouring words (4 symbols each), one workgroup a block of 256 × 16.
// Dispatch: one workgroup per block, spread over x and y.
// Invariants: 1. The word after the lengths is 0.

override words_per_thread: u32 = 16u;

struct Data { word_count: u32, block_count: u32 }

@group(0) @binding(0) var<uniform> data: Data;
@group(0) @binding(1) var<storage, read> words: array<u32>;
// 256 codes, then their 256 lengths in bits.
@group(0) @binding(2) var<storage, read> table: array<u32, 512>;
// The bits of each block, then a 0.
@group(0) @binding(3) var<storage, read_write> block_bits: array<u32>;

var<workgroup> wg_lengths: array<u32, 256>;
var<workgroup> wg_bits: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let block = workgroup.x + workgroup.y * workgroups.x;
  if (block >= data.block_count) { return; }
  wg_lengths[thread] = table[256u + thread];
  workgroupBarrier(); // the lengths are stored
  let first = (block * 256u + thread) * words_per_thread;
  let end = min(first + words_per_thread, data.word_count);
  var bits = 0u;
  for (var index = first; index < end; index++) {
    let symbols = words[index];
    bits += wg_lengths[symbols >> 24u] + wg_lengths[(symbols >> 16u) & 0xffu];
    bits += wg_lengths[(symbols >> 8u) & 0xffu] + wg_lengths[symbols & 0xffu];
  }
  wg_bits[thread] = bits;
  for (var half = 128u; half > 0u; half /= 2u) {
    workgroupBarrier(); // the previous step's sums are stored
    if (thread < half) { wg_bits[thread] += wg_bits[thread + half]; }
  }
  if (thread == 0u) {
    block_bits[block] = wg_bits[0];
    if (block == data.block_count - 1u) { block_bits[block + 1u] = 0u; }
  }
}
