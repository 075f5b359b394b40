// Texels of voxels of 32 or 64 bits, in the texture of bricks (brick-numbers.wgsl).

/// 2^100. Greater values are limited to it; windows that reach further are not drawn from the texture (`fitsTexels` in
/// src/core/bricks/number-texels.ts).
const greatest_number = 0x1p100f;
/// −2^127, the texel of a missing voxel.
const missing_number = -0x1p127f;
/// −2^101. Numbers end at ±2^100, so a sample below this depends on a missing voxel. GPUs filter with fractions of 8 bits, so the least
/// weight of a voxel is 2^-24, which gives −2^103.
const least_sample = -0x1p101f;
