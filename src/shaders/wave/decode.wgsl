// Decodes each part. src/core/codecs/wave/SPEC.md.
// Algorithm: a wavefront. Each lane, a row of the block, decodes one position per step, three positions behind the lane above it, so
// all elements that its prediction needs were decoded in earlier steps. A lane's positions in a slice are two stand-ins for elements
// left of the row, the row's elements, and if it is shorter than 14, more stand-ins, so that the history is not read too early.
// A step is a chain of instructions, each of which waits for the one before. So two invocations work for each row: one decodes,
// and the other prepares the known surroundings of the next element, and stores elements.
// One workgroup owns one block and decodes its planes in order. Dispatch: one workgroup for each block of a batch, spread over x
// and y.
// Invariants:
// 1. Nothing outside the block's elements is written and nothing outside the chunk's payload is read, even if it is damaged.
// 2. In a step, invocations write only to places of the recent elements and of the surroundings that no other invocation reads, or
//    whose value no other one uses.
// Twin: `decodePart` in src/core/codecs/wave/part.ts, which decodes rows one at a time.

import package::faults::faults::{checks, raise};
import package::wave::header::{
  kind_damaged, read_header, wg_biases, wg_kind, wg_lanes, wg_levels, wg_range, wg_special_count, wg_specials, wg_weights,
};
import package::wave::layout::{Part, element_bytes, fraction, kind_coded, lane_count};
import package::wave::chances::{load_chances, no_chance};
import package::wave::search::load_groups;
import package::wave::stream::{next_byte, open_stream, refill, state, take, take_bits, take_token};
import package::wave::contexts::{
  cell_of, escape_from, flag_context, level_of, low_bits_of, phase_of, residual, residual_of, scale_of, size, value,
};
import package::wave::around::{
  Around, advance, around_of, get_around, older_at, put_around, put_history, recent_at, row_of, wg_recent,
};
import package::wave::target::{box, emit_value, fill};

@group(0) @binding(1) var<storage, read> parts: array<Part>;

override planes: u32 = select(1u, 2u, element_bytes == 4u);

const threads = 2u * lane_count;
// The number of steps after which invocations see what others wrote to the history.
const history_period = 4;

// Not 0 if an element was outside the part's range, or the lane's first state is too small.
var<private> wrong_bits: u32;

// Fields of the header, in registers. A special value that the part does not have is greater than all elements.
struct Model { range: i32, special_count: u32, specials: vec2u }

// Decodes a flag: whether the element is a special value. @param others the part 5 a + b of its context without the element on the left
fn is_hit(special: i32, others: u32, left: u32, energy: i32, level: u32, prediction: i32, is_later: bool) -> bool {
  let equal = others + select(0u, 5u, value(left) == special);
  let no = no_chance(flag_context(equal, special, energy, level, prediction, is_later));
  let hit = (state & 4095u) >= no;
  take(select(0u, no, hit), select(no, 4096u - no, hit));
  return hit;
}

// Decodes an element, given its surroundings and the element on its left.
fn decode_element(model: Model, around: Around, left: u32, plain: i32, energy: i32, is_later: bool) -> i32 {
  let scale = scale_of(energy);
  let origin = plain - (value(left) << fraction);
  let straight = (around.straight << fraction) - select(plain, origin, is_later);
  let corner = (around.corner << fraction) - origin;
  let by_residuals = cell_of(residual(left), i32(around.residuals << 16u) >> 16u, i32(around.residuals) >> 16u, scale);
  let by_gradients = cell_of(straight, (around.upper << fraction) - plain, corner, scale);
  let biased = plain + ((wg_biases[by_residuals] * scale) >> 6u) + ((wg_biases[27u + by_gradients] * scale) >> 6u);
  let prediction = clamp(biased, 0, model.range << fraction);
  let level = level_of(energy);
  let table = 4u * wg_levels[level] + phase_of(prediction);
  refill();
  var hit = false;
  var special = 0;
  if (model.special_count > 0u) {
    special = i32(model.specials.x);
    hit = is_hit(special, around.flags & 63u, left, energy, level, prediction, is_later);
    if (model.special_count > 1u) {
      let second = i32(model.specials.y);
      let equal = (around.flags >> 6u) + select(0u, 5u, value(left) == second);
      // As `is_hit`, but after a yes for the first special value there is no second flag. One function for both was slower.
      let no = select(no_chance(flag_context(equal, second, energy, level, prediction, is_later)), 4096u, hit);
      let is_second = (state & 4095u) >= no;
      take(select(0u, no, is_second), select(no, 4096u - no, is_second));
      special = select(special, second, is_second);
      hit = hit | is_second;
    }
    refill();
  }
  return decode_magnitude(model, table, level, prediction, hit, special);
}

