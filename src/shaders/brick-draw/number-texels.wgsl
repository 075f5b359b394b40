// Texels of voxels of 32 or 64 bits, in the texture of bricks (brick-numbers.wgsl).

/// 2^100. Greater values are limited to it; windows that reach further are not drawn from the texture (`fitsTexels` in
/// src/core/bricks/number-texels.ts).
const greatest_number = 0x1p100f;
/// −2^127, the texel of a missing voxel.
const missing_number = -0x1p127f;
/// −2^110. A sample below this depends on a missing voxel by a weight of at least 2^-17.
const least_sample = -0x1p110f;
