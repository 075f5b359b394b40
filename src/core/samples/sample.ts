import type { OpenVolume } from '../io/common/volume-reader.ts';
import { describeExport } from '../io/export-volume.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { nextTurn } from '../shared/turn.ts';
import { elementBytes, type VolumeInfo } from '../shared/volume.ts';
import { SamplePieces, type SampleRequest } from './sample-pieces.ts';

const maxLength = 16384;
const maxSliceBytes = 512 * 2 ** 20;

/**
 * A generated volume: its voxels are computed as they are read, a few slices at a time; a cancel takes effect between two of these
 * pieces. Its source is the equivalent NIfTI file. @throws StriaError `invalid-input` for unsupported dims
 */
export function openSample(request: SampleRequest): OpenVolume {
  const { kind, dims, type } = request;
  const sliceBytes = dims[0] * dims[1] * elementBytes(type);
  if (!dims.every((length) => Number.isInteger(length) && length >= 1 && length <= maxLength)) {
    throw new StriaError('invalid-input', `a sample's sides are whole numbers from 1 to ${maxLength}, not ${dims.join(' × ')}`);
  }
  if (sliceBytes > maxSliceBytes) {
    throw new StriaError('invalid-input', `a slice of ${dims[0]} × ${dims[1]} is too large for a sample; the limit is 512 MiB`);
  }
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
      const pieces = new SamplePieces(request);
      for (let piece = 0; piece < pieces.count; piece++) {
        throwIfAborted(signal);
        const voxels = pieces.make(piece);
        await nextTurn();
        yield voxels;
      }
    },
    source: async () => describeExport(info, 'nifti', name),
  };
}
