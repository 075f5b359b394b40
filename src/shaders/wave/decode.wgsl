// Decodes each part. src/core/codecs/wave/SPEC.md.
// Algorithm: a wave. Each lane, a row of the block, decodes one position a step, three positions after the lane above it, so all
// that its prediction needs was decoded in earlier steps. A lane's positions in a slice are two stand-ins for elements left of the
// row, the row's elements, and two or more stand-ins for elements right of it. A lane stores each position's element and residual
// in a ring, at the step's row, so that all lanes find a neighbour in the same row of the ring. Neighbours that the next step needs
// too stay in registers: ten words are read a step.
// One workgroup owns one block and decodes its planes in order. One invocation owns one row of the block, and its words
// in the box. Dispatch: one workgroup for each block of a batch, spread over x and y.
// Invariants:
// 1. Blocks begin at whole words of the target's rows, so no word has two writers.
// 2. Nothing outside the block's elements is written and nothing outside the chunk's payload is read, even if it is damaged.
// 3. The ring is longer than the age of the oldest neighbour, so no step overwrites data that its lanes read.
// Twin: `decodePart` in src/core/codecs/wave/part.ts, which decodes rows one at a time.

import package::faults::faults::{checks, raise};
import package::wave::header::{
  kind_damaged, payloads, read_header, wg_biases, wg_kind, wg_lanes, wg_levels, wg_lowest, wg_range, wg_special_count,
  wg_specials, wg_start, wg_weights,
};
import package::wave::layout::{Box, Part, bits, element_bytes, fraction, kind_coded, kind_one_value, lane_count};
import package::wave::tables::{flag_chance, load_tables, token_start};
import package::wave::contexts::{
  Near, bias_cells, energy_of, escape_from, flag_context, level_of, low_bits_of, residual_of, scale_of, table_of,
};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> parts: array<Part>;
@group(0) @binding(4) var<storage, read_write> voxels: array<u32>;
// The rings of a dispatch's workgroups.
@group(0) @binding(5) var<storage, read_write> history: array<u32>;

override planes: u32 = select(1u, 2u, element_bytes == 4u);
// Steps that the ring holds: a power of 2.
override ring_steps: u32 = 256u;
override lanes_per_word: u32 = max(1u, 4u / element_bytes);

// This lane's stream.
var<private> state: u32;
var<private> next: u32;
var<private> end: u32;
var<private> is_damaged: bool;
// The word that is being filled with elements.
var<private> pending: u32;

fn next_byte() -> u32 {
  if (next >= end) {
    is_damaged = true;
    return 0u;
  }
  let byte = extractBits(payloads[next / 4u], 8u * (next % 4u), 8u);
  next++;
  return byte;
}

fn take(start: u32, frequency: u32) {
  state = frequency * (state >> 12u) + (state & 4095u) - start;
  for (var i = 0u; i < 2u && state < 65536u; i++) { state = (state << 8u) | next_byte(); }
}

fn take_bits(count: u32) -> u32 {
  let value = (state & 4095u) >> (12u - count);
  take(value << (12u - count), 4096u >> count);
  return value;
}

fn take_token(table: u32) -> u32 {
  let slot = state & 4095u;
  var token = 0u;
  for (var step = 16u; step > 0u; step >>= 1u) {
    if (token + step < 26u && token_start(table + token + step) <= slot) { token += step; }
  }
  let start = token_start(table + token);
  take(start, token_start(table + token + 1u) - start);
  return token;
}

// Decodes an element from its neighbours.
fn decode_element(near: Near, plain: i32, energy: i32) -> i32 {
  let range = i32(wg_range);
  let cells = bias_cells(near, plain, energy);
  let scale = scale_of(energy);
  let biased = plain + ((wg_biases[cells.x] * scale) >> 6u) + ((wg_biases[27u + cells.y] * scale) >> 6u);
  let prediction = clamp(biased, 0, range << fraction);
  let level = level_of(energy);
  for (var i = 0u; i < wg_special_count; i++) {
    let special = i32(wg_specials[i]);
    let chance = flag_chance(flag_context(near, special, energy, level, prediction));
    if ((state & 4095u) >= 4096u - chance) {
      take(4096u - chance, chance);
      return special;
    }
    take(0u, 4096u - chance);
  }
  let token = take_token(table_of(wg_levels[level], prediction));
  var high = token >> 1u;
  if (high == escape_from) {
    let digits = take_bits(4u);
    var rest = (1u << digits) | take_bits(min(digits, 8u));
    if (digits > 8u) { rest |= take_bits(digits - 8u) << 8u; }
    high = escape_from - 1u + rest;
  }
  let low_bits = low_bits_of(level);
  var magnitude = i32(high << low_bits);
  if (low_bits > 0u) { magnitude |= i32(take_bits(low_bits)); }
  let middle = prediction >> fraction;
  let value = select(middle - magnitude, middle + 1 + magnitude, (token & 1u) == 1u);
  if (value < 0 || value > range) { is_damaged = true; }
  return clamp(value, 0, range);
}

