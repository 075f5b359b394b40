import type { OpenVolume } from '../io/common/volume-reader.ts';
import { describeExport } from '../io/export-volume.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { nextTurn } from '../shared/turn.ts';
import { type Dims3, elementBytes, typedVoxels, type VolumeInfo } from '../shared/volume.ts';
import { createSequence, createZero } from './flat.ts';
import { createLabels } from './labels.ts';
import { createPhantom } from './phantom.ts';
import { createPotential } from './potential.ts';
import type { SampleKind, SampleType } from './sample-kinds.ts';
import type { SampleArray, SampleShape, SliceFiller } from './slice-filler.ts';

/** One sentence per kind for users, with its full stop. */
export const sampleSummaries: Readonly<Record<SampleKind, string>> = {
  zero: 'Zeros only.',
  sequence254: 'A count from 0 to 254, repeated: no runs along x.',
  sequence255: 'A count from 0 to 255, repeated: columns along y are constant.',
  potential: 'A sparse cosmic web: halos, filaments, and mostly nothing.',
  phantom: 'A head of ellipsoids with soft tissue and noise.',
  labels: 'Touching cells, each of one label.',
};

export interface SampleRequest {
  readonly kind: SampleKind;
  readonly dims: Dims3;
  /** f32 has the values of u16: intensities as fractions of 65,535, counts and labels unchanged. */
  readonly type: SampleType;
  /** A whole number; the same seed gives the same voxels on every machine. */
  readonly seed: number;
}

const fillers: Readonly<Record<SampleKind, (shape: SampleShape) => SliceFiller>> = {
  zero: createZero,
  sequence254: (shape) => createSequence(shape, 255),
  sequence255: (shape) => createSequence(shape, 256),
  potential: createPotential,
  phantom: createPhantom,
  labels: createLabels,
};

/** Samples whose voxels are intensities, not numbers that count or name something. */
const intensities: readonly SampleKind[] = ['potential', 'phantom'];

const maxLength = 16384;
const maxSliceBytes = 512 * 2 ** 20;
/** Computed in one go; a cancel takes effect between two pieces. */
const pieceBytes = 2 ** 20;

/**
 * A generated volume: its voxels are computed as they are read, a few slices at a time. Its source is the equivalent NIfTI
 * file. @throws StriaError `invalid-input` for unsupported dims
 */
export function openSample({ kind, dims, type, seed }: SampleRequest): OpenVolume {
  const sliceBytes = dims[0] * dims[1] * elementBytes(type);
  if (!dims.every((length) => Number.isInteger(length) && length >= 1 && length <= maxLength)) {
    throw new StriaError('invalid-input', `a sample's sides are whole numbers from 1 to ${maxLength}, not ${dims.join(' × ')}`);
  }
  if (sliceBytes > maxSliceBytes) {
    throw new StriaError('invalid-input', `a slice of ${dims[0]} × ${dims[1]} is too large for a sample; the limit is 512 MiB`);
  }
  const slicesPerPiece = Math.max(1, Math.floor(pieceBytes / sliceBytes));
  const name = `${kind}-${dims.every((length) => length === dims[0]) ? dims[0] : dims.join('x')}`;
  const info: VolumeInfo = {
    dims: [...dims, 1],
    type,
    spacing: [1, 1, 1, 1],
    spatialUnit: 'mm',
    timeUnit: 'unknown',
    affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
    slope: 1,
    intercept: 0,
  };
  return {
    info,
    format: 'nifti',
    async *voxels({ signal } = {}) {
      throwIfAborted(signal);
      const maximum = type === 'u8' ? 255 : 65535;
      const fill = fillers[kind]({ dims, maximum, seed });
      const unit = intensities.includes(kind) ? maximum : 1;
      for (let z = 0; z < dims[2]; z += slicesPerPiece) {
        throwIfAborted(signal);
        const slices = Math.min(slicesPerPiece, dims[2] - z);
        const piece = new Uint8Array(slices * sliceBytes);
        for (let i = 0; i < slices; i++) {
          const slice = typedVoxels(type, piece.subarray(i * sliceBytes, (i + 1) * sliceBytes));
          if (slice instanceof Float32Array) fillFloats(slice, z + i, fill, unit);
          else fill(z + i, slice as SampleArray);
        }
        await nextTurn();
        yield piece;
      }
    },
    source: async () => describeExport(info, 'nifti', name),
  };
}

/** Computes slice `z` in units of `unit`. */
function fillFloats(slice: Float32Array, z: number, fill: SliceFiller, unit: number): void {
  const whole = new Uint16Array(slice.length);
  fill(z, whole);
  for (let at = 0; at < slice.length; at++) slice[at] = (whole[at] as number) / unit;
}
