// Decodes MetalRice's layout: Rice codes of 32×32 blocks of differences, with a table of k and a table of bit offsets.
// Source: M. DeJong, Rice decoding on the GPU with Metal (2018). A baseline of the bench, not a codec of Stria.
// One invocation decodes half of an 8×8 block (32 symbols), then one row of pixels. One workgroup owns a 32×32 block.
// Dispatch: one workgroup per block, spread over x and y.
// Invariants: 1. Bits count from a word's highest. 2. `width` is a multiple of 32.
// Twin: `decodeMetalRice` in src/core/bench/seeds/metal-rice-layout.ts.

struct Picture { width: u32, block_count: u32 }

@group(0) @binding(0) var<uniform> picture: Picture;
// The bit stream, and one more word.
@group(0) @binding(1) var<storage, read> stream: array<u32>;
// k of each 8×8 block, four bytes per word.
@group(0) @binding(2) var<storage, read> parameters: array<u32>;
// The bit at which each half of an 8×8 block starts.
@group(0) @binding(3) var<storage, read> offsets: array<u32>;
// Pixels, four per word.
@group(0) @binding(4) var<storage, read_write> pixels: array<u32>;

var<workgroup> wg_symbols: array<u32, 1024>;

fn peek(position: u32) -> u32 {
  let word = position / 32u;
  let shift = position % 32u;
  if (shift == 0u) { return stream[word]; }
  return (stream[word] << shift) | (stream[word + 1u] >> (32u - shift));
}

fn unfold(symbol: u32) -> u32 {
  return (symbol >> 1u) ^ (0u - (symbol & 1u));
}

@compute @workgroup_size(32)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let block = workgroup.x + workgroup.y * workgroups.x;
  if (block >= picture.block_count) { return; }
  let small = block * 16u + thread / 2u;
  let k = (parameters[small / 4u] >> (8u * (small % 4u))) & 0xffu;
  var position = offsets[block * 32u + thread];
  let left = ((thread / 2u) % 4u) * 8u;
  let top = (thread / 8u) * 8u + (thread % 2u) * 4u;
  for (var group = 0u; group < 8u; group++) {
    var quotients = vec4u(0u);
    for (var index = 0u; index < 4u; index++) {
      let bits = peek(position);
      let zeros = countLeadingZeros(bits);
      if (zeros < 16u) {
        quotients[index] = zeros;
        position += zeros + 1u;
      } else {
        quotients[index] = (bits << 16u) >> (24u + k);
        position += 24u - k;
      }
    }
    let place = (top + group / 2u) * 32u + left + (group % 2u) * 4u;
    for (var index = 0u; index < 4u; index++) {
      var low = 0u;
      if (k > 0u) { low = peek(position) >> (32u - k); }
      position += k;
      wg_symbols[place + index] = (quotients[index] << k) | low;
    }
  }
  workgroupBarrier(); // all symbols of the block are stored

  // Down the first column to this row, then along the row.
  var value = wg_symbols[0];
  for (var row = 1u; row <= thread; row++) { value += unfold(wg_symbols[row * 32u]); }
  let blocks_across = picture.width / 32u;
  let target_word = ((block / blocks_across) * 32u + thread) * (picture.width / 4u) + (block % blocks_across) * 8u;
  for (var word = 0u; word < 8u; word++) {
    var packed = 0u;
    for (var byte = 0u; byte < 4u; byte++) {
      let column = word * 4u + byte;
      if (column > 0u) { value += unfold(wg_symbols[thread * 32u + column]); }
      packed |= (value & 0xffu) << (8u * byte);
    }
    pixels[target_word + word] = packed;
  }
}
