// Rutter's second kernel, `Defrag`: copies the rows' pairs from their slots to where the scan of their lengths puts them.
// Source: R. Rutter, Run-length Encoding on Graphics Hardware (2011). A baseline of the bench, not a codec of Stria.
// One invocation owns a row and those words of the output that begin in its part. If the last of them reaches into the next row's
// part, it takes that row's first pair as well, because WGSL cannot store half a word.
// Dispatch: one invocation per row, workgroups of 256 spread over x and y.
// Invariants: 1. Offsets are multiples of 2 bytes. 2. Each word of `output_words` has one writer.

struct Cube { side: u32, row_count: u32 }

@group(0) @binding(0) var<uniform> cube: Cube;
// A slot for each row: row_count × side / 2 words.
@group(0) @binding(1) var<storage, read> slots: array<u32>;
// Where each row's pairs go, in bytes, then the total: row_count + 1 words.
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
// All pairs, row by row: total / 4 words, rounded up.
@group(0) @binding(3) var<storage, read_write> output_words: array<u32>;

fn pair(row: u32, index: u32) -> u32 {
  return (slots[row * (cube.side / 2u) + index / 2u] >> (16u * (index % 2u))) & 0xffffu;
}

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let row = (workgroup.x + workgroup.y * workgroups.x) * 256u + thread;
  if (row >= cube.row_count) { return; }
  let start = offsets[row];
  let pairs = (offsets[row + 1u] - start) / 2u;
  // The word with the first pair belongs to this row if the pair is its lower half.
  var index = (start / 2u) % 2u;
  var word = (start + 2u) / 4u;
  for (; index < pairs; index += 2u) {
    let low = pair(row, index);
    var high = 0u;
    if (index + 1u < pairs) {
      high = pair(row, index + 1u);
    } else if (row + 1u < cube.row_count) {
      high = pair(row + 1u, 0u);
    }
    output_words[word] = low | (high << 16u);
    word++;
  }
}
