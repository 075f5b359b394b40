// What the kernels that copy bricks to the texture share (brick-texels.wgsl, brick-numbers.wgsl): their parameters, and where the voxel of
// a texel lies.
//
// A voxel of the apron is found through the page table. If its brick is not loaded, the nearest voxel of the copied brick takes its
// place until that brick is copied again (`GpuBricks`).

struct Rows {
  slot_words: u32,
  row_words: u32,
  slice_words: u32,
  count: u32,
  /// Texels of a slot of the texture along x, y, z. Rows consist of whole words.
  texels: vec3u,
  /// Words from one row of staging to the next.
  pitch_words: u32,
  /// Cells of a slot along x, y, z.
  cells: vec3u,
  /// Bricks side by side in a row.
  side_by_side: u32,
  /// Slots of the texture along x and y.
  across: vec2u,
  /// For floats: keys of the lowest and the highest number; voxels beyond them are missing.
  first_number: u32,
  last_number: u32,
}

struct Brick {
  slot: u32,
  /// The index in the table of the first brick of its level and time point.
  start: u32,
  /// Bricks of its level along x and y.
  columns: u32,
  rows: u32,
  /// The brick's first voxel.
  first: vec3u,
  /// Voxels of its level along x, y, z.
  dims: vec3u,
  /// Voxels of a whole brick along x, y, z.
  shape: vec3u,
}

@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read> constants: array<u32>;
@group(0) @binding(3) var<storage, read> bricks: array<Brick>;
@group(0) @binding(4) var<uniform> rows: Rows;

/// Where a voxel lies: at `place` in the slot with the number `index`; or, if it is constant, at `index` in `constants`.
struct Source {
  is_constant: bool,
  index: u32,
  place: vec3u,
}

/// Finds the voxel of a texel. @param place of the texel, relative to the brick's first voxel
fn source_of(brick: Brick, place: vec3i) -> Source {
  let voxel = vec3u(clamp(vec3i(brick.first) + place, vec3i(0), vec3i(brick.dims) - 1));
  let last = min(brick.first + brick.shape, brick.dims) - 1u;
  let nearest = clamp(voxel, brick.first, last);
  if (all(voxel == nearest)) {
    return Source(false, brick.slot, voxel - brick.first);
  }
  let other = voxel / brick.shape;
  let entry = table[brick.start + (other.z * brick.rows + other.y) * brick.columns + other.x];
  if (entry == 0u) {
    return Source(false, brick.slot, nearest - brick.first);
  }
  if ((entry & 0x80000000u) != 0u) {
    return Source(true, entry & 0x7fffffffu, vec3u(0u));
  }
  return Source(false, entry - 1u, voxel - other * brick.shape);
}

/// The word at which a row of a slot begins in the atlas.
fn slot_row(slot: u32, y: u32, z: u32) -> u32 {
  return slot * rows.slot_words + z * rows.slice_words + y * rows.row_words;
}

/// The first texel of a slot in the texture.
fn slot_texels(slot: u32) -> vec3u {
  let row = slot / rows.across.x;
  return vec3u(slot % rows.across.x, row % rows.across.y, row / rows.across.y) * rows.texels;
}