// Stores an element of this lane's row, whose elements arrive in order.
fn emit(part: Part, x: u32, y: u32, z: u32, element: u32) {
  let at = part.first_word + z * box.slice_words + y * box.row_words + x / lanes_per_word;
  if (element_bytes == 4u) {
    voxels[at] = insertBits(voxels[at], element, 16u * part.plane, 16u);
    return;
  }
  let lane = x % lanes_per_word;
  pending = insertBits(pending, element, bits * lane, bits);
  if (lane == lanes_per_word - 1u) {
    voxels[at] = pending;
  } else if (x == part.extent.x - 1u) {
    let count = bits * (lane + 1u);
    voxels[at] = insertBits(pending, voxels[at] >> count, count, 32u - count);
  }
}

// Fills the row with a part's one value, or with its raw elements.
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

fn value_of(word: u32) -> i32 { return i32(word & 0xffffu); }
fn values_of(a: u32, b: u32, c: u32, d: u32) -> vec4i { return vec4i(vec4u(a, b, c, d) & vec4u(0xffffu)); }

@compute @workgroup_size(lane_count)
fn main(
  @builtin(local_invocation_index) lane: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let group = workgroup.x + workgroup.y * workgroups.x;
  if (group * planes >= box.part_count) { return; }
  load_tables(lane);
  for (var plane = 0u; plane < planes; plane++) {
    let part = parts[box.first_part + group * planes + plane];
    // The tables are loaded, and all invocations are done with the last part's header.
    workgroupBarrier();
    read_header(part, lane);
    // The lanes read the header together.
    let kind = workgroupUniformLoad(&wg_kind);
    if (checks && lane == 0u) { raise(part.chunk, kind == kind_damaged); }
    if (kind == kind_damaged) { continue; }
    if (kind != kind_coded) {
      if (lane < part.extent.y) { fill(part, lane); }
      continue;
    }
    decode_wave(part, lane, group);
  }
}

fn ring_at(group: u32, step: i32, row: i32) -> u32 {
  return (group * ring_steps + (u32(step) & (ring_steps - 1u))) * lane_count + u32(row);
}

