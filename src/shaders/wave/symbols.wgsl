// Finds the codes of each element, so that a lane's coder only has to concatenate them.
// src/core/codecs/wave/SPEC.md, 'Bias' to 'Special values'.
// One workgroup owns one slab of a part. Dispatch: slabs × parts.
// Twin: `encodeElement` in src/core/codecs/wave/code.ts.

import package::wave::contexts::{
  Near, bias_cells, energy_of, equal_near, escape_from, flag_context, level_of, low_bits_of, scale_of, table_of,
};
import package::wave::layout::{Part, fraction};
import package::wave::places::{around_of, codes_at, margin};
import package::wave::slabs::{row_step, share_of, slab_threads};
import package::wave::tables::flag_chance;
import package::wave::windows::{Window, here, left, left2, right};

@group(0) @binding(0) var<storage, read> parts: array<Part>;
// For each element its prediction, which becomes its symbol: the number of the token's start (12 bits), the magnitude (16 bits),
// the number of low bits (4 bits).
@group(0) @binding(1) var<storage, read_write> symbols: array<vec4u>;
// Values, and residuals in the high halves.
@group(0) @binding(2) var<storage, read> elements: array<vec4u>;
// For each part: for each level, the level whose tables it uses; then the biases of the cells of residuals, and of the cells of gradients.
@group(0) @binding(3) var<storage, read> codings: array<i32>;
// For each element of a part with special values: the chances of the flags (12 bits each), and the flags.
@group(0) @binding(4) var<storage, read_write> flags: array<vec4u>;

const coding_words = 88u;

// The part's entry of `codings`.
var<workgroup> wg_coding: array<i32, coding_words>;

// A symbol, and the flags.
struct Codes { symbol: u32, flags: u32 }

fn codes_of(part: Part, near: Near, own: i32, plain: i32) -> Codes {
  let energy = energy_of(near);
  let cells = bias_cells(near, plain, energy);
  let scale = scale_of(energy);
  let biased = plain + ((wg_coding[32u + cells.x] * scale) >> 6u) + ((wg_coding[59u + cells.y] * scale) >> 6u);
  let prediction = clamp(biased, 0, i32(part.range << fraction));
  let level = level_of(energy);
  let middle = prediction >> fraction;
  let is_above = own > middle;
  let magnitude = u32(select(middle - own, own - middle - 1, is_above));
  let low_bits = low_bits_of(level);
  let table = table_of(u32(wg_coding[level]), prediction);
  let start = table + 2u * min(magnitude >> low_bits, escape_from) + u32(is_above);
  var flag = 0u;
  if (part.specials > 0u) {
    let special = i32(part.special.x);
    let context = flag_context(equal_near(near, special), special, energy, level, prediction, near.has_behind);
    flag = flag_chance(context) | select(0u, 1u << 24u, own == special);
  }
  if (part.specials > 1u) {
    let special = i32(part.special.y);
    let context = flag_context(equal_near(near, special), special, energy, level, prediction, near.has_behind);
    flag |= (flag_chance(context) << 12u) | select(0u, 1u << 25u, own == special);
  }
  return Codes(start | (magnitude << 12u) | (low_bits << 28u), flag);
}

fn window_at(word: u32) -> Window { return Window(elements[(word - margin) / 4u], elements[(word - margin) / 4u + 1u]); }

// The surroundings of four elements.
struct Nears {
  has_behind: bool,
  left: vec4u,
  left2: vec4u,
  above: vec4u,
  above_left: vec4u,
  above_right: vec4u,
  above2: vec4u,
  behind: vec4u,
  behind_left: vec4u,
  behind_right: vec4u,
  behind_up: vec4u,
  behind_down: vec4u,
  own: vec4u,
}

fn nears_of(part: Part, place: vec3i) -> Nears {
  let a = around_of(part, place);
  let own = window_at(a.here);
  var nears: Nears;
  nears.has_behind = place.z > 0;
  nears.own = here(own);
  nears.left = left(own);
  nears.left2 = left2(own);
  let up = window_at(a.up);
  nears.above = here(up);
  nears.above_left = left(up);
  nears.above_right = right(up);
  nears.above2 = here(window_at(a.up2));
  if (nears.has_behind) {
    let behind = window_at(a.behind);
    nears.behind = here(behind);
    nears.behind_left = left(behind);
    nears.behind_right = right(behind);
    nears.behind_up = here(window_at(a.behind_up));
    nears.behind_down = here(window_at(a.behind_down));
  } else if (place.y == 0) {
    // The element on the left stands for those above.
    nears.above = nears.left;
    nears.above_left = nears.left;
    nears.above_right = nears.left;
    nears.above2 = nears.left;
  }
  return nears;
}

fn near_at(n: Nears, i: u32) -> Near {
  return Near(
    n.has_behind, n.left[i], n.left2[i], n.above[i], n.above_left[i], n.above_right[i], n.above2[i], n.behind[i], n.behind_left[i],
    n.behind_right[i], n.behind_up[i], n.behind_down[i],
  );
}

@compute @workgroup_size(slab_threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let part = parts[workgroup.y];
  let share = share_of(part, workgroup.x, thread);
  if (thread < coding_words) { wg_coding[thread] = codings[workgroup.y * coding_words + thread]; }
  // Wait until the choices are loaded.
  workgroupBarrier();
  for (var z = share.first_slice; z < share.end_slice; z++) {
    for (var x = share.first_x; x < part.extent.x; x += row_step) {
      let place = vec3i(vec3u(x, share.y, z));
      let at = (codes_at(part, place.y, place.z) + x) / 4u;
      let nears = nears_of(part, place);
      let own = vec4i(nears.own & vec4u(0xffffu));
      let plain = vec4i(symbols[at]);
      let a = codes_of(part, near_at(nears, 0u), own.x, plain.x);
      let b = codes_of(part, near_at(nears, 1u), own.y, plain.y);
      let c = codes_of(part, near_at(nears, 2u), own.z, plain.z);
      let d = codes_of(part, near_at(nears, 3u), own.w, plain.w);
      symbols[at] = vec4u(a.symbol, b.symbol, c.symbol, d.symbol);
      if (part.specials > 0u) { flags[at] = vec4u(a.flags, b.flags, c.flags, d.flags); }
    }
  }
}
