// Prepares the data that an element's codes depend on, except for two elements that are decoded only in the step before: the left one, and
// (2, −1, 0). src/core/codecs/wave/SPEC.md, 'Outside' to 'Special values'.
// Algorithm: one invocation follows each row, one step ahead of the row's decoder. It moves decoded elements from the recent ones
// into the history, and keeps the elements around its place in registers: each step adds one from each neighbouring row.
// Elements from the history are read one step before they are needed.
// Invariants:
// 1. The history is longer than the age of the oldest neighbour, so no step overwrites data that its lanes read.
// 2. Elements that are read from the history are at least `pitch` − 9 ≥ 7 steps old, and a storage barrier has passed since.

import package::wave::contexts::{is_value, size, value};
import package::wave::header::{wg_special_count, wg_specials, wg_weights};
import package::wave::layout::{Part, lane_count};

// The ring buffers of a dispatch's workgroups.
@group(0) @binding(5) var<storage, read_write> history: array<u32>;

// The number of steps that the history holds: a power of 2.
override history_steps: u32 = 256u;

const recent_steps = 8;

// Elements with their residuals, by the step in which they were decoded.
var<workgroup> wg_recent: array<u32, 512>;

// The data that a decoder needs from elements decoded at least two steps before.
struct Around {
  sum: i32,       // of the prediction
  energy: i32,
  residuals: u32, // above, in the low half, and behind
  flags: u32,     // six bits for each special value: 5 a + b of its context
  straight: i32,  // of the three gradients, without the element on the left
  upper: i32,
  corner: i32,
}

// Indexed by the parity of the step, then by the lane.
var<workgroup> wg_around: array<array<i32, 128>, 6>;

fn recent_at(step: i32, row: i32) -> u32 { return u32(step & (recent_steps - 1)) * lane_count + u32(row); }

fn put_around(step: i32, lane: u32, around: Around) {
  let at = u32(step & 1) * lane_count + lane;
  wg_around[0][at] = around.sum;
  wg_around[1][at] = around.energy;
  wg_around[2][at] = i32(around.residuals);
  // A gradient has 18 bits.
  wg_around[3][at] = i32(around.flags) | (around.straight << 12u);
  wg_around[4][at] = around.upper;
  wg_around[5][at] = around.corner;
}

fn get_around(step: i32, lane: u32) -> Around {
  let at = u32(step & 1) * lane_count + lane;
  let mixed = wg_around[3][at];
  return Around(
    wg_around[0][at], wg_around[1][at], u32(wg_around[2][at]), u32(mixed) & 0xfffu, mixed >> 12u, wg_around[4][at],
    wg_around[5][at],
  );
}

// The elements that a row reads from the history in a step.
struct Older {
  behind: u32,      // (2, 0, −1)
  behind_up: u32,   // (1, −1, −1)
  behind_down: u32, // (1, 1, −1)
  behind_up2: u32,  // (0, −2, −1)
  behind_down2: u32,
  farther: u32,     // (1, 0, −2)
  farther_up: u32,  // (0, −1, −2)
  farther_down: u32,
}

// A row and its neighbours, and the elements around its place.
struct Row {
  y: i32,
  up: i32,
  up2: i32,
  down: i32,
  down2: i32,
  depth: i32,
  pitch: i32,
  last_x: i32,
  weights: array<vec4i, 7>,
  special_count: u32,
  specials: vec2u,
  // The row's place in this step and in the next one.
  x: i32,
  z: i32,
  next_x: i32,
  next_z: i32,
  older: Older,
  above: vec4u, // x − 2 to x + 1
  above2: vec3u, // x − 1 to x + 1
  behind: array<u32, 5>,
  behind_up: vec3u,
  behind_down: vec3u,
  farther: vec3u,
}