fn decode_wave(part: Part, lane: u32, group: u32) {
  let width = i32(part.extent.x);
  let height = i32(part.extent.y);
  let depth = i32(part.extent.z);
  let pitch = max(width + 4, 8);
  let y = i32(lane);
  let is_lane = y < height;
  is_damaged = false;
  state = 0u;
  next = wg_lanes[min(lane, lane_count)];
  end = wg_lanes[min(lane + 1u, lane_count)];
  if (is_lane) {
    for (var i = 0u; i < 3u; i++) { state = (state << 8u) | next_byte(); }
    is_damaged = is_damaged || state < 65536u;
  }

  // The rows (or their stand-ins) around this one, and how many steps their lanes are ahead.
  let up = max(y - 1, 0);
  let up2 = max(y - 2, 0);
  let down = min(y + 1, height - 1);
  let down2 = min(y + 2, height - 1);
  let up_step = 3 * (up - y) + 2 - select(0, pitch, y == 0);
  let up2_step = 3 * (up2 - y) + 1;
  let behind_step = 2 - pitch;
  let weights = array<vec4i, 7>(
    wg_weights[0], wg_weights[1], wg_weights[2], wg_weights[3], wg_weights[4], wg_weights[5], wg_weights[6],
  );

  var x = -2 - 3 * y;
  var z = 0;
  var first = 0u;
  var left = vec2u(0u);      // x - 1, x - 2
  var above = array<u32, 5>();  // x - 2 to x + 2
  var above2 = vec3u(0u);    // x - 1 to x + 1
  var behind = array<u32, 5>();
  var behind_up = vec3u(0u);
  var behind_down = vec3u(0u);
  var farther = vec3u(0u);
  let steps = depth * pitch + 3 * (height - 1);
  for (var step = 0; step < steps; step++) {
    // Two positions before its own first one, a lane reads the elements left of the row above.
    if (is_lane && x >= -4 && z < depth) {
      above = array<u32, 5>(above[1], above[2], above[3], above[4], history[ring_at(group, step + up_step, up)]);
      let above2_slice = select(0, pitch, y < 2 && z > 0);
      above2 = vec3u(above2.yz, history[ring_at(group, step + up2_step - above2_slice, up2)]);
      var behind_up2 = 0u;
      var behind_down2 = 0u;
      var farther_up = 0u;
      var farther_down = 0u;
      if (depth > 1) {
        behind = array<u32, 5>(behind[1], behind[2], behind[3], behind[4], history[ring_at(group, step + behind_step, y)]);
        behind_up = vec3u(behind_up.yz, history[ring_at(group, step + 1 - pitch + 3 * (up - y), up)]);
        behind_down = vec3u(behind_down.yz, history[ring_at(group, step + 1 - pitch + 3 * (down - y), down)]);
        behind_up2 = history[ring_at(group, step - pitch + 3 * (up2 - y), up2)];
        behind_down2 = history[ring_at(group, step - pitch + 3 * (down2 - y), down2)];
        let two = select(2 * pitch, pitch, z == 1);
        farther = vec3u(farther.yz, history[ring_at(group, step + 1 - two, y)]);
        farther_up = history[ring_at(group, step - two + 3 * (up - y), up)];
        farther_down = history[ring_at(group, step - two + 3 * (down - y), down)];
      }
      var word = left.x;
      if (x < 0) {
        // Left of a row is the row's first element in the slice behind, or in slice 0 that of the row above.
        if (z > 0) { word = first; } else if (x == -2) { word = select(above[4], 0u, y == 0); }
      } else if (x < width) {
        var near_above = above;
        var near_above2 = above2;
        if (z == 0 && y == 0) {
          near_above = array<u32, 5>(left.x, left.x, left.x, left.x, left.x);
          near_above2 = vec3u(left.x);
        }
        let a = near_above;
        let b = near_above2;
        let c = behind;
        let in_plane = values_of(left.x, a[2], a[1], a[3]);
        let in_plane2 = values_of(left.y, b.y, b.x, b.z);
        var sum = 0;
        if (z == 0) {
          sum = dot(wg_weights[7], in_plane) + dot(wg_weights[8], in_plane2) +
            wg_weights[9].x * value_of(a[0]) + wg_weights[9].y * value_of(a[4]);
        } else {
          sum = dot(weights[0], in_plane) + dot(weights[1], in_plane2) +
            dot(weights[2], values_of(a[0], a[4], c[2], c[1])) +
            dot(weights[3], values_of(behind_up.y, c[3], behind_down.y, behind_up.x)) +
            dot(weights[4], values_of(behind_up.z, behind_down.x, behind_down.z, c[4])) +
            dot(weights[5], values_of(behind_down2, c[0], behind_up2, farther.y)) +
            dot(weights[6], values_of(farther.x, farther_up, farther.z, farther_down));
        }
        let plain = clamp(sum >> (8u - fraction), 0, i32(wg_range) << fraction);
        let near = Near(
          z > 0, left.x, left.y, a[2], a[1], a[3], b.y, c[2], c[1], c[3], behind_up.y, behind_down.y,
        );
        let element = decode_element(near, plain, energy_of(near));
        word = u32(element) | (u32(residual_of(element, plain, wg_special_count, wg_specials)) << 16u);
        if (x == 0) { first = word; }
        emit(part, u32(x), lane, u32(z), (u32(element) + wg_lowest) & (0xffffffffu >> (32u - bits)));
      }
      if (x >= -2) {
        left = vec2u(word, left.x);
        history[ring_at(group, step, y)] = word;
      }
    }
    x++;
    if (x == pitch - 2) {
      x = -2;
      z++;
    }
    // Later steps read the results of this one.
    storageBarrier();
  }
  if (checks && is_lane) { raise(part.chunk, is_damaged || state != 65536u || next != end); }
}
