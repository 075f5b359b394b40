// The first picture of a .stria from its bricks, in Node with Dawn: for machines with a GPU but without a browser.

import { BrickStage } from '../../src/core/bench/brick-stage.ts';
import { turned } from '../../src/core/bench/view-turning.ts';
import { ContainerBricks } from '../../src/core/bricks/container-bricks.ts';
import { ContainerReader } from '../../src/core/format/container-reader.ts';
import type { Gpu } from '../../src/core/gpu/gpu.ts';
import { openAddressFile } from '../../src/core/remote/open-address.ts';
import type { ByteSource } from '../../src/core/shared/bytes.ts';
import { volumeBytes } from '../../src/core/shared/volume.ts';
import { openNodeGpu, releaseNodeGpu } from '../../src/node/node-gpu.ts';
import { NodeFiles } from '../../src/node/node-source.ts';

/** The budgets of the app's default settings. */
const limits = { hostBytes: 2 ** 29, gpu: { payloadBytes: 2 ** 30, atlasBytes: 2 ** 29, textureBytes: 2 ** 30 } };
/** A software GPU takes too long for a real picture. */
const wayOn = ({ isSoftware }: Gpu) =>
  isSoftware
    ? { size: { width: 320, height: 180 }, projection: 'mip' as const }
    : { size: { width: 1920, height: 1080 }, projection: 'composite' as const };

/** Milliseconds since the file was opened. */
export interface FirstPicture {
  /** The indices of the volume and its levels have been read. */
  readonly indexMs: number;
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
  const source = await ContainerBricks.open(await ContainerReader.open(await open()));
  const indexMs = performance.now() - start;
  const stage = new BrickStage(gpu, scope, source, [0, 255], size, limits);
  try {
    const settledMs = await stage.settle(projection, turned(0, size));
    return {
      indexMs,
      pictureMs: indexMs + (stage.firstPictureMs ?? Number.NaN),
      completeMs: settledMs === undefined ? undefined : indexMs + settledMs,
      bricksRead: stage.host.use.bricksRead,
      gibibytes: volumeBytes(source.info) / 2 ** 30,
    };
  } finally {
    stage.close();
  }
}