fn row_of(part: Part, pitch: i32, lane: u32) -> Row {
  let y = i32(lane);
  let last = i32(part.extent.y) - 1;
  var row: Row;
  row.y = y;
  row.up = max(y - 1, 0);
  row.up2 = max(y - 2, 0);
  row.down = min(y + 1, last);
  row.down2 = min(y + 2, last);
  row.depth = i32(part.extent.z);
  row.pitch = pitch;
  row.last_x = i32(part.extent.x) - 1;
  row.weights = array<vec4i, 7>(
    wg_weights[0], wg_weights[1], wg_weights[2], wg_weights[3], wg_weights[4], wg_weights[5], wg_weights[6],
  );
  row.special_count = wg_special_count;
  row.specials = wg_specials;
  row.x = -2 - 3 * y;
  row.next_x = row.x;
  return row;
}

// The offset in the history from the row's own place to another row, `steps` later.
fn offset_of(y: i32, steps: i32, row: i32) -> i32 { return (steps + 3 * (row - y)) * i32(lane_count) + row; }

fn history_at(group: u32, start: i32, offset: i32) -> u32 {
  let mask = history_steps * lane_count - 1u;
  return history[group * history_steps * lane_count + (u32(start + offset) & mask)];
}

fn older_at(row: ptr<function, Row>, group: u32, step: i32) -> Older {
  let y = (*row).y;
  let slice = (*row).pitch * i32(lane_count);
  let one = step * i32(lane_count) - slice;
  let two = select(one - slice, one, (*row).next_z == 1);
  return Older(
    history_at(group, one, offset_of(y, 2, y)),
    history_at(group, one, offset_of(y, 1, (*row).up)),
    history_at(group, one, offset_of(y, 1, (*row).down)),
    history_at(group, one, offset_of(y, 0, (*row).up2)),
    history_at(group, one, offset_of(y, 0, (*row).down2)),
    history_at(group, two, offset_of(y, 1, y)),
    history_at(group, two, offset_of(y, 0, (*row).up)),
    history_at(group, two, offset_of(y, 0, (*row).down)),
  );
}

fn put_history(group: u32, step: i32, lane: u32, word: u32) {
  history[(group * history_steps + (u32(step) & (history_steps - 1u))) * lane_count + lane] = word;
}

fn values_of(a: u32, b: u32, c: u32, d: u32) -> vec4i { return vec4i(vec4u(a, b, c, d) & vec4u(0xffffu)); }

// Moves to the row's place in a step.
fn advance(row: ptr<function, Row>, step: i32) {
  (*row).x = (*row).next_x;
  (*row).z = (*row).next_z;
  (*row).next_x++;
  if ((*row).next_x == (*row).pitch - 2) {
    (*row).next_x = -2;
    (*row).next_z++;
  }
  let a = (*row).above;
  (*row).above = vec4u(a.yzw, wg_recent[recent_at(step - 2, (*row).up)]);
  (*row).above2 = vec3u((*row).above2.yz, wg_recent[recent_at(step - 5, (*row).up2)]);
  if ((*row).depth == 1) { return; }
  let older = (*row).older;
  let c = (*row).behind;
  (*row).behind = array<u32, 5>(c[1], c[2], c[3], c[4], older.behind);
  (*row).behind_up = vec3u((*row).behind_up.yz, older.behind_up);
  (*row).behind_down = vec3u((*row).behind_down.yz, older.behind_down);
  (*row).farther = vec3u((*row).farther.yz, older.farther);
}

// The part 5 a + b of a special value's context, without the element on the left. @param a see `Row.above`
fn equal_above(a: vec4u, special: u32) -> u32 {
  let known = i32(special);
  return 10u * is_value(a[2], known) + is_value(a[3], known) + is_value(a[1], known);
}

// What the slice behind adds to it. @param c see `Row.behind` @param down the element (0, 1, −1)
fn equal_behind(c: array<u32, 5>, down: u32, special: u32) -> u32 {
  let known = i32(special);
  return 20u * is_value(c[2], known) + is_value(c[3], known) + is_value(down, known);
}

