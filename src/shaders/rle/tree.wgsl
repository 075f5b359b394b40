// The bitmap tree of one tile in workgroup memory. No entry point: kernels.ts puts it in front of the others.
// src/core/codecs/rle/SPEC.md, 'Bitmap tree': a tile is what one byte of level 3 covers, 4096 elements.

// Where each level starts in wg_tree. Levels 0, 1, 2, 3 of a tile have 128, 16, 2 and (of one byte) 1 words.
const level_0 = 0u;
const level_1 = 128u;
const level_2 = 144u;
const level_3 = 146u;
const tree_words = 147u;

var<workgroup> wg_tree: array<u32, tree_words>;
// For each word of wg_tree: the bits of its level that come before it.
var<workgroup> wg_rank: array<u32, tree_words>;
// Bits of level 0 in eight words: one sum for each word of level 1.
var<workgroup> wg_sums: array<u32, 16>;

// Byte `index` of the level that starts at `level`.
fn tree_byte(level: u32, index: u32) -> u32 {
  return (wg_tree[level + index / 4u] >> (8u * (index % 4u))) & 0xffu;
}

// Bit b is 1 where byte b of the word is not 0.
fn nonzero_bytes(word: u32) -> u32 {
  let bytes = vec4u(word) & vec4u(0xffu, 0xff00u, 0xff0000u, 0xff000000u);
  let marks = select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), bytes != vec4u(0u));
  return marks.x | marks.y | marks.z | marks.w;
}

fn bits_between(first: u32, end: u32) -> u32 {
  var bits = 0u;
  for (var word = first; word < end; word++) { bits += countOneBits(wg_tree[word]); }
  return bits;
}

// Fills a word of wg_sums.
fn sum_group(group: u32) {
  wg_sums[group] = bits_between(level_0 + 8u * group, level_0 + 8u * group + 8u);
}

// Levels 1, 2 and 3 in the making.
var<workgroup> wg_parents: array<atomic<u32>, 19>;

// Levels 1, 2 and 3 from level 0, and wg_sums. The workgroup calls it together; wg_parents is 0 before, as it is at a
// workgroup's start.
fn build_parents(thread: u32) {
  workgroupBarrier(); // level 0 is whole
  for (var word = thread; word < 128u; word += threads) {
    let marks = nonzero_bytes(wg_tree[level_0 + word]);
    if (marks != 0u) { atomicOr(&wg_parents[word / 8u], marks << (4u * (word % 8u))); }
  }
  if (thread < 16u) { sum_group(thread); }
  workgroupBarrier(); // level 1 is whole
  if (thread < 16u) {
    let word = atomicLoad(&wg_parents[thread]);
    wg_tree[level_1 + thread] = word;
    let marks = nonzero_bytes(word);
    if (marks != 0u) { atomicOr(&wg_parents[16u + thread / 8u], marks << (4u * (thread % 8u))); }
  }
  workgroupBarrier(); // level 2 is whole
  if (thread < 2u) {
    let word = atomicLoad(&wg_parents[16u + thread]);
    wg_tree[level_2 + thread] = word;
    atomicOr(&wg_parents[18], nonzero_bytes(word) << (4u * thread));
  }
  workgroupBarrier(); // level 3 is whole
  if (thread == 0u) { wg_tree[level_3] = atomicLoad(&wg_parents[18]); }
  workgroupBarrier(); // everyone may read all of them
}

// Fills wg_rank: for level 0 from the sums before and the words since, for the short levels by counting.
// The workgroup calls it together, once.
fn rank_tree(thread: u32) {
  workgroupBarrier(); // the tree and the sums are whole
  var before = 0u;
  if (thread < 16u) {
    for (var group = 0u; group < thread; group++) { before += wg_sums[group]; }
    wg_rank[level_1 + thread] = bits_between(level_1, level_1 + thread);
  } else if (thread < 18u) {
    wg_rank[level_2 + thread - 16u] = bits_between(level_2, level_2 + thread - 16u);
  }
  workgroupBarrier(); // everyone has read the sums
  if (thread < 16u) { wg_sums[thread] = before; }
  workgroupBarrier(); // they are now sums of all groups before
  for (var word = thread; word < 128u; word += threads) {
    wg_rank[word] = wg_sums[word / 8u] + bits_between(word & ~7u, word);
  }
  workgroupBarrier(); // the ranks are whole
}
