// Reads the table of each coded section. src/core/codecs/huffman/SPEC.md, 'Table' and 'Codes'.
// Algorithm: one invocation unpacks the lengths. Then all invocations rank the symbols by counting.
// One invocation owns a symbol, one workgroup a section. Dispatch: one workgroup per slot, spread over x and y.
// Invariants:
// 1. A table that is not a complete code turns its section into zeros. The checksum then finds the wrong voxels.
// Twins: `unpackLengths` and `decodeTable` in src/core/codecs/huffman/code.ts.

import package::faults::faults::raise;
import package::huffman::payload::{Slot, code_sums, code_words};
import package::huffman::tile::{kind_coded, kind_single, max_code_bits, max_sections};

const threads = 256u;

@group(0) @binding(0) var<uniform> slot_count: u32;
@group(0) @binding(1) var<storage, read> payloads: array<u32>;
@group(0) @binding(2) var<storage, read_write> slots: array<Slot>;
// code_words per slot.
@group(0) @binding(3) var<storage, read_write> codes: array<u32>;

var<workgroup> wg_kind: u32;
var<workgroup> wg_table: array<u32, 256>;
var<workgroup> wg_lengths: array<u32, 256>;
var<workgroup> wg_sorted: array<u32, 256>;
var<workgroup> wg_numbers: array<atomic<u32>, 16>;

fn byte_at(at: u32) -> u32 { return (payloads[at / 4u] >> (8u * (at % 4u))) & 0xffu; }

// Nibble `at` of a table of `count` nibbles.
fn nibble(at: u32, count: u32) -> u32 {
  if (at >= count) { return 0u; }
  return (wg_table[at / 2u] >> (4u * (at % 2u))) & 15u;
}

// `count`: nibbles in wg_table. Returns false if they name more than 256 symbols, unless the surplus is one last nibble that
// fills its byte.
fn unpack_lengths(count: u32) -> bool {
  var symbol = 0u;
  for (var at = 0u; at < count; ) {
    var length = nibble(at, count);
    var repeats = 1u;
    at++;
    if (length == 13u || length == 15u) {
      repeats = 2u + nibble(at, count);
      at++;
    } else if (length == 14u) {
      repeats = 18u + nibble(at, count) + 16u * nibble(at + 1u, count);
      at += 2u;
    }
    if (length == 15u && symbol > 0u) { length = wg_lengths[symbol - 1u]; }
    if (length > max_code_bits) { length = 0u; }
    if (symbol + repeats > 256u && !(length == 0u && at == count)) { return false; }
    let end = min(256u, symbol + repeats);
    for (; symbol < end; symbol++) { wg_lengths[symbol] = length; }
  }
  return true;
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= slot_count) { return; }
  if (thread == 0u) { wg_kind = slots[number].kind; }
  if (workgroupUniformLoad(&wg_kind) != kind_coded) { return; }
  let body = slots[number].body;
  let table_bytes = byte_at(body);
  if (thread < table_bytes) { wg_table[thread] = byte_at(body + 1u + thread); }
  workgroupBarrier(); // the table is stored
  if (thread == 0u) { raise(number / max_sections, !unpack_lengths(2u * table_bytes)); }
  workgroupBarrier(); // the lengths are stored

  let length = wg_lengths[thread];
  if (length > 0u) {
    var rank = 0u;
    for (var other = 0u; other < 256u; other++) {
      let others = wg_lengths[other];
      rank += u32(others > 0u && (others < length || (others == length && other < thread)));
    }
    wg_sorted[rank] = thread;
    atomicAdd(&wg_numbers[length], 1u);
  }
  workgroupBarrier(); // the symbols are sorted

  if (thread < code_sums) {
    let first = 4u * thread;
    codes[code_words * number + thread] =
      wg_sorted[first] | (wg_sorted[first + 1u] << 8u) | (wg_sorted[first + 2u] << 16u) | (wg_sorted[first + 3u] << 24u);
  }
  if (thread == 0u) {
    var sum = 0u;
    var taken = 0u;
    for (var length = 0u; length <= max_code_bits; length++) {
      sum += atomicLoad(&wg_numbers[length]);
      taken += atomicLoad(&wg_numbers[length]) << (max_code_bits - length);
      codes[code_words * number + code_sums + length] = sum;
    }
    raise(number / max_sections, taken != 1u << max_code_bits);
    if (taken != 1u << max_code_bits) { slots[number] = Slot(kind_single, slots[number].length, slots[number].symbols_word, 0u); }
  }
}
