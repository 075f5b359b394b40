// Counts each segment's runs and the words of its marks. src/core/codecs/parle/SPEC.md, 'Marks'.
// segment.wgsl and starts.wgsl stand in front of this text.
// Algorithm: the starts of several segments are gathered as bits in workgroup memory; then 16 invocations for each segment
// count them, and the escapes of the gaps between them, and keep the bits where write-flat.wgsl is to follow.
// One invocation owns every 128th quad, one workgroup `per_workgroup` segments of 2048 elements.
// Dispatch: one workgroup for `per_workgroup` segments, spread over x and y.
// Invariants:
// 1. Each segment's words of `counts` and `kept` are written by one workgroup.
// Twin: `encode` in src/core/codecs/parle/reference.ts.

@group(0) @binding(0) var<uniform> batch: Batch;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each segment's chunk.
@group(0) @binding(2) var<storage, read> chunk_of_segment: array<u32>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
// The same, four words at a time.
@group(0) @binding(4) var<storage, read> quads: array<vec4u>;
// For each segment: runs that start in it, and from bit 16 on the words of its marks.
@group(0) @binding(5) var<storage, read_write> counts: array<u32>;
// For each segment 64 words: a bit for each run start. Not written unless they are kept.
@group(0) @binding(6) var<storage, read_write> kept: array<vec4u>;

override keeps_starts: bool = false;

const most_segments = 8u;
// Invocations that count a segment's bits, four words each.
const counters = 16u;

// A bit for each run start, segment after segment.
var<workgroup> wg_bits: array<atomic<u32>, most_segments * bit_words>;
// For each counter: one behind the last start in its words, from the segment's start on; 0 where there is none.
var<workgroup> wg_last: array<u32, threads>;
// For each segment: runs, and from bit 16 on escapes.
var<workgroup> wg_sums: array<atomic<u32>, most_segments>;

fn put_bits(index: u32, segment: u32, thread: u32) {
  let chunk = chunks[chunk_of_segment[segment]];
  let walk = walk_of(chunk, segment - chunk.first_segment);
  let own = load_own(chunk, walk, thread);
  for (var k = 0u; k < quads_each; k++) {
    let at = (k * threads + thread) * per_quad;
    let bits = starts_of(own, k, walk, thread);
    if (bits != 0u) { atomicOr(&wg_bits[index * bit_words + at / 32u], bits << (at % 32u)); }
  }
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let first = (workgroup.x + workgroup.y * workgroups.x) * batch.per_workgroup;
  let end = min(first + batch.per_workgroup, batch.segment_count);
  for (var segment = first; segment < end; segment++) { put_bits(segment - first, segment, thread); }
  workgroupBarrier(); // the bits are there

  let index = thread / counters;
  let counter = thread % counters;
  var words: vec4u;
  var last = 0u;
  for (var i = 0u; i < 4u; i++) {
    words[i] = atomicLoad(&wg_bits[4u * thread + i]);
    last = max(last, end_of_starts(words[i], 32u * (4u * counter + i)));
  }
  if (keeps_starts && first + index < end) { kept[(first + index) * counters + counter] = words; }
  wg_last[thread] = last;
  workgroupBarrier(); // the last starts are there
  var next = 0u;
  for (var i = thread - counter; i < thread; i++) { next = max(next, wg_last[i]); }
  var sum = 0u;
  for (var i = 0u; i < 4u; i++) {
    let first_bit = 32u * (4u * counter + i);
    sum += countOneBits(words[i]) + (escapes_of(words[i], first_bit, next) << 16u);
    next = max(next, end_of_starts(words[i], first_bit));
  }
  if (sum != 0u) { atomicAdd(&wg_sums[index], sum); }
  workgroupBarrier(); // the sums are there
  if (counter == 0u && first + index < end) {
    let segment = first + index;
    let chunk = chunks[chunk_of_segment[segment]];
    let count = min(segment_elements, chunk.count - (segment - chunk.first_segment) * segment_elements);
    let sums = atomicLoad(&wg_sums[index]);
    let runs = sums & 0xffffu;
    counts[segment] = runs | (min((runs + (sums >> 16u) + 3u) / 4u, (count + 31u) / 32u) << 16u);
  }
}
