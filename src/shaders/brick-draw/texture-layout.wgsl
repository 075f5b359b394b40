// The layout of a brick in the texture of bricks. Twin: src/core/bricks/brick-texture.ts.

/// The width in voxels of the apron of neighbouring voxels around each brick, which samples up to one and a half voxels outside it need.
const paged_apron = 2u;
/// Voxels along the edge of a cell, a part of a brick whose range is known.
const paged_cell_voxels = 8u;

/// Texels of a slot along x, y, z. Rows consist of whole words. @param shape voxels of a brick along x, y, z
fn paged_texels(shape: vec3u) -> vec3u {
  let texels = shape + 2u * paged_apron;
  return vec3u((texels.x + 3u) & 0xfffffffcu, texels.yz);
}
