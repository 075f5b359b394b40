// Makes each section's code from its counts: lengths, code words, and the payload's table. src/core/codecs/huffman/SPEC.md, 'The
// encoder's choice', 'Codes' and 'Table'.
// Algorithm: sorts symbols by counting ranks. One lane builds Huffman's tree from two queues (van Leeuwen 1976): the sorted
// leaves, and the inner nodes in order of creation. All lanes compute depths, lengths, codes and the table.
// One invocation owns a symbol, one workgroup a section. Dispatch: one workgroup per section, spread over x and y.
// Invariants:
// 1. A section with a single symbol gets a table of no bytes, with the symbol in its second word. Its codes are not read.
// 2. No sum of counts reaches `none`, because sections have less than 2^30 symbols. So no node is deeper than 43.
// Twins: `codeLengths`, `canonicalCodes` and `packLengths` in src/core/codecs/huffman/code.ts.

import package::huffman::tile::{max_code_bits, table_words};

@group(0) @binding(0) var<uniform> section_count: u32;
// 256 words per section.
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// 256 words per section, one per symbol: its code, first bit lowest, and its length << 16.
@group(0) @binding(2) var<storage, read_write> codes: array<u32>;
// table_words per section: the table's length in bytes, then the table.
@group(0) @binding(3) var<storage, read_write> tables: array<u32>;

const none = 0xffffffffu;

var<workgroup> wg_counts: array<u32, 256>;
// The symbols that occur, rarest first, and their weights.
var<workgroup> wg_sorted: array<u32, 256>;
var<workgroup> wg_weights: array<u32, 256>;
// Weights and parents of inner nodes, in order of creation.
var<workgroup> wg_inner_weights: array<u32, 256>;
var<workgroup> wg_parents: array<u32, 256>;
// Inner nodes at each depth below 12.
var<workgroup> wg_inner: array<atomic<u32>, max_code_bits>;
var<workgroup> wg_used: atomic<u32>;
// For each length: the number of codes with it, the number of codes up to it, and its first code.
var<workgroup> wg_numbers: array<u32, max_code_bits + 1u>;
var<workgroup> wg_ends: array<u32, max_code_bits + 1u>;
var<workgroup> wg_first_codes: array<u32, max_code_bits + 1u>;
var<workgroup> wg_lengths: array<u32, 256>;
// Running sums of nibbles, and the nibbles.
var<workgroup> wg_nibbles: array<u32, 256>;
var<workgroup> wg_packed: array<atomic<u32>, 32>;

// 'the two lightest nodes get a parent, again and again; a leaf goes before a parent of the same weight'
fn build_tree(used: u32) {
  var leaf = 0u;
  var root = 0u;
  var leaf_weight = wg_weights[0];
  var root_weight = none;
  for (var parent = 0u; parent < used - 1u; parent++) {
    var sum = 0u;
    for (var child = 0u; child < 2u; child++) {
      if (leaf_weight <= root_weight) {
        sum += leaf_weight;
        leaf++;
        leaf_weight = none;
        if (leaf < used) { leaf_weight = wg_weights[leaf]; }
      } else {
        sum += root_weight;
        wg_parents[root] = parent;
        root++;
        root_weight = none;
        if (root < parent) { root_weight = wg_inner_weights[root]; }
      }
    }
    wg_inner_weights[parent] = sum;
    if (root == parent) { root_weight = sum; }
  }
}

// Fills wg_numbers, wg_ends and wg_first_codes. At each depth the nodes that are not inner nodes are leaves. Leaves deeper than
// 12 count as 12. 'While the codes take more than all 4096 values: take one from 12 bits; take one from the longest length below
// 12 that has any, and give two to the length after it.'
fn count_lengths(used: u32) {
  var rest = used;
  var taken = 0u;
  for (var length = 1u; length <= max_code_bits; length++) {
    var leaves = rest;
    if (length < max_code_bits) { leaves = 2u * atomicLoad(&wg_inner[length - 1u]) - atomicLoad(&wg_inner[length]); }
    wg_numbers[length] = leaves;
    taken += leaves << (max_code_bits - length);
    rest -= leaves;
  }
  for (; taken > 1u << max_code_bits; taken--) {
    var length = max_code_bits - 1u;
    while (wg_numbers[length] == 0u && length > 1u) { length--; }
    wg_numbers[max_code_bits]--;
    wg_numbers[length]--;
    wg_numbers[length + 1u] += 2u;
  }
  var code = 0u;
  var end = 0u;
  for (var length = 1u; length <= max_code_bits; length++) {
    code *= 2u;
    wg_first_codes[length] = code;
    code += wg_numbers[length];
    end += wg_numbers[length];
    wg_ends[length] = end;
  }
}

