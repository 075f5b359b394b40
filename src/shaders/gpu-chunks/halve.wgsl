// Halves a box of whole numbers along some axes: the first step of a level.
//
// docs/FORMAT.md, section 'Levels'. An invocation owns one word of the result. Dispatch: a workgroup for each 256 words, spread over
// x and y (core/gpu/commands.ts, spread).
// Invariants:
// 1. Row padding of the result is zero.
// 2. A mean is exact: with 2^s voxels, the sums of their quotients and of their remainders by 2^s do not exceed 32 bits.
// Twin: core/levels/halve.ts.

/** Bits of a voxel: 8, 16 or 32. */
override bits: u32 = 8;
override is_signed: bool = false;
/** The most frequent voxel instead of the mean. */
override is_mode: bool = false;
override word_elements: u32 = 32u / bits;

struct Shape {
  /** Lengths of the box, and words of its rows. */
  box: vec4u,
  /** Lengths of the result, and words of its rows. */
  result: vec4u,
  /** log2 of the steps: 1 along an axis that is halved, otherwise 0. */
  steps: vec4u,
}

/** Rows padded to whole words. */
@group(0) @binding(0) var<storage, read> voxels: array<u32>;
@group(0) @binding(1) var<storage, read_write> halved: array<u32>;
@group(0) @binding(2) var<uniform> shape: Shape;

fn voxel(x: u32, y: u32, z: u32) -> u32 {
  let word = voxels[(z * shape.box.y + y) * shape.box.w + x / word_elements];
  if (bits == 32u) { return word; }
  let offset = (x % word_elements) * bits;
  if (is_signed) { return u32(extractBits(i32(word), offset, bits)); }
  return extractBits(word, offset, bits);
}

/** log2 of how many voxels a voxel of the result combines along an axis. */
fn count_along(at: u32, step: u32, length: u32) -> u32 {
  return select(0u, step, (at << step) + 1u < length);
}

fn mean(first: vec3u, count: vec3u) -> u32 {
  let s = count.x + count.y + count.z;
  let mask = (1u << s) - 1u;
  var quotients = 0u;
  var remainders = 0u;
  for (var z = 0u; z <= count.z; z++) {
    for (var y = 0u; y <= count.y; y++) {
      for (var x = 0u; x <= count.x; x++) {
        let value = voxel(first.x + x, first.y + y, first.z + z);
        quotients += select(value >> s, u32(i32(value) >> s), is_signed);
        remainders += value & mask;
      }
    }
  }
  quotients += remainders >> s;
  let twice = 2u * (remainders & mask);
  // Halves are rounded away from zero.
  let is_negative = is_signed && i32(quotients) < 0;
  return quotients + select(0u, 1u, select(twice >= (1u << s) && s > 0u, twice > (1u << s), is_negative));
}

fn mode(first: vec3u, count: vec3u) -> u32 {
  var values: array<u32, 8>;
  var found = 0u;
  for (var z = 0u; z <= count.z; z++) {
    for (var y = 0u; y <= count.y; y++) {
      for (var x = 0u; x <= count.x; x++) {
        values[found] = voxel(first.x + x, first.y + y, first.z + z);
        found++;
      }
    }
  }
  var best = values[0];
  var best_count = 0u;
  for (var i = 0u; i + best_count < found; i++) {
    var same = 0u;
    for (var other = i; other < found; other++) {
      same += select(0u, 1u, values[other] == values[i]);
    }
    if (same > best_count) {
      best = values[i];
      best_count = same;
    }
  }
  return best;
}

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let word = (workgroup.x + workgroup.y * workgroups.x) * 256u + local;
  let row = word / shape.result.w;
  if (row >= shape.result.y * shape.result.z) {
    return;
  }
  let y = row % shape.result.y;
  let z = row / shape.result.y;
  var packed = 0u;
  for (var i = 0u; i < word_elements; i++) {
    let x = (word % shape.result.w) * word_elements + i;
    if (x >= shape.result.x) {
      break;
    }
    let at = vec3u(x, y, z);
    let first = at << shape.steps.xyz;
    let count = vec3u(
      count_along(x, shape.steps.x, shape.box.x),
      count_along(y, shape.steps.y, shape.box.y),
      count_along(z, shape.steps.z, shape.box.z),
    );
    var value: u32;
    if (is_mode) { value = mode(first, count); } else { value = mean(first, count); }
    if (bits == 32u) {
      packed = value;
    } else {
      packed = insertBits(packed, value, i * bits, bits);
    }
  }
  halved[word] = packed;
}
