import { choiceByName } from '../core/codecs/registry.ts';
import { createCpuBackend } from '../core/cpu/cpu-backend.ts';
import { inlinePool } from '../core/cpu/inline-pool.ts';
import { diagonalAffine } from '../core/io/common/affine.ts';
import { npyHeader } from '../core/io/npy/npy-writer.ts';
import { memorySink } from '../core/shared/bytes.ts';
import { StriaError } from '../core/shared/errors.ts';
import type { Progress } from '../core/shared/job.ts';
import type { VolumeInfo } from '../core/shared/volume.ts';
import { compressVolume } from '../core/stream/compress/compress.ts';
import { memoryVolume } from '../core/stream/memory-volume.ts';
import type { CompressOptions, VoxelData, VoxelType } from './types.ts';

const nothing = new Uint8Array(0);

/**
 * Compresses voxels to the bytes of a .stria file. Without geometry options it returns, byte for byte, the file that the command writes
 * for a .npy file in C order (z, y, x). It runs on the caller's thread; in a page, call it in a worker.
 * @throws StriaError `invalid-input` for a shape that does not fit, or an unknown codec; `aborted`
 */
export async function compress(voxels: VoxelData, options: CompressOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { codec = 'auto', prefer, axis = 'auto', effort, name = 'volume.npy', signal, onProgress } = options;
  const info = infoOf(voxels, options);
  const bytes = new Uint8Array(voxels.buffer, voxels.byteOffset, voxels.byteLength);
  const volume = memoryVolume(info, bytes, {
    format: 'npy',
    endian: 'little',
    parts: [{ name, before: npyHeader(info, 'little'), hasVoxels: true, after: nothing }],
  });
  const sink = memorySink();
  const backend = createCpuBackend(inlinePool());
  try {
    const choice = { codec: choiceByName(codec), options: { prefer, axis, effort } };
    const report = onProgress && (({ done, total }: Progress) => onProgress(total ? done / total : 0));
    await compressVolume(volume, sink, { backend, choice }, { signal, onProgress: report });
    return sink.bytes();
  } finally {
    await backend.destroy();
  }
}

function infoOf(voxels: VoxelData, { shape, ...geometry }: CompressOptions): VolumeInfo {
  const [x = 1, y = 1, z = 1, t = 1, ...others] = shape;
  if (others.length > 0 || shape.length === 0 || !shape.every((length) => Number.isSafeInteger(length) && length >= 1)) {
    throw new StriaError('invalid-input', `a shape has one to four lengths from 1, not ${shape.join('×')}`);
  }
  if (x * y * z * t !== voxels.length) {
    throw new StriaError('invalid-input', `${voxels.length} voxels do not fill a volume of ${shape.join('×')}`);
  }
  const spacing = geometry.spacing ?? ([1, 1, 1, 1] as const);
  const affine = geometry.affine ?? diagonalAffine(spacing);
  // A volume of one time point may have no distance to the next.
  const isSpacing = spacing.length === 4 && spacing.every((distance, axis) => distance > 0 || (axis === 3 && distance === 0));
  if (affine.length !== 12 || ![...affine, ...spacing].every(Number.isFinite) || !isSpacing) {
    throw new StriaError(
      'invalid-input',
      'an affine has twelve finite numbers, and a spacing has four: positive ones for x, y and z, and one from 0 for t',
    );
  }
  return {
    dims: [x, y, z, t],
    type: typeOf(voxels),
    spacing,
    spatialUnit: geometry.spatialUnit ?? 'unknown',
    timeUnit: geometry.timeUnit ?? 'unknown',
    affine,
    slope: geometry.slope ?? 1,
    intercept: geometry.intercept ?? 0,
  };
}

function typeOf(voxels: VoxelData): VoxelType {
  if (voxels instanceof Uint8Array) return 'u8';
  if (voxels instanceof Int8Array) return 'i8';
  if (voxels instanceof Uint16Array) return 'u16';
  if (voxels instanceof Int16Array) return 'i16';
  if (voxels instanceof Uint32Array) return 'u32';
  if (voxels instanceof Int32Array) return 'i32';
  if (voxels instanceof Float32Array) return 'f32';
  if (voxels instanceof Float64Array) return 'f64';
  throw new StriaError('invalid-input', 'voxels must be a typed array of 8 to 32-bit integers, or of 32 or 64-bit floats');
}
