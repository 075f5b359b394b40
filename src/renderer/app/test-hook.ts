import { rowBytes } from '../../core/codec/codec.ts';
import { ChunkGrid, codecElementDims } from '../../core/format/chunk-grid.ts';
import { volumeBytes } from '../../core/shared/volume.ts';
import type { PresentedFrame } from '../playback/player.ts';
import type { ViewName } from '../viewer/model/viewer-api.ts';
import type { FrameTime } from '../viewer/space/space-painter.ts';
import type { Viewer } from '../viewer/viewer.ts';
import type { App } from './app.ts';

/** What tests may read, under `?debug` only. */
export interface StriaTest {
  /** The volume in GPU memory, however it is kept, in the byte order of a file: x fastest, little-endian, no padding. */
  readVoxels(): Promise<Uint8Array>;
  loseDevice(): void;
  /** Restarts the count of device losses: the app gives up after too many in a short time. */
  forgetLosses(): void;
  /** Whether everything visible is finished; see `Viewer.isSettled`. */
  isSettled(view?: ViewName): boolean;
  /** Whether the visible 3D views, including a compared volume's, are settled and at full quality. */
  isSharp(): boolean;
  /** The ids of all commands, in table order. */
  commandIds(): readonly string[];
  /** Runs a command if it is enabled. @returns whether it was */
  runCommand(id: string): boolean;
  /** See `AttachedViews.fixScale`. Also applies to the compared volume, and after a device loss. */
  fixScale(scale: number): void;
  /** Limits the memory of volumes opened from now on, even below the settings' minimum. */
  setBudget(mebibytes: number): void;
  /** Extracts surfaces only on the GPU, even a software one. */
  extractOnlyOnGpu(): void;
  /** Opens files in place of the open volume, without asking. */
  replaceWithoutAsking(): void;
  /** See `DrawLoop.drawnFrames`. */
  drawnFrames(): number;
  /** See `AttachedViews.recordFrameTimes`. */
  recordFrameTimes(): readonly FrameTime[];
  /** GPU memory by label, in bytes. */
  gpuMemory(): Record<string, number>;
  /** Delays each played frame by this many milliseconds. */
  slowFrames(ms: number): void;
  /** The frames that the current player has shown since this call. */
  recordFrames(): readonly PresentedFrame[];
}

export function createTestHook(app: App): StriaTest {
  return {
    readVoxels: async () => {
      const { kept } = app;
      const { gpu } = app.store.getState();
      if (!kept || kept.decimation > 1 || gpu.kind !== 'ready') throw new Error('no whole volume is in GPU memory');
      const grid = new ChunkGrid(codecElementDims(kept.info), kept.chunkShape);
      const bytes = new Uint8Array(volumeBytes(kept.info));
      await kept.forEachBox(async ({ voxels, chunks, chunkNumbers }) => {
        const { elementBytes } = voxels;
        const box = await gpu.gpu.read(voxels.buffer);
        for (const [index, { origin, shape }] of chunks.entries()) {
          const place = grid.box(chunkNumbers[index] as number);
          for (let row = 0; row < shape[1] * shape[2]; row++) {
            const [y, z] = [row % shape[1], Math.floor(row / shape[1])];
            const from = ((origin[2] + z) * voxels.dims[1] + origin[1] + y) * rowBytes(voxels.dims[0], elementBytes);
            const at = grid.placeOfPlane(place.plane + z);
            const plane = at.t * grid.dims[2] + at.z;
            const to = ((plane * grid.dims[1] + place.origin[1] + y) * grid.dims[0] + place.origin[0]) * elementBytes;
            const start = from + origin[0] * elementBytes;
            bytes.set(box.subarray(start, start + shape[0] * elementBytes), to);
          }
        }
      });
      return bytes;
    },
    loseDevice: () => app.loseDevice(),
    forgetLosses: () => app.forgetLosses(),
    isSettled: (view) => viewerOf(app)?.isSettled(view) === true,
    isSharp: () => {
      const viewers = viewersOf(app);
      return viewers.length > 0 && viewers.every((viewer) => viewer.isSettled('3d') && viewer.views.isSharp);
    },
    commandIds: () => app.commands.map(({ id }) => id),
    runCommand: (id) => {
      const command = app.commands.find((each) => each.id === id && each.enabled(app.store.getState()));
      command?.run();
      return command !== undefined;
    },
    fixScale: (scale) => {
      const fixed = new WeakSet<Viewer>();
      const fix = (): void => {
        for (const viewer of viewersOf(app)) {
          if (!fixed.has(viewer)) viewer.views.fixScale(scale);
          fixed.add(viewer);
        }
      };
      app.store.subscribe(fix);
      fix();
    },
    setBudget: (gpuBudgetMiB) => app.settings.set({ gpuBudgetMiB }),
    extractOnlyOnGpu: () => app.meshes.extractOnlyOnGpu(),
    replaceWithoutAsking: () => app.settings.set({ openingSecond: 'replace' }),
    drawnFrames: () => viewerOf(app)?.loop.drawnFrames ?? 0,
    recordFrameTimes: () => viewerOf(app)?.views.recordFrameTimes() ?? [],
    gpuMemory: () => {
      const { gpu } = app.store.getState();
      return gpu.kind === 'ready' ? Object.fromEntries(gpu.gpu.memory.entries()) : {};
    },
    slowFrames: (ms) => {
      app.playback.frameDelayMs = ms;
    },
    recordFrames: () => {
      const frames: PresentedFrame[] = [];
      app.store.getState().playback?.player.onPresented((frame) => frames.push(frame));
      return frames;
    },
  };
}

function viewerOf(app: App): Viewer | undefined {
  const { gpu } = app.store.getState();
  return gpu.kind === 'ready' ? gpu.viewer : undefined;
}

/** The viewer, and that of the compared volume. */
function viewersOf(app: App): readonly Viewer[] {
  const { comparison } = app.store.getState();
  const viewer = viewerOf(app);
  return [...(viewer ? [viewer] : []), ...(comparison.kind === 'ready' ? [comparison.viewer] : [])];
}
