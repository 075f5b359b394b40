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

// The word of a level above `words` words of wg_tree, 8 at most: bit b is 1 where byte b of them is not 0.
fn parent_of(first: u32, words: u32) -> u32 {
  var parent = 0u;
  for (var word = 0u; word < words; word++) {
    let bytes = vec4u(wg_tree[first + word]) & vec4u(0xffu, 0xff00u, 0xff0000u, 0xff000000u);
    let marks = select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), bytes != vec4u(0u));
    parent |= (marks.x | marks.y | marks.z | marks.w) << (4u * word);
  }
  return parent;
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

// Levels 1, 2 and 3 from level 0, and wg_sums. The workgroup calls it together. Behind it invocation 0 may read all,
// any other one only after a barrier.
fn build_parents(thread: u32) {
  workgroupBarrier(); // level 0 is whole
  if (thread < 16u) {
    wg_tree[level_1 + thread] = parent_of(level_0 + 8u * thread, 8u);
    sum_group(thread);
  }
  workgroupBarrier(); // level 1 and the sums are whole
  if (thread == 0u) {
    wg_tree[level_2] = parent_of(level_1, 8u);
    wg_tree[level_2 + 1u] = parent_of(level_1 + 8u, 8u);
    wg_tree[level_3] = parent_of(level_2, 2u);
  }
}

// Fills wg_rank: for level 0 from wg_sums and the words since, for the short levels by counting.
// The workgroup calls it together.
fn rank_tree(thread: u32) {
  workgroupBarrier(); // the tree and the sums are whole
  for (var word = thread; word < tree_words; word += threads) {
    var rank = 0u;
    if (word < level_1) {
      for (var group = 0u; group < word / 8u; group++) { rank += wg_sums[group]; }
      rank += bits_between(word & ~7u, word);
    } else if (word < level_2) {
      rank = bits_between(level_1, word);
    } else if (word < level_3) {
      rank = bits_between(level_2, word);
    }
    wg_rank[word] = rank;
  }
  workgroupBarrier(); // the ranks are whole
}
