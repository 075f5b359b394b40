// Finds the codes of each element, so that a lane's coder only has to concatenate them.
// src/core/codecs/wave/SPEC.md, 'Bias' to 'Special values'.
// One workgroup owns one slab of a part. Dispatch: slabs × parts.
// Twin: `encodeElement` in src/core/codecs/wave/code.ts.

import package::wave::contexts::{
  bias_cells, energy_of, equal_near, escape_from, flag_context, level_of, low_bits_of, scale_of, table_of, value,
};
import package::wave::layout::{Part, fraction};
import package::wave::places::index_of;
import package::wave::predicted::{elements, near_of};
import package::wave::slabs::{row_threads, share_of, slab_threads};
import package::wave::tables::flag_chance;

@group(0) @binding(0) var<storage, read> parts: array<Part>;
// For each element its prediction, which becomes its symbol: the number of the token's start (12 bits), the magnitude (16 bits),
// the number of low bits (4 bits).
@group(0) @binding(1) var<storage, read_write> symbols: array<u32>;
// For each part: for each level, the level whose tables it uses; then the biases of the cells of residuals, and of the cells of gradients.
@group(0) @binding(3) var<storage, read> codings: array<i32>;
// For each element of a part with special values: the chances of the flags (12 bits each), and the flags.
@group(0) @binding(4) var<storage, read_write> flags: array<u32>;

const coding_words = 88u;

@compute @workgroup_size(slab_threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let part = parts[workgroup.y];
  let share = share_of(part, workgroup.x, thread);
  let coding = workgroup.y * coding_words;
  for (var z = share.first_slice; z < share.end_slice; z++) {
    for (var x = share.first_x; x < part.extent.x; x += row_threads) {
      let place = vec3i(vec3u(x, share.y, z));
      let at = index_of(part, place);
      let near = near_of(part, place);
      let own = value(elements[at]);
      let plain = i32(symbols[at]);
      let energy = energy_of(near);
      let cells = bias_cells(near, plain, energy);
      let scale = scale_of(energy);
      let biased = plain + ((codings[coding + 32u + cells.x] * scale) >> 6u) + ((codings[coding + 59u + cells.y] * scale) >> 6u);
      let prediction = clamp(biased, 0, i32(part.range << fraction));
      let level = level_of(energy);
      let middle = prediction >> fraction;
      let is_above = own > middle;
      let magnitude = u32(select(middle - own, own - middle - 1, is_above));
      let low_bits = low_bits_of(level);
      let table = table_of(u32(codings[coding + level]), prediction);
      let start = table + 2u * min(magnitude >> low_bits, escape_from) + u32(is_above);
      symbols[at] = start | (magnitude << 12u) | (low_bits << 28u);
      var flag = 0u;
      for (var j = 0u; j < part.specials; j++) {
        let special = i32(part.special[j]);
        let chance = flag_chance(flag_context(equal_near(near, special), special, energy, level, prediction, near.has_behind));
        flag |= (chance << (12u * j)) | (u32(own == special) << (24u + j));
      }
      if (part.specials > 0u) { flags[at] = flag; }
    }
  }
}
