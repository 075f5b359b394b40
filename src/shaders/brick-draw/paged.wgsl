// Finds voxels of bricks through the page table (`BrickTable` in src/core/bricks/brick-table.ts). The voxels are those of the atlas
// (`GpuBricks.atlas`), whose slots follow each other along z.
//
// First the brick that is drawn is chosen (`paged_show`), and with it the level. Voxels of its neighbours come from the same level; if a
// neighbour is not loaded, the nearest voxel of the chosen brick is used instead.
//
// Invariants
// 1. No address lies outside the atlas: entries are 0, a constant, or a slot that `GpuBricks` assigned.
// 2. `paged_first` ≤ `paged_last` are voxels of the shown brick.

import package::volume::voxel::voxel_bits;

struct PagedLevel {
  /// Voxels along x, y, z, and the index in the table of the first brick at this time point.
  dims: vec3u,
  start: u32,
  /// Bricks along x, y, z. w: unused.
  counts: vec4u,
  /// Voxels of a brick along x, y, z. w: 1 if these are powers of two.
  brick: vec4u,
  /// Voxels of the volume per voxel of this level, along x, y, z.
  factors: vec3f,
  /// The longest edge of a voxel in the scene.
  edge: f32,
  /// A brick's edges in the cube, and the fractional number of bricks along the cube's edges. w: unused.
  brick_edges: vec4f,
  bricks_across: vec4f,
}

struct Paged {
  /// Voxels of the volume itself along x, y, z.
  dims: vec3f,
  level_count: u32,
  slot_words: u32,
  row_words: u32,
  slice_words: u32,
  /// For slices: the level that is drawn where its bricks are loaded.
  level: u32,
  /// The window, as `difference` in voxel.wgsl takes it; 1 / its width.
  low_key: u32,
  scaled_low: f32,
  low_rest: f32,
  scale: f32,
  power: i32,
  /// Keys of the lowest and the highest number.
  first_number: u32,
  last_number: u32,
  /// The maximum edge of a voxel in the scene: per unit of its distance from the eye, or, if the eye is at infinity, the same everywhere.
  detail: f32,
  /// Where the parts of `feedback` begin, in words, and the maximum number of misses that it can hold.
  used_start: u32,
  asked_start: u32,
  most_misses: u32,
  unused: u32,
  levels: array<PagedLevel, 31>,
}

@group(0) @binding(1) var<uniform> paged: Paged;
@group(0) @binding(2) var<storage, read> paged_table: array<u32>;
@group(0) @binding(3) var<storage, read> paged_constants: array<u32>;

/// The shown brick: its level, its entry of the table, and its first and last voxel.
var<private> paged_shown: u32;
var<private> paged_entry: u32;
var<private> paged_first: vec3i;
var<private> paged_last: vec3i;
/// Of its level: the last voxel, and the fractional number of voxels along the edges of the cube.
var<private> paged_end: vec3i;
var<private> paged_scale: vec3f;

fn paged_is_constant(entry: u32) -> bool {
  return (entry & 0x80000000u) != 0u;
}

/// The brick with a voxel, as its numbers along x, y, z. It shifts if it can, because a GPU needs many steps to divide by a variable.
fn paged_brick(level: u32, voxel: vec3u) -> vec3u {
  let brick = paged.levels[level].brick;
  if (brick.w == 1u) {
    return voxel >> countTrailingZeros(brick.xyz);
  }
  return voxel / brick.xyz;
}

/// The index in the table of the brick with a voxel.
fn paged_index(level: u32, voxel: vec3u) -> u32 {
  return paged_index_of(level, paged_brick(level, voxel));
}

/// The index in the table of a brick. @param brick its numbers along x, y, z
fn paged_index_of(level: u32, brick: vec3u) -> u32 {
  let counts = paged.levels[level].counts;
  return paged.levels[level].start + (brick.z * counts.y + brick.y) * counts.x + brick.x;
}

/// The voxel of a level at a position in voxels of the volume.
fn paged_voxel(level: u32, position: vec3f) -> vec3i {
  return clamp(vec3i(floor(position / paged.levels[level].factors)), vec3i(0), vec3i(paged.levels[level].dims) - 1);
}

/// Chooses the shown brick. @param brick its numbers along x, y, z
fn paged_show(level: u32, brick: vec3u, entry: u32) {
  let size = vec3i(paged.levels[level].brick.xyz);
  paged_shown = level;
  paged_entry = entry;
  paged_first = vec3i(brick) * size;
  paged_end = vec3i(paged.levels[level].dims) - 1;
  paged_last = min(paged_first + size - 1, paged_end);
  // Exact, because factors are powers of two.
  paged_scale = paged.dims / paged.levels[level].factors;
}

/// The bits, as from `voxel_bits`, of a voxel of a loaded brick.
fn paged_bits_in(entry: u32, in_brick: vec3u) -> u32 {
  if (paged_is_constant(entry)) {
    return paged_constants[entry & 0x7fffffffu];
  }
  return voxel_bits((entry - 1u) * paged.slot_words + in_brick.z * paged.slice_words + in_brick.y * paged.row_words, in_brick.x);
}

/// The entry of the brick with a voxel of the shown level; 0 if the brick is not loaded. The voxel must lie inside the volume.
fn paged_entry_at(voxel: vec3i) -> u32 {
  if (all(voxel >= paged_first) && all(voxel <= paged_last)) {
    return paged_entry;
  }
  return paged_table[paged_index(paged_shown, vec3u(voxel))];
}

/// The bits of a voxel of the shown level, or of the nearest voxel of the shown brick if the voxel's own brick is not loaded. The voxel
/// must lie inside the volume.
fn paged_bits(voxel: vec3i) -> u32 {
  let entry = paged_entry_at(voxel);
  if (entry == 0u) {
    return paged_bits_in(paged_entry, vec3u(clamp(voxel, paged_first, paged_last) - paged_first));
  }
  let place = vec3u(voxel);
  return paged_bits_in(entry, place - paged_brick(paged_shown, place) * paged.levels[paged_shown].brick.xyz);
}
