// Predicts each element from its neighbours, without biases. src/core/codecs/wave/SPEC.md, 'Prediction'.
// One workgroup owns one slab of a part. Dispatch: slabs × parts.
// Invariants:
// 1. Only an element's own invocation writes its words, and those of its stand-ins at the sides of rows.
// Twin: `Walk` in src/core/codecs/wave/walk.ts.

import package::wave::contexts::residual_of;
import package::wave::layout::{Part, fraction};
import package::wave::places::{around_of, codes_at, margin, row_at};
import package::wave::slabs::{row_step, share_of, slab_threads};
import package::wave::windows::{Window, here, left, left2, right, right2};

@group(0) @binding(0) var<storage, read> parts: array<Part>;
@group(0) @binding(1) var<storage, read> values: array<vec4u>;
// For each part: the weights of the 28 neighbours, those of the first ten in slice 0, and two zeros.
@group(0) @binding(2) var<storage, read> weights: array<vec4i>;
@group(0) @binding(3) var<storage, read_write> predictions: array<vec4u>;
@group(0) @binding(4) var<storage, read_write> elements: array<vec2u>;

// Whether to make only the residuals that the second fit needs, and to keep no predictions.
override for_fit: bool = false;

// Four elements of a row, and their sums for slice 0 or for later slices.
struct Quad { values: vec4u, sums: vec4i }

// The window of the quad whose first element is at a word.
fn window_at(word: u32) -> Window { return Window(values[(word - margin) / 4u], values[(word - margin) / 4u + 1u]); }

fn first_quad(part: Part, place: vec3i, w: u32) -> Quad {
  let at = around_of(part, place);
  let own = window_at(at.here);
  let near = vec4i(left(own));
  let a = weights[w + 7u];
  let b = weights[w + 8u];
  let c = weights[w + 9u];
  if (place.y == 0) {
    // The element on the left stands for those above.
    let others = a.x + a.y + a.z + a.w + b.y + b.z + b.w + c.x + c.y;
    return Quad(here(own), others * near + b.x * vec4i(left2(own)));
  }
  let up = window_at(at.up);
  let up2 = window_at(at.up2);
  let sums = a.x * near + a.y * vec4i(here(up)) + a.z * vec4i(left(up)) + a.w * vec4i(right(up)) + b.x * vec4i(left2(own)) +
    b.y * vec4i(here(up2)) + b.z * vec4i(left(up2)) + b.w * vec4i(right(up2)) + c.x * vec4i(left2(up)) + c.y * vec4i(right2(up));
  return Quad(here(own), sums);
}

fn later_quad(part: Part, place: vec3i, w: u32) -> Quad {
  let at = around_of(part, place);
  let own = window_at(at.here);
  let a = weights[w];
  let b = weights[w + 1u];
  let c = weights[w + 2u];
  let d = weights[w + 3u];
  let e = weights[w + 4u];
  let f = weights[w + 5u];
  let g = weights[w + 6u];
  var sums = a.x * vec4i(left(own)) + b.x * vec4i(left2(own));
  let up = window_at(at.up);
  sums += a.y * vec4i(here(up)) + a.z * vec4i(left(up)) + a.w * vec4i(right(up)) + c.x * vec4i(left2(up)) + c.y * vec4i(right2(up));
  let up2 = window_at(at.up2);
  sums += b.y * vec4i(here(up2)) + b.z * vec4i(left(up2)) + b.w * vec4i(right(up2));
  let behind = window_at(at.behind);
  sums += c.z * vec4i(here(behind)) + c.w * vec4i(left(behind)) + d.y * vec4i(right(behind)) + e.w * vec4i(right2(behind)) +
    f.y * vec4i(left2(behind));
  let behind_up = window_at(at.behind_up);
  sums += d.x * vec4i(here(behind_up)) + d.w * vec4i(left(behind_up)) + e.x * vec4i(right(behind_up));
  let behind_down = window_at(at.behind_down);
  sums += d.z * vec4i(here(behind_down)) + e.y * vec4i(left(behind_down)) + e.z * vec4i(right(behind_down));
  let farther = window_at(at.farther);
  sums += f.w * vec4i(here(farther)) + g.x * vec4i(left(farther)) + g.z * vec4i(right(farther));
  sums += f.x * vec4i(here(window_at(at.behind_down2))) + f.z * vec4i(here(window_at(at.behind_up2))) +
    g.y * vec4i(here(window_at(at.farther_up))) + g.w * vec4i(here(window_at(at.farther_down)));
  return Quad(here(own), sums);
}

fn put_both(at: u32, word: u32) { elements[at / 2u] = vec2u(word); }

// Writes a quad of elements, and the stand-ins for those at the sides of rows.
fn put(part: Part, place: vec3i, words: vec4u) {
  let at = row_at(part, place.y, place.z) + u32(place.x);
  let count = part.extent.x - u32(place.x);
  var four = words;
  if (count < 4u) {
    let last = select(select(words.z, words.y, count == 2u), words.x, count == 1u);
    four = vec4u(words.x, select(last, words.y, count > 1u), select(last, words.z, count > 2u), last);
  }
  elements[at / 2u] = four.xy;
  elements[at / 2u + 1u] = four.zw;
  // Two stand-ins follow the last element.
  if (count == 3u || count == 4u) { put_both(at + 4u, four.w); }
  if (place.x > 0) { return; }
  if (place.z == 0 && place.y == 0) { put_both(at - 2u, 0u); }
  if (u32(place.z) + 1u < part.extent.z) { put_both(row_at(part, place.y, place.z + 1) - 2u, words.x); }
  if (place.z == 0 && u32(place.y) + 1u < part.extent.y) { put_both(row_at(part, place.y + 1, 0) - 2u, words.x); }
}

// The number of elements at the start of a row whose residuals the second fit needs.
fn predicted_for_fit(y: u32, z: u32, width: u32) -> u32 {
  // The fit uses one row in four. It needs the row above, the row behind, and the first element of the row two above.
  let phase = select((y + z) & 3u, 0u, z == 0u);
  return select(select(width, 1u, phase == 2u), 0u, phase == 1u);
}

fn word_of(part: Part, value: u32, plain: i32) -> u32 {
  return value | (u32(residual_of(i32(value), plain, part.specials, part.special)) << 16u);
}

@compute @workgroup_size(slab_threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let part = parts[workgroup.y];
  let share = share_of(part, workgroup.x, thread);
  let w = 10u * workgroup.y;
  for (var z = share.first_slice; z < share.end_slice; z++) {
    let end = select(part.extent.x, predicted_for_fit(share.y, z, part.extent.x), for_fit);
    for (var x = share.first_x; x < end; x += row_step) {
      let place = vec3i(vec3u(x, share.y, z));
      var quad: Quad;
      if (z == 0u) { quad = first_quad(part, place, w); } else { quad = later_quad(part, place, w); }
      let plain = clamp(quad.sums >> vec4u(8u - fraction), vec4i(0), vec4i(i32(part.range << fraction)));
      let values = quad.values;
      if (!for_fit) { predictions[(codes_at(part, place.y, place.z) + x) / 4u] = vec4u(plain); }
      put(part, place, vec4u(
        word_of(part, values.x, plain.x), word_of(part, values.y, plain.y), word_of(part, values.z, plain.z),
        word_of(part, values.w, plain.w),
      ));
    }
  }
}
