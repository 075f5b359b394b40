import { rowBytes } from '../../core/codecs/codec.ts';
import { volumeBytes } from '../../core/shared/volume.ts';
import type { App } from './app.ts';

/** What tests may look at, under `?debug` only. */
export interface StriaTest {
  /** The voxels that are in GPU memory, as their bytes lie in a file: x fastest, little-endian, no padding. */
  readVoxels(): Promise<Uint8Array>;
  loseDevice(): void;
  /** GPU memory by label, in bytes. */
  gpuMemory(): Record<string, number>;
}

export function createTestHook(app: App): StriaTest {
  return {
    readVoxels: async () => {
      const { resident } = app;
      const { gpu } = app.store.getState();
      if (!resident || resident.decimation > 1 || gpu.kind !== 'ready') throw new Error('no whole volume is in GPU memory');
      const voxels = new Uint8Array(volumeBytes(resident.info));
      const height = resident.dims[1];
      for (const { voxels: box, firstRow, rowCount, firstPlane, planeCount } of resident.placedBoxes) {
        const bytes = await gpu.gpu.read(box.buffer);
        const padded = rowBytes(box.dims[0], box.elementBytes);
        const length = box.dims[0] * box.elementBytes;
        for (let plane = 0; plane < planeCount; plane++) {
          for (let row = 0; row < rowCount; row++) {
            const from = (plane * rowCount + row) * padded;
            voxels.set(bytes.subarray(from, from + length), ((firstPlane + plane) * height + firstRow + row) * length);
          }
        }
      }
      return voxels;
    },
    loseDevice: () => app.loseDevice(),
    gpuMemory: () => {
      const { gpu } = app.store.getState();
      return gpu.kind === 'ready' ? Object.fromEntries(gpu.gpu.memory.entries()) : {};
    },
  };
}
