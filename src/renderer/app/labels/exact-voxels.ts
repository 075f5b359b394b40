import { typedVoxels } from '../../../core/shared/volume.ts';
import type { ExactVoxels, VolumeSource } from '../../../core/volume/volume-source.ts';

/** All voxels of a volume: from GPU memory, or from the file if GPU memory holds only some of them. */
export function exactVoxels(volume: VolumeSource, signal: AbortSignal): ExactVoxels {
  const { info, file } = volume;
  if (volume.decimation === 1 || !file) return volume;
  return {
    info,
    readBox: async ({ first, size, timePoint }, visit) => {
      const bytes = await file.read({ level: 0, first, size, timePoint }, { signal });
      visit({ first, size, values: typedVoxels(info.type, bytes), rowLength: size[0] });
    },
  };
}
