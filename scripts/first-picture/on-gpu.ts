// The first pictures of a .stria, in Node with Dawn: for machines with a GPU but without a browser. As in the app, the first one shows a coarse
// level that is loaded whole, and the next ones bricks.

import { BrickStage } from '../../src/core/bench/brick-stage.ts';
import { ViewStage } from '../../src/core/bench/view.ts';
import { type FrameSize, turned } from '../../src/core/bench/view-turning.ts';
import { ContainerBricks } from '../../src/core/bricks/container-bricks.ts';
import { createCpuBackend } from '../../src/core/cpu/cpu-backend.ts';
import { inlinePool } from '../../src/core/cpu/inline-pool.ts';
import type { Projection } from '../../src/core/draw/ray-pass.ts';
import { ContainerReader } from '../../src/core/format/container-reader.ts';
import type { Gpu } from '../../src/core/gpu/gpu.ts';
import { openAddressFile } from '../../src/core/remote/open-address.ts';
import type { ByteSource } from '../../src/core/shared/bytes.ts';
import { volumeBytes } from '../../src/core/shared/volume.ts';
import { containerVolume } from '../../src/core/stream/restore/container-volume.ts';
import { ResidentVolume } from '../../src/core/volume/resident/resident-volume.ts';
import { openNodeGpu, releaseNodeGpu } from '../../src/node/node-gpu.ts';
import { NodeFiles } from '../../src/node/node-source.ts';

/** The budgets of the app's default settings. */
const limits = { hostBytes: 2 ** 29, gpu: { payloadBytes: 2 ** 30, atlasBytes: 2 ** 29, textureBytes: 2 ** 30 } };
/** See `firstPictureBytes` of renderer/app/loading/level-choice.ts. */
const firstPictureBytes = 2 ** 23;
/** A software GPU takes too long for a real picture. */
const wayOn = ({ isSoftware }: Gpu) =>
  isSoftware
    ? { size: { width: 320, height: 180 }, projection: 'mip' as const }
    : { size: { width: 1920, height: 1080 }, projection: 'composite' as const };

/** Milliseconds since the file was opened. */
export interface FirstPicture {
  /** The indices of the volume and its levels have been read. */
  readonly indexMs: number;
  /** A frame shows a coarse level; undefined if the file has none. */
  readonly coarseMs: number | undefined;
  /** A frame shows the volume, from all bricks that are there. */
  readonly pictureMs: number;
  /** A frame shows all bricks of the levels that suit the picture's size; undefined if they did not arrive within three seconds. */
  readonly completeMs: number | undefined;
  readonly bricksRead: number;
  readonly gibibytes: number;
}

/** Opens a GPU that draws pictures. The first one includes the compilation of shaders. */
export async function openPictures() {
  const gpu = await openNodeGpu();
  return {
    async ofFile(path: string): Promise<FirstPicture> {
      const files = new NodeFiles();
      try {
        return await firstPicture(gpu, () => files.open(path));
      } finally {
        await files.close();
      }
    },
    atAddress: (url: string): Promise<FirstPicture> => firstPicture(gpu, () => openAddressFile(url)),
    async close(): Promise<void> {
      await gpu.settle();
      gpu.destroy();
      releaseNodeGpu();
    },
  };
}

/** Opens a file and draws it, as the 3D view does, until its bricks are there. @param open opens the file */
async function firstPicture(gpu: Gpu, open: () => Promise<ByteSource>): Promise<FirstPicture> {
  using scope = gpu.scope('first-picture');
  const { size, projection } = wayOn(gpu);
  const start = performance.now();
  const reader = await ContainerReader.open(await open());
  const levels = await reader.levels();
  const indexMs = performance.now() - start;
  const level = levels.find(({ header }) => volumeBytes(header.volume) <= firstPictureBytes) ?? levels.at(-1);
  if (level) await drawCoarse(gpu, level, size, projection);
  const coarseMs = level && performance.now() - start;
  const source = await ContainerBricks.open(reader);
  const stageMs = performance.now() - start;
  const stage = new BrickStage(gpu, scope, source, [0, 255], size, limits);
  try {
    const settledMs = await stage.settle(projection, turned(0, size));
    return {
      indexMs,
      coarseMs,
      pictureMs: stageMs + (stage.firstPictureMs ?? Number.NaN),
      completeMs: settledMs === undefined ? undefined : stageMs + settledMs,
      bricksRead: stage.host.use.bricksRead,
      gibibytes: volumeBytes(source.info) / 2 ** 30,
    };
  } finally {
    stage.close();
  }
}

/** Draws a level, as the app does for its first picture. */
async function drawCoarse(gpu: Gpu, level: ContainerReader, size: FrameSize, projection: Projection): Promise<void> {
  const { volume, chunkShape } = level.header;
  const resident = await ResidentVolume.create(gpu, volume, { chunkShape });
  try {
    using scope = gpu.scope('coarse');
    const backend = createCpuBackend(inlinePool());
    for await (const piece of (await containerVolume(level, backend)).voxels()) resident.append(piece);
    const { window } = await resident.statistics();
    await new ViewStage(gpu, scope, await resident.displayTexture(0), window, size).draw(projection, 0, () => {});
  } finally {
    resident.destroy();
  }
}
