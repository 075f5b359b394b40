// Writes each tile's bytes into its chunk's payload. src/core/codecs/rle/SPEC.md, 'Payload'.
// order.wgsl and tree.wgsl stand in front of this text.
// Algorithm: a byte's place in its section is its rank, the number of ones in front of its own in the level above; a
// value's is the number of runs that start before its own.
// One invocation owns every 64th word of each level and the values of the runs that start in it, one workgroup a tile.
// Dispatch: one workgroup a tile, spread over x and y.
// Invariants:
// 1. `payloads` is zero before. Tiles' bytes are disjoint, so a word that
//    two tiles, or two invocations, share is the same whoever comes first; a word that one owns whole is stored.
// 2. A tile without a run start has only zero bytes: nothing is written.
// 3. Chunks with byte_length 0 are left out.
// Twin: `encode` in src/core/codecs/rle/reference.ts.

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each tile's chunk: `tile_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_tile: array<u32>;
@group(0) @binding(3) var<storage, read> voxels: array<u32>;
// Level 0 of each tile, as measure.wgsl left it: 128 words a tile.
@group(0) @binding(4) var<storage, read> bits: array<u32>;
// Exclusive scan of measure.wgsl's counts: 4 × tile_count + 1 words.
@group(0) @binding(5) var<storage, read> offsets: array<u32>;
@group(0) @binding(6) var<storage, read_write> payloads: array<atomic<u32>>;

// A byte or an element goes to byte `at`; what is gathered for the word that it lies in goes out when the word is full.
struct Writer {
  first: u32,    // where this invocation's bytes start
  at: u32,       // where the next byte goes
  pending: u32,  // the bytes of word at / 4 so far
}

fn writer_at(at: u32) -> Writer {
  return Writer(at, at, 0u);
}

// Appends the `count` low bytes of `value`, 4 at most; the others are 0.
fn put(writer: ptr<function, Writer>, value: u32, count: u32) {
  let word = (*writer).at / 4u;
  let shift = 8u * ((*writer).at % 4u);
  (*writer).pending |= value << shift;
  (*writer).at += count;
  if ((*writer).at / 4u == word) { return; }
  if (4u * word >= (*writer).first) {
    atomicStore(&payloads[word], (*writer).pending);
  } else {
    atomicOr(&payloads[word], (*writer).pending);
  }
  (*writer).pending = 0u;
  if (shift > 0u) { (*writer).pending = value >> (32u - shift); }
}

fn flush(writer: Writer) {
  if (writer.pending != 0u) { atomicOr(&payloads[writer.at / 4u], writer.pending); }
}

// The bytes of a level of `words` words that are not 0, from byte `start` of the payload on, by the ranks of its parent.
fn write_level(thread: u32, start: u32, level: u32, words: u32, parent: u32) {
  for (var w = thread; w < words; w += threads) {
    let value = wg_tree[level + w];
    if (value == 0u) { continue; }
    let shift = 4u * (w % 8u);
    let rank = wg_rank[parent + w / 8u] + countOneBits(wg_tree[parent + w / 8u] & ((1u << shift) - 1u));
    var writer = writer_at(start + rank);
    for (var byte = 0u; byte < 32u; byte += 8u) {
      let bits = (value >> byte) & 0xffu;
      if (bits != 0u) { put(&writer, bits, 1u); }
    }
    flush(writer);
  }
}

// Where the elements of a column lie.
struct Column { first_word: u32, shift: u32 }

fn column_at(order: Chunk, number: u32) -> Column {
  let row = number / order.shape.x;
  let x = number - row * order.shape.x;
  return Column(row_start(order, row) + x / per_word, (x % per_word) * element_bits);
}

// The values of the runs that start in each word of level 0, from byte `start` of the payload on.
fn write_values(thread: u32, start: u32, order: Chunk, first_element: u32) {
  for (var w = thread; w < 128u; w += threads) {
    var bits = wg_tree[level_0 + w];
    if (bits == 0u) { continue; }
    var writer = writer_at(start + wg_rank[w] * element_bytes);
    var number = (first_element + 32u * w) / order.length;
    var first = number * order.length;
    var column = column_at(order, number);
    while (bits != 0u) {
      let i = first_element + 32u * w + countTrailingZeros(bits);
      if (i - first >= order.length) {
        number = i / order.length;
        first = number * order.length;
        column = column_at(order, number);
      }
      put(&writer, (voxels[column.first_word + (i - first) * order.step] >> column.shift) & element_mask, element_bytes);
      bits &= bits - 1u;
    }
    flush(writer);
  }
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let tile = workgroup.x + workgroup.y * workgroups.x;
  if (tile >= box.tile_count) { return; }
  let runs_at = 3u * box.tile_count + tile;
  if (offsets[runs_at + 1u] == offsets[runs_at]) { return; }
  let chunk = chunks[chunk_of_tile[tile]];
  if (chunk.byte_length == 0u) { return; }
  var starts: vec4u;
  for (var section = 0u; section < 4u; section++) {
    let at = section * box.tile_count;
    starts[section] = offsets[at + tile] - offsets[at + chunk.first_tile];
  }
  starts = chunk.sections + starts * vec4u(1u, 1u, 1u, element_bytes);

  for (var word = thread; word < 128u; word += threads) { wg_tree[level_0 + word] = bits[tile * 128u + word]; }
  build_parents(thread);
  rank_tree(thread);

  let tile_in_chunk = tile - chunk.first_tile;
  if (thread == 0u) {
    let at = chunk.byte_offset + tile_in_chunk;
    atomicOr(&payloads[at / 4u], wg_tree[level_3] << (8u * (at % 4u)));
  }
  write_level(thread, starts.x, level_2, 2u, level_3);
  write_level(thread, starts.y, level_1, 16u, level_2);
  write_level(thread, starts.z, level_0, 128u, level_1);
  write_values(thread, starts.w, chunk, tile_in_chunk * tile_elements);
}
