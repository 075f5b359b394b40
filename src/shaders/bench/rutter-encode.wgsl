// Rutter's first kernel: (count, value) byte pairs of rows or columns of a cube of bytes, each into its own slot.
// Source: R. Rutter, Run-length Encoding on Graphics Hardware (2011), `rleEncode` and `rleEncodeTransposed`. A baseline of the
// bench, not a codec of Stria.
// One invocation owns a row (x fastest) or a column (along y), and its slot. WGSL cannot store a byte, so pairs are stored two at
// a time, as words.
// Dispatch: one invocation per row, workgroups of 256 spread over x and y.
// Invariants:
// 1. A count is at most 255. The counts of a row add up to `side`.
// 2. A slot has room for one pair per element: `side / 2` words. `side` is a multiple of 4.
// Twin: `encodePairs` in src/core/bench/seeds/rutter-pairs.ts.

override columns: bool = false;

struct Cube { side: u32, row_count: u32 }

@group(0) @binding(0) var<uniform> cube: Cube;
// The cube's bytes, four per word: side³ / 4 words.
@group(0) @binding(1) var<storage, read> voxels: array<u32>;
// A slot for each row: row_count × side / 2 words.
@group(0) @binding(2) var<storage, read_write> slots: array<u32>;
// The bytes written for each row, then a 0: row_count + 1 words.
@group(0) @binding(3) var<storage, read_write> lengths: array<u32>;

fn voxel(at: u32) -> u32 {
  return (voxels[at / 4u] >> (8u * (at % 4u))) & 0xffu;
}

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let row = (workgroup.x + workgroup.y * workgroups.x) * 256u + thread;
  if (row == cube.row_count) { lengths[row] = 0u; }
  if (row >= cube.row_count) { return; }
  var first = row * cube.side;
  var step = 1u;
  if (columns) {
    first = (row / cube.side) * cube.side * cube.side + row % cube.side;
    step = cube.side;
  }
  let slot = row * (cube.side / 2u);
  var pairs = 0u;
  var held = 0u;
  var value = voxel(first);
  var count = 1u;
  for (var position = 1u; position < cube.side; position++) {
    let next = voxel(first + position * step);
    if (next == value && count < 255u) {
      count++;
      continue;
    }
    let pair = count | (value << 8u);
    if (pairs % 2u == 0u) { held = pair; } else { slots[slot + pairs / 2u] = held | (pair << 16u); }
    pairs++;
    value = next;
    count = 1u;
  }
  let last = count | (value << 8u);
  if (pairs % 2u == 0u) { slots[slot + pairs / 2u] = last; } else { slots[slot + pairs / 2u] = held | (last << 16u); }
  lengths[row] = 2u * (pairs + 1u);
}