// The surroundings of the row's place in a step. @param left2 the element two places to the left
fn around_of(row: ptr<function, Row>, left2: u32) -> Around {
  let y = (*row).y;
  var a = (*row).above;
  var b = (*row).above2;
  var upper_right = 0u;
  // Elements to the right of a row are its last one.
  let is_last = (*row).x >= (*row).last_x;
  a.w = select(a.w, a.z, is_last);
  b.z = select(b.z, b.y, is_last);
  if ((*row).z == 0) {
    // The element on the left stands for those above row 0, and the decoder knows it.
    if (y == 0) { return Around(wg_weights[8].x * value(left2), 36 * size(left2), 0u, 0u, 0, 0, 0); }
    if (y == 1) { b = a.yzw; }
    let in_plane = values_of(0u, a[2], a[1], a[3]);
    let in_plane2 = values_of(left2, b.y, b.x, b.z);
    let energy = 8 * size(a[2]) + 4 * (size(a[3]) + size(a[1])) + 2 * (size(left2) + size(b.y));
    var flags = 0u;
    if ((*row).special_count > 0u) {
      flags = equal_above(a, (*row).specials.x);
      if ((*row).special_count > 1u) { flags |= equal_above(a, (*row).specials.y) << 6u; }
    }
    return Around(
      dot(wg_weights[7], in_plane) + dot(wg_weights[8], in_plane2) + wg_weights[9].x * value(a[0]),
      18 * energy, a[2] >> 16u, flags, value(a[2]), value(a[3]), value(a[2]) - value(a[1]),
    );
  }
  let older = (*row).older;
  var c = (*row).behind;
  var up = (*row).behind_up;
  var down = (*row).behind_down;
  var farther = (*row).farther;
  c[3] = select(c[3], c[2], is_last);
  c[4] = select(c[4], c[3], (*row).x >= (*row).last_x - 1);
  up.z = select(up.z, up.y, is_last);
  down.z = select(down.z, down.y, is_last);
  farther.z = select(farther.z, farther.y, is_last);
  // The row above row 0 is row 0 of the slice behind.
  if (y == 0) {
    a = vec4u(c[0], c[1], c[2], c[3]);
    b = vec3u(c[1], c[2], c[3]);
    upper_right = c[4];
  } else if (y == 1) {
    b = up;
  }
  let sum = dot((*row).weights[0], values_of(0u, a[2], a[1], a[3])) + dot((*row).weights[1], values_of(left2, b.y, b.x, b.z)) +
    dot((*row).weights[2], values_of(a[0], upper_right, c[2], c[1])) + dot((*row).weights[3], values_of(up.y, c[3], down.y, up.x)) +
    dot((*row).weights[4], values_of(up.z, down.x, down.z, c[4])) +
    dot((*row).weights[5], values_of(older.behind_down2, c[0], older.behind_up2, farther.y)) +
    dot((*row).weights[6], values_of(farther.x, older.farther_up, farther.z, older.farther_down));
  let here = 8 * size(a[2]) + 4 * (size(a[3]) + size(a[1])) + 2 * (size(left2) + size(b.y));
  let behind = 8 * size(c[2]) + 4 * (size(c[3]) + size(down.y)) + 2 * (size(c[1]) + size(up.y));
  var flags = 0u;
  if ((*row).special_count > 0u) {
    flags = equal_above(a, (*row).specials.x) + equal_behind(c, down.y, (*row).specials.x);
    if ((*row).special_count > 1u) {
      flags |= (equal_above(a, (*row).specials.y) + equal_behind(c, down.y, (*row).specials.y)) << 6u;
    }
  }
  return Around(
    sum, 12 * here + 9 * behind, (a[2] >> 16u) | (c[2] & 0xffff0000u), flags,
    value(c[2]) - value(c[1]), value(a[2]) + value(c[2]) - value(up.y), value(a[2]) - value(a[1]),
  );
}
