// Copies rows of bytes to rows of another stride: pads a file's rows to whole words, or packs such rows for a file.
//
// An invocation owns one word of the result. Dispatch: a workgroup for each 256 words, spread over x and y (core/gpu/commands.ts, spread).
// Invariants:
// 1. The source has a whole word wherever a row has a byte.
// 2. Bytes of the result between rows, and behind the last one, are zero.

struct Rows {
  count: u32,
  /** Bytes of a row that are copied. */
  length: u32,
  /** Bytes from one row to the next. */
  source_stride: u32,
  result_stride: u32,
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
@group(0) @binding(2) var<uniform> rows: Rows;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let word = (workgroup.x + workgroup.y * workgroups.x) * 256u + local;
  if (word >= arrayLength(&result)) {
    return;
  }
  var row = (4u * word) / rows.result_stride;
  var column = (4u * word) % rows.result_stride;
  var bytes = 0u;
  for (var i = 0u; i < 4u; i++) {
    if (row < rows.count && column < rows.length) {
      let at = row * rows.source_stride + column;
      bytes |= extractBits(source[at / 4u], 8u * (at % 4u), 8u) << (8u * i);
    }
    column++;
    if (column == rows.result_stride) {
      column = 0u;
      row++;
    }
  }
  result[word] = bytes;
}
