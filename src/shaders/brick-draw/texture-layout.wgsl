// How a brick lies in the texture of bricks. Twin: src/core/bricks/brick-texture.ts.

/// Voxels of neighbours around each brick: samples at most a voxel and a half outside of it need them.
const paged_apron = 2u;
/// Voxels along the edge of a cell: a part of a brick whose range is known.
const paged_cell_voxels = 8u;

/// Texels of a slot, of which rows are whole words. @param shape voxels of a brick
fn paged_texels(shape: vec3u) -> vec3u {
  let texels = shape + 2u * paged_apron;
  return vec3u((texels.x + 3u) & 0xfffffffcu, texels.yz);
}