// The nibbles for a run of `run` symbols with codes of `length` bits. The run must not include the last of all symbols.
fn nibbles_of(length: u32, run: u32) -> u32 {
  if (length == 0u) { return select(select(3u, 2u, run <= 17u), 1u, run == 1u); }
  let rest = (run - 1u) % 17u;
  return 1u + 2u * ((run - 1u) / 17u) + select(2u, rest, rest < 2u);
}

fn put_nibble(at: u32, value: u32) {
  atomicOr(&wg_packed[at / 8u], value << (4u * (at % 8u)));
}

// Writes those nibbles, from number `first` on.
fn put_run(first: u32, length: u32, run: u32) {
  if (length == 0u) {
    if (run == 1u) { return; }
    put_nibble(first, select(14u, 13u, run <= 17u));
    put_nibble(first + 1u, select((run - 18u) & 15u, run - 2u, run <= 17u));
    if (run > 17u) { put_nibble(first + 2u, (run - 18u) >> 4u); }
    return;
  }
  put_nibble(first, length);
  var at = first + 1u;
  var rest = run - 1u;
  for (; rest >= 2u; rest -= min(rest, 17u)) {
    put_nibble(at, 15u);
    put_nibble(at + 1u, min(rest, 17u) - 2u);
    at += 2u;
  }
  if (rest == 1u) { put_nibble(at, length); }
}

// SPEC.md, 'Table'. The first symbol of each run writes it. The whole workgroup must call it.
fn pack_lengths(thread: u32, table: u32) {
  let length = wg_lengths[thread];
  var starts = thread == 0u;
  if (thread > 0u) { starts = wg_lengths[thread - 1u] != length; }
  var run = 0u;
  var count = 0u;
  if (starts) {
    run = 1u;
    while (thread + run < 256u) {
      if (wg_lengths[thread + run] != length) { break; }
      run++;
    }
    if (length > 0u || thread + run < 256u) { count = nibbles_of(length, run); }
  }
  wg_nibbles[thread] = count;
  for (var distance = 1u; distance < 256u; distance *= 2u) {
    workgroupBarrier(); // the previous step's sums are stored
    var before = 0u;
    if (thread >= distance) { before = wg_nibbles[thread - distance]; }
    workgroupBarrier(); // everyone has read before anyone writes
    wg_nibbles[thread] += before;
  }
  if (count > 0u) { put_run(wg_nibbles[thread] - count, length, run); }
  workgroupBarrier(); // the nibbles and their count are complete
  if (thread < 32u) { tables[table + 1u + thread] = atomicLoad(&wg_packed[thread]); }
  if (thread == 0u) { tables[table] = (wg_nibbles[255] + 1u) / 2u; }
}

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let section = workgroup.x + workgroup.y * workgroups.x;
  if (section >= section_count) { return; }
  let count = counts[256u * section + thread];
  wg_counts[thread] = count;
  if (count > 0u) { atomicAdd(&wg_used, 1u); }
  workgroupBarrier(); // the counts are stored

  var rank = 0u;
  if (count > 0u) {
    for (var other = 0u; other < 256u; other++) {
      let others = wg_counts[other];
      rank += u32(others > 0u && (others < count || (others == count && other < thread)));
    }
    wg_sorted[rank] = thread;
    wg_weights[rank] = count;
  }
  workgroupBarrier(); // the symbols are sorted

  let used = atomicLoad(&wg_used);
  let table = table_words * section;
  if (thread == 0u && used > 1u) { build_tree(used); }
  workgroupBarrier(); // the tree is complete

  if (thread + 1u < used) {
    var depth = 0u;
    for (var node = thread; node != used - 2u && depth < max_code_bits; depth++) { node = wg_parents[node]; }
    if (depth < max_code_bits) { atomicAdd(&wg_inner[depth], 1u); }
  }
  workgroupBarrier(); // the inner nodes are counted
  if (thread == 0u && used > 1u) { count_lengths(used); }
  workgroupBarrier(); // the numbers, their sums and the first codes are stored

  // 'The most frequent symbols get the shortest codes'
  var length = 0u;
  if (count > 0u && used > 1u) {
    length = 1u;
    while (wg_ends[length] <= used - 1u - rank && length < max_code_bits) { length++; }
  }
  wg_lengths[thread] = length;
  workgroupBarrier(); // the lengths are stored

  var code = 0u;
  if (length > 0u) {
    code = wg_first_codes[length];
    for (var other = 0u; other < thread; other++) { code += u32(wg_lengths[other] == length); }
    code = reverseBits(code) >> (32u - length);
  }
  codes[256u * section + thread] = code | (length << 16u);
  pack_lengths(thread, table);
  if (thread == 0u && used < 2u) { tables[table + 1u] = wg_sorted[0]; }
}
