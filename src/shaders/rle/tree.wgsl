// The bitmap tree of one tile in workgroup memory. No entry point: kernels.ts puts it in front of the others.
// src/core/codecs/rle/SPEC.md, 'Bitmap tree': a tile is what one byte of level 3 covers, 4096 elements.

// Where each level starts in wg_tree. Levels 0, 1, 2, 3 of a tile have 128, 16, 2 and (of one byte) 1 words.
const level_0 = 0u;
const level_1 = 128u;
const level_2 = 144u;
const level_3 = 146u;
const tree_words = 147u;

var<workgroup> wg_tree: array<atomic<u32>, tree_words>;
// For each word of wg_tree: the bits of its level that come before it.
var<workgroup> wg_rank: array<u32, tree_words>;

fn tree_word(index: u32) -> u32 {
  return atomicLoad(&wg_tree[index]);
}

// Byte `index` of the level that starts at `level`.
fn tree_byte(level: u32, index: u32) -> u32 {
  return (tree_word(level + index / 4u) >> (8u * (index % 4u))) & 0xffu;
}

// Bit b: byte b of the word is not 0.
fn nonzero_bytes(word: u32) -> u32 {
  return select(0u, 1u, (word & 0xffu) != 0u) | select(0u, 2u, (word & 0xff00u) != 0u) |
    select(0u, 4u, (word & 0xff0000u) != 0u) | select(0u, 8u, (word & 0xff000000u) != 0u);
}

// Levels 1, 2 and 3 from level 0. The workgroup calls it together, with zeros in levels 1 to 3.
fn build_parents(thread: u32) {
  var level = level_0;
  for (var words = 128u; words > 0u; words /= 8u) {
    workgroupBarrier(); // the level below is whole
    if (thread < words) {
      let nonzero = nonzero_bytes(tree_word(level + thread));
      if (nonzero != 0u) { atomicOr(&wg_tree[level + words + thread / 8u], nonzero << (4u * (thread % 8u))); }
    }
    level += words;
  }
  workgroupBarrier(); // level 3 is there
}

// Fills wg_rank by a Hillis-Steele scan of all levels at once. The workgroup calls it together.
fn rank_tree(thread: u32) {
  var start = level_0;
  if (thread >= level_1) { start = level_1; }
  if (thread >= level_2) { start = level_2; }
  if (thread >= level_3) { start = level_3; }
  workgroupBarrier(); // the tree is whole
  var bits = 0u;
  if (thread < tree_words) {
    bits = countOneBits(tree_word(thread));
    wg_rank[thread] = bits;
  }
  for (var distance = 1u; distance < 128u; distance *= 2u) {
    workgroupBarrier(); // the sums of the step before are there
    var before = 0u;
    if (thread < tree_words && thread >= start + distance) { before = wg_rank[thread - distance]; }
    workgroupBarrier(); // everyone has read before anyone writes
    if (thread < tree_words) { wg_rank[thread] += before; }
  }
  if (thread < tree_words) { wg_rank[thread] -= bits; } // its own word: no barrier needed before
  workgroupBarrier(); // the ranks are whole
}

// Where bit number `rank` of a level stands. `words`: the level's words, a power of two. `rank` is below its bit count.
fn select_bit(level: u32, words: u32, rank: u32) -> u32 {
  var word = 0u;
  for (var half = words / 2u; half > 0u; half /= 2u) {
    if (wg_rank[level + word + half] <= rank) { word += half; }
  }
  let bits = tree_word(level + word);
  var rest = rank - wg_rank[level + word];
  var position = 0u;
  for (var half = 16u; half > 0u; half /= 2u) {
    let below = countOneBits((bits >> position) & ((1u << half) - 1u));
    if (rest >= below) {
      rest -= below;
      position += half;
    }
  }
  return 32u * word + position;
}