// Decodes the codes after the flags. A special value has none: codes that leave the state as it is take their place, because a
// branch around them would take longer.
// @returns the element
fn decode_magnitude(model: Model, table: u32, level: u32, prediction: i32, hit: bool, special: i32) -> i32 {
  let token = take_token(table, hit);
  var high = token >> 1u;
  if (high == escape_from) {
    refill();
    let digits = take_bits(4u);
    var rest = (1u << digits) | take_bits(min(digits, 8u));
    if (digits > 8u) {
      refill();
      rest |= take_bits(digits - 8u) << 8u;
    }
    high = escape_from - 1u + rest;
  }
  let low_bits = select(low_bits_of(level), 0u, hit);
  var magnitude = i32(high << low_bits);
  magnitude |= i32(take_bits(low_bits));
  let middle = prediction >> fraction;
  let element = select(middle - magnitude, middle + 1 + magnitude, (token & 1u) == 1u);
  let valid = clamp(element, 0, model.range);
  wrong_bits |= u32(element ^ valid);
  return select(valid, special, hit);
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let group = workgroup.x + workgroup.y * workgroups.x;
  if (group * planes >= box.part_count) { return; }
  load_groups(thread, threads);
  load_chances(thread, threads);
  for (var plane = 0u; plane < planes; plane++) {
    let part = parts[box.first_part + group * planes + plane];
    // Wait until the tables are loaded, and all invocations have finished with the last part's header.
    workgroupBarrier();
    read_header(part, thread);
    // The lanes read the header together.
    let kind = workgroupUniformLoad(&wg_kind);
    if (checks && thread == 0u) { raise(part.chunk, kind == kind_damaged); }
    if (kind == kind_damaged) { continue; }
    if (kind != kind_coded) {
      if (thread < part.extent.y) { fill(part, thread); }
      continue;
    }
    decode_wave(part, thread, group);
  }
}

fn decode_wave(part: Part, thread: u32, group: u32) {
  let width = i32(part.extent.x);
  let height = i32(part.extent.y);
  let depth = i32(part.extent.z);
  let pitch = max(width + 2, 16);
  let lane = thread & (lane_count - 1u);
  let y = i32(lane);
  let is_decoder = thread < lane_count;
  let is_lane = y < height;
  let up = max(y - 1, 0);
  wrong_bits = 0u;
  if (is_decoder && is_lane) {
    open_stream(wg_lanes[lane]);
    wrong_bits = u32(state < 65536u);
  }
  let specials = select(vec2u(0x10000u), wg_specials, vec2u(0u, 1u) < vec2u(wg_special_count));
  let model = Model(i32(wg_range), wg_special_count, specials);
  // Of the elements on the left and at (2, −1, 0). The surroundings of row 0 contain the second one.
  let first_weights = vec2i(wg_weights[7].x, select(wg_weights[9].y, 0, y == 0));
  let later_weights = vec2i(wg_weights[0].x, select(wg_weights[2].y, 0, y == 0));
  var row = row_of(part, pitch, lane);
  var x = -2;
  var first = 0u;
  var left = 0u;
  // In row 0 of slice 0, the element on the left stands for those above, too.
  let all = wg_weights[7] + wg_weights[8];
  let all_left = all.x + all.y + all.z + all.w - wg_weights[8].x + wg_weights[9].x + wg_weights[9].y;
  let lane_steps = select(0u, u32(depth * pitch), is_lane);
  let steps = depth * pitch + 3 * (height - 1);
  for (var first_step = 0; first_step < steps + 2; first_step += history_period) {
    for (var step = first_step; step < first_step + history_period; step++) {
      if (is_decoder) {
        // Decoders are a step behind.
        let now = step - 1;
        let lane_step = now - 3 * y;
        if (u32(lane_step) < lane_steps) {
          // To the right of the row above is its last element.
          let upper_right = wg_recent[recent_at(now - 1 - max(0, x + 3 - width), up)];
          let is_later = lane_step >= pitch;
          // The stand-in left of a row is the row's first element in the slice behind, or in slice 0 the first element of the row above.
          let first_above = select(left, select(upper_right, 0u, y == 0), x == -2);
          var word = select(left, select(first_above, first, is_later), x < 0);
          if (u32(x) < u32(width)) {
            var around = get_around(now, lane);
            let weights = select(first_weights, later_weights, is_later);
            var left_weight = weights.x;
            var left_energy = select(144, 96, is_later);
            if (y == 0 && !is_later) {
              left_weight = all_left;
              left_energy = 468;
              around.residuals = left >> 16u;
              around.straight = value(left);
              around.upper = value(left);
              for (var i = 0u; i < model.special_count; i++) {
                if (value(left) == i32(model.specials[i])) { around.flags |= 12u << (6u * i); }
              }
            }
            let sum = around.sum + left_weight * value(left) + weights.y * value(upper_right);
            let plain = clamp(sum >> (8u - fraction), 0, model.range << fraction);
            let energy = (around.energy + left_energy * size(left)) >> 7u;
            let element = decode_element(model, around, left, plain, energy, is_later);
            word = u32(element) | (u32(residual_of(element, plain, 2u, model.specials)) << 16u);
            if (x == 0) { first = word; }
          }
          left = word;
          wg_recent[recent_at(now, y)] = word;
          x++;
          let is_next = x == pitch - 2;
          x = select(x, -2, is_next);
        }
      } else if (is_lane) {
        let left2 = wg_recent[recent_at(step - 2, y)];
        advance(&row, step);
        put_around(step, lane, around_of(&row, left2));
        if (depth > 1) {
          put_history(group, step - 2, lane, left2);
          row.older = older_at(&row, group, step + 1);
        }
        // The last two elements of a row are stored while its next slice begins.
        let is_next = row.x < 2;
        let stored_x = row.x - 2 + select(0, pitch, is_next);
        let stored_z = row.z - i32(is_next);
        if (u32(stored_x) < u32(width) && u32(stored_z) < u32(depth)) {
          emit_value(part, u32(stored_x), lane, u32(stored_z), left2 & 0xffffu);
        }
      }
      // The next step reads the results of this one.
      workgroupBarrier();
    }
    // Elements of the history are read long after they were written.
    storageBarrier();
  }
  if (checks && is_decoder && is_lane) { raise(part.chunk, wrong_bits != 0u || state != 65536u || next_byte() != wg_lanes[lane + 1u]); }
}
