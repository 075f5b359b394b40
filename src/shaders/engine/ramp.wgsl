// What differences of neighbours say of chunks that may be ramps: how far they are from the first one along their axis.
//
// Elements of 1 and 2 bytes are compared as numbers, those of 4 modulo 2^32 (core/engine/ramp.ts, `ruleOf`, says why that is
// enough). An invocation owns one column of words: one place in x and y, and `segment` slices along z. A workgroup owns 256
// neighbouring columns, and adds what it found to the chunk's by atomic maxima, which do not depend on their order.
// Dispatch: chunk_count × pieces_per_chunk workgroups over x and y (core/gpu/commands.ts, spread); a piece is one block
// of columns of one segment, blocks first.
// Invariants:
//   1. `found` is zero before the dispatch.
//   2. A piece outside its chunk (chunks of one dispatch may differ in shape) reads and adds nothing.
// Twin: core/engine/ramp.ts, `findSteps`.

override workgroup_size: u32 = 256;
/** Slices that one invocation walks along z. */
override segment: u32 = 32;
/** Bits of an element: 8, 16 or 32. */
override bits: u32 = 8;
override word_elements: u32 = 32u / bits;
/** All bits of an element. */
override element_mask: u32 = 0xffffffffu >> (32u - bits);

struct Box {
  row_stride: u32,      // words from row to row of the box
  slice_stride: u32,    // words from slice to slice of the box
  chunk_count: u32,
  pieces_per_chunk: u32,
  column_blocks: u32,   // blocks of workgroup_size columns in the widest chunk
}

struct Chunk {
  first_word: u32,      // of the chunk, in `voxels`
  row_words: u32,
  rows: u32,
  slices: u32,
  last_elements: u32,   // elements of a row's last word that lie in the chunk
  value: u32,           // not used here
  spare_0: u32,
  spare_1: u32,
}

/** Words of the box, rows padded. */
@group(0) @binding(0) var<storage, read> voxels: array<u32>;
/** One for each chunk. */
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
/**
 * 8 words a chunk: of the distances but 0 the largest complement (so the least distance; 0: there is none) and the largest, the
 * largest element, the steps from the first element along x, y, z (0 where it has no neighbour), and 2 spare.
 */
@group(0) @binding(2) var<storage, read_write> found: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> box: Box;

/** The first three of `found`, of a workgroup. */
var<workgroup> wg_found: array<atomic<u32>, 3>;

/** Element `i` of a word. */
fn element(word: u32, i: u32) -> u32 { return (word >> (i * bits)) & element_mask; }

/** The steps from a chunk's first element to its neighbours along x, y, z. */
fn first_steps(chunk: Chunk) -> vec3u {
  let word = voxels[chunk.first_word];
  let first = element(word, 0u);
  var steps = vec3u(0u);
  if (chunk.row_words > 1u || chunk.last_elements > 1u) {
    steps.x = select(element(word, 1u % word_elements), voxels[chunk.first_word + min(1u, chunk.row_words - 1u)], bits == 32u) - first;
  }
  if (chunk.rows > 1u) { steps.y = element(voxels[chunk.first_word + box.row_stride], 0u) - first; }
  if (chunk.slices > 1u) { steps.z = element(voxels[chunk.first_word + box.slice_stride], 0u) - first; }
  return steps;
}

@compute @workgroup_size(workgroup_size)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  let chunk_index = min(number / box.pieces_per_chunk, box.chunk_count - 1u);
  let piece = number % box.pieces_per_chunk;
  let chunk = chunks[chunk_index];
  let column = (piece % box.column_blocks) * workgroup_size + local;
  let first_slice = (piece / box.column_blocks) * segment;
  let end_slice = min(first_slice + segment, chunk.slices);
  let steps = first_steps(chunk);

  if (number / box.pieces_per_chunk < box.chunk_count && column < chunk.row_words * chunk.rows && first_slice < end_slice) {
    let row = column / chunk.row_words;
    let in_row = column - row * chunk.row_words;
    let is_last = in_row == chunk.row_words - 1u;
    let elements = select(word_elements, chunk.last_elements, is_last);
    let has_below = row + 1u < chunk.rows;
    var at = chunk.first_word + first_slice * box.slice_stride + row * box.row_stride + in_row;
    var least_complement = 0u;
    var most = 0u;
    var largest = 0u;
    for (var slice = first_slice; slice < end_slice; slice++) {
      let word = voxels[at];
      let next = voxels[at + select(1u, 0u, is_last)];
      let below = voxels[at + select(0u, box.row_stride, has_below)];
      let has_behind = slice + 1u < chunk.slices;
      let behind = voxels[at + select(0u, box.slice_stride, has_behind)];
      for (var i = 0u; i < elements; i++) {
        let value = element(word, i);
        largest = max(largest, value);
        let in_word = i + 1u < word_elements;
        let has_next = !is_last || i + 1u < elements;
        let beside = select(element(next, 0u), element(word, (i + 1u) % word_elements), in_word);
        let neighbours = vec3u(beside, element(below, i), element(behind, i));
        let away = vec3u(abs(bitcast<vec3i>(neighbours - value - steps)));
        for (var axis = 0u; axis < 3u; axis++) {
          if (vec3(has_next, has_below, has_behind)[axis] && away[axis] != 0u) {
            most = max(most, away[axis]);
            least_complement = max(least_complement, ~away[axis]);
          }
        }
      }
      at += box.slice_stride;
    }
    atomicMax(&wg_found[0], least_complement);
    atomicMax(&wg_found[1], most);
    atomicMax(&wg_found[2], largest);
  }

  workgroupBarrier(); // the workgroup's own are there
  if (number / box.pieces_per_chunk >= box.chunk_count) { return; }
  if (local < 3u) {
    atomicMax(&found[chunk_index * 8u + local], atomicLoad(&wg_found[local]));
  } else if (local < 6u && piece == 0u) {
    atomicStore(&found[chunk_index * 8u + local], steps[local - 3u]);
  }
}
