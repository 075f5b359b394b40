import type { Gpu } from '../../core/gpu/gpu.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { Viewpoints } from '../../renderer/viewer/model/same-place.ts';
import type { ViewState } from '../../renderer/viewer/model/viewer-api.ts';
import type { DeviceOptions, PictureCommand } from '../arguments/parsed-command.ts';
import { deviceNote, openBackend } from '../devices/device.ts';
import { closeGpu, drawingGpu, gpuBackend } from '../devices/gpu-device.ts';
import type { OpenedBackend } from '../devices/opened-backend.ts';
import { loadOnGpu } from '../pictures/gpu-volume.ts';
import { firstShown, type PictureLook, type ShownView, stateOf } from '../pictures/look.ts';
import { Painter } from '../pictures/painter.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withVolume } from './with-volume.ts';

/** A volume that is ready to be drawn. */
export interface Scene {
  readonly painter: Painter;
  readonly info: VolumeInfo;
  readonly view: ShownView;
  readonly state: ViewState;
  readonly viewpoints: Viewpoints | undefined;
}

/** Opens a GPU, loads the input and runs the work. Everything is freed afterwards. @throws StriaError */
export async function withScene<T>(
  { input, raw, dataset, axes, ...options }: Pick<PictureCommand, 'input' | 'raw' | 'dataset' | 'axes'> & DeviceOptions,
  look: PictureLook,
  terminal: Terminal,
  job: JobOptions,
  work: (scene: Scene) => Promise<T>,
): Promise<T> {
  const { gpu, backend, close } = await openDrawing(options);
  try {
    terminal.note(deviceNote({ kind: 'gpu', name: gpu.name, software: gpu.isSoftware }));
    const volume = await withVolume(input, { raw, dataset, axes }, backend, job, (open) => loadOnGpu(gpu, open, job));
    try {
      const { info, decimation } = volume;
      if (decimation > 1) {
        terminal.note(`the volume is too large for this GPU: drawn from one voxel in ${decimation} along each axis`);
      }
      const state = stateOf(look, info, await volume.statistics());
      const painter = new Painter(gpu, volume, new Map(), look);
      try {
        return await work({ painter, info, view: look.view ?? firstShown(info), state, viewpoints: undefined });
      } finally {
        painter.destroy();
      }
    } finally {
      volume.destroy();
    }
  } finally {
    await close();
  }
}

/** The GPU that draws, and what decodes: that GPU, or the CPU if it is only software. */
async function openDrawing(options: DeviceOptions): Promise<OpenedBackend & { readonly gpu: Gpu }> {
  const gpu = await drawingGpu(options);
  if (!gpu.isSoftware) return { gpu, ...gpuBackend(gpu) };
  const { backend, close } = await openBackend({ ...options, device: 'cpu' });
  return {
    gpu,
    backend,
    close: async () => {
      await close();
      closeGpu(gpu);
    },
  };
}
