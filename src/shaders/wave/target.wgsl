// The target of a decoder's elements. Blocks begin at whole words of the target's rows, so no word has two writers.

import package::wave::header::{payloads, wg_kind, wg_lowest, wg_start};
import package::wave::layout::{Box, Part, bits, element_bytes, kind_one_value};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(4) var<storage, read_write> voxels: array<u32>;

override lanes_per_word: u32 = max(1u, 4u / element_bytes);

// The latest elements of an invocation's row, the last one highest.
var<private> pending: u32;

// Stores the next element of an invocation's row, modulo 2^bits. Elements arrive in order.
fn emit(part: Part, x: u32, y: u32, z: u32, element: u32) {
  let at = part.first_word + z * box.slice_words + y * box.row_words + x / lanes_per_word;
  if (element_bytes == 4u) {
    voxels[at] = insertBits(voxels[at], element, 16u * part.plane, 16u);
    return;
  }
  pending = (pending >> bits) | (element << (32u - bits));
  let missing = lanes_per_word - 1u - x % lanes_per_word;
  if (missing == 0u) {
    voxels[at] = pending;
  } else if (x == part.extent.x - 1u) {
    // The rest of the row's last word stays as it is.
    let count = 32u - bits * missing;
    voxels[at] = insertBits(pending >> (32u - count), voxels[at] >> count, count, 32u - count);
  }
}

fn emit_value(part: Part, x: u32, y: u32, z: u32, value: u32) { emit(part, x, y, z, value + wg_lowest); }

// Fills a row with a part's single value, or with its raw elements.
fn fill(part: Part, y: u32) {
  let bytes = bits / 8u;
  for (var z = 0u; z < part.extent.z; z++) {
    for (var x = 0u; x < part.extent.x; x++) {
      let i = select((z * part.extent.y + y) * part.extent.x + x, 0u, wg_kind == kind_one_value);
      let at = wg_start + 1u + i * bytes;
      var element = extractBits(payloads[at / 4u], 8u * (at % 4u), 8u);
      if (bytes == 2u) { element |= extractBits(payloads[(at + 1u) / 4u], 8u * ((at + 1u) % 4u), 8u) << 8u; }
      emit(part, x, y, z, element);
    }
  }
}
