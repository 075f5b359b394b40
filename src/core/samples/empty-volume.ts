import type { OpenVolume } from '../io/common/volume-reader.ts';
import { describeExport } from '../io/export-volume.ts';
import type { EmptySpace } from '../shared/empty-space.ts';
import { throwIfAborted } from '../shared/job.ts';
import type { VolumeInfo } from '../shared/volume.ts';

/** A volume of zeros in an empty space, in which surfaces can be shown. Its source is the equivalent NIfTI file. */
export function openEmptyVolume({ dims, edge, origin }: EmptySpace): OpenVolume {
  const [x, y, z] = origin;
  const info: VolumeInfo = {
    dims: [...dims, 1],
    type: 'u8',
    spacing: [edge, edge, edge, 1],
    spatialUnit: 'mm',
    timeUnit: 'unknown',
    affine: [edge, 0, 0, x, 0, edge, 0, y, 0, 0, edge, z],
    slope: 1,
    intercept: 0,
  };
  return {
    info,
    format: 'nifti',
    async *voxels({ signal } = {}) {
      for (let plane = 0; plane < dims[2]; plane++) {
        throwIfAborted(signal);
        yield new Uint8Array(dims[0] * dims[1]);
      }
    },
    source: async () => describeExport(info, 'nifti', 'space'),
  };
}
