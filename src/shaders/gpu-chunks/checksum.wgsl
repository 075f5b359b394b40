// Checksums of payloads, each taken as one row of bytes: docs/FORMAT.md, section 'Checksum'.
// An invocation owns four quads of a payload's words, a workgroup a tile of 4096 words. Workgroups add their sums to the
// payload's by atomics. Integer sums do not depend on their order.
// Dispatch: for each payload as many workgroups as the longest one has tiles, spread over x and y.
// Invariants:
// 1. The checksums in `places` are zero before the dispatch.
// 2. Bytes past a payload's end count as zero, whatever they are.
// Twin: core/format/checksum.ts, `checksum`.

import package::gpu_chunks::mix::{mix, of_cross, of_number};

override tile_words: u32 = 4096u;

struct Batch { payload_count: u32, tiles_per_payload: u32 }

// As in src/shaders/codec/places.wgsl.
struct Place { byte_offset: u32, byte_length: u32, sum: atomic<u32>, cross: atomic<u32> }

@group(0) @binding(0) var<uniform> batch: Batch;
@group(0) @binding(1) var<storage, read_write> places: array<Place>;
// The payloads, wherever they lie.
@group(0) @binding(2) var<storage, read> words: array<u32>;

const threads = 256u;

var<workgroup> wg_sum: atomic<u32>;
var<workgroup> wg_cross: atomic<u32>;

struct Payload { first_word: u32, byte_length: u32 }

// Word `number` of a payload; 0 past its end.
fn load(payload: Payload, number: u32) -> u32 {
  let left = payload.byte_length - min(payload.byte_length, 4u * number);
  if (left == 0u) { return 0u; }
  let word = words[payload.first_word + number];
  if (left >= 4u) { return word; }
  return word & ((1u << (8u * left)) - 1u);
}

@compute @workgroup_size(threads)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let tile = workgroup.x + workgroup.y * workgroups.x;
  let place = tile / batch.tiles_per_payload;
  var payload = Payload(0u, 0u);
  if (place < batch.payload_count) { payload = Payload(places[place].byte_offset / 4u, places[place].byte_length); }
  let word_count = (payload.byte_length + 3u) / 4u;
  let first = (tile % batch.tiles_per_payload) * tile_words;
  let end = min(first + tile_words, word_count);
  var sum = 0u;
  var cross = 0u;
  for (var number = first + 4u * local; number < end; number += 4u * threads) {
    let numbers = vec4u(number, number + 1u, number + 2u, number + 3u);
    let quad = vec4u(load(payload, numbers.x), load(payload, numbers.y), load(payload, numbers.z), load(payload, numbers.w));
    let mixed = select(vec4u(0u), mix(quad ^ (numbers * of_number)), numbers < vec4u(end));
    let crossed = mixed ^ (mixed >> vec4u(15u));
    sum += mixed.x + mixed.y + mixed.z + mixed.w;
    cross += (crossed.x + crossed.y + crossed.z + crossed.w) * of_cross;
  }
  atomicAdd(&wg_sum, sum);
  atomicAdd(&wg_cross, cross);
  workgroupBarrier(); // the workgroup's sums are complete
  if (local == 0u && first < end) {
    atomicAdd(&places[place].sum, atomicLoad(&wg_sum));
    atomicAdd(&places[place].cross, atomicLoad(&wg_cross));
  }
}
