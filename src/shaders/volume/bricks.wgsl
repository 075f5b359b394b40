// Finds the least and the greatest texel of each brick, from planes of the display texture while they are in staging
// (texture-fill.wgsl writes them).
//
// One invocation owns a brick. It reads the texels of the brick's rows and planes and one more on each side, because filtering
// reaches over a brick's border. Along x it reads whole words, and one more on each side.
// Dispatch: ceil(bricks along x / 64) × bricks along y × layers of bricks that the planes touch. Workgroup: 64 bricks of a row.
//
// Invariants
// 1. Planes come in order, in several dispatches. The dispatch with a brick's first plane sets its range, later ones widen it.
// 2. Padding past a row's end may count as texels of 0, so a range may be too wide, but never too narrow.
//
// Twin: src/core/volume/brick-grid.gpu.test.ts computes the same on the CPU.

/// What a word holds. 0: four r8unorm texels. 1: two rg8unorm, with the value red + green / 256. 2: two r16float. 3: one
/// r32float.
override texel_kind: u32;

struct Bricks {
  /// Bricks along x and y.
  count_x: u32,
  count_y: u32,
  /// Texels of a brick along each axis; a multiple of 8.
  size: u32,
  /// Rows of a plane, and words of a row in staging.
  height: u32,
  row_words: u32,
  /// The planes in staging.
  first_plane: u32,
  plane_count: u32,
}
@group(0) @binding(0) var<storage, read> staging: array<u32>;
@group(0) @binding(1) var<uniform> bricks: Bricks;
/// Least and greatest texel, x fastest, then y, z.
@group(0) @binding(2) var<storage, read_write> ranges: array<vec2f>;

fn word_range(word: u32) -> vec2f {
  if (texel_kind == 3u) {
    return vec2f(bitcast<f32>(word));
  }
  if (texel_kind == 1u) {
    let pairs = unpack4x8unorm(word);
    let texels = pairs.xz + pairs.yw / 256.0;
    return vec2f(min(texels.x, texels.y), max(texels.x, texels.y));
  }
  if (texel_kind == 0u) {
    let texels = unpack4x8unorm(word);
    return vec2f(min(min(texels.x, texels.y), min(texels.z, texels.w)), max(max(texels.x, texels.y), max(texels.z, texels.w)));
  }
  let texels = unpack2x16float(word);
  return vec2f(min(texels.x, texels.y), max(texels.x, texels.y));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= bricks.count_x) {
    return;
  }
  let layer = (max(bricks.first_plane, 1u) - 1u) / bricks.size + id.z;
  let brick = (layer * bricks.count_y + id.y) * bricks.count_x + id.x;
  let own_first = max(layer * bricks.size, 1u) - 1u;
  let first_plane = max(own_first, bricks.first_plane);
  let end_plane = min((layer + 1u) * bricks.size + 1u, bricks.first_plane + bricks.plane_count);
  let words = bricks.size / select(select(2u, 1u, texel_kind == 3u), 4u, texel_kind == 0u);
  let first_word = max(id.x * words, 1u) - 1u;
  let end_word = min((id.x + 1u) * words + 1u, bricks.row_words);
  let first_row = max(id.y * bricks.size, 1u) - 1u;
  let end_row = min((id.y + 1u) * bricks.size + 1u, bricks.height);
  var range = vec2f(1.0, 0.0);
  if (first_plane > own_first) {
    range = ranges[brick];
  }
  for (var plane = first_plane; plane < end_plane; plane++) {
    for (var row = first_row; row < end_row; row++) {
      let start = ((plane - bricks.first_plane) * bricks.height + row) * bricks.row_words;
      for (var word = first_word; word < end_word; word++) {
        let found = word_range(staging[start + word]);
        range = vec2f(min(range.x, found.x), max(range.y, found.y));
      }
    }
  }
  ranges[brick] = range;
}
