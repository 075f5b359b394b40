// The package `stria` for programs, in Node and in browsers: docs/LIBRARY.md.
export { StriaError } from '../core/shared/errors.ts';
export { compress } from './compress.ts';
export type { Box, CompressOptions, FileLike, Geometry, OpenFileOptions, Shape, VoxelData, Voxels, VoxelType } from './types.ts';
export { open, type Volume } from './volume.ts';
