import { brickKey } from '../bricks/brick.ts';
import type { BrickLevel, BrickSource } from '../bricks/brick-source.ts';
import { ComputedBricks } from '../bricks/computed-bricks.ts';
import { GpuBricks } from '../bricks/gpu-bricks.ts';
import { HostBricks } from '../bricks/host-bricks.ts';
import { choiceByName, codecByName } from '../codecs/registry.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { openSample } from '../samples/sample.ts';
import { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import { nextTurn } from '../shared/turn.ts';
import type { Dims3 } from '../shared/volume.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { brickShape, MemoryBricks } from './brick-memory.ts';
import { expectSame } from './harness/expect-same.ts';

/** The side of the computed volume, and its bricks': neither a multiple of the other, nor of four. */
const [side, brickSide] = [150, 64];
/** The longest wait for the bricks, in milliseconds. */
const mostMs = 30_000;

/**
 * Compares textures that kernels write (`Gpu.canStoreBytes`) with textures that are copied from buffers: those of bricks of 8 and 16 bits
 * with their aprons and cells, and the display texture of an 8-bit volume.
 * @returns the number of bytes compared; 0 if the device cannot store bytes in textures
 * @throws StriaError `internal` if a texel differs
 */
export async function compareStoredTexels(gpu: Gpu, job: JobOptions = {}): Promise<number> {
  if (!gpu.canStoreBytes) return 0;
  let count = 0;
  for (const read of [computedTexels, pairTexels, displayTexels]) {
    const stored = await read(gpu, job);
    gpu.canStoreBytes = false;
    try {
      const copied = await read(gpu, job);
      for (const [at, bytes] of stored.entries()) {
        expectSame(bytes, copied[at] ?? new Uint8Array(), 'a texture that kernels write, against a copied one');
        count += bytes.length;
      }
    } finally {
      gpu.canStoreBytes = true;
    }
  }
  return count;
}

async function computedTexels(gpu: Gpu): Promise<readonly Uint8Array[]> {
  return brickTexels(gpu, new ComputedBricks(side, brickSide, undefined, [codecByName('raw')]));
}

/** The texels of bricks of 16-bit voxels. */
async function pairTexels(gpu: Gpu, job: JobOptions): Promise<readonly Uint8Array[]> {
  const chunks: EncodedChunk[] = [];
  const backend = createGpuBackend(gpu);
  try {
    const volume = await phantom(gpu, 'u16', job);
    try {
      const choice = { codec: choiceByName('raw'), options: { axis: 'auto' } } as const;
      await volume.forEachBox(async (box) => {
        chunks.push(...(await backend.encodeResident(box, choice, job)).chunks);
      });
      return await brickTexels(gpu, new MemoryBricks(volume.info, chunks));
    } finally {
      volume.destroy();
    }
  } finally {
    await backend.destroy();
  }
}

/** The texels and cells of all decoded bricks of a small volume, brick by brick. */
async function brickTexels(gpu: Gpu, source: BrickSource): Promise<readonly Uint8Array[]> {
  const host = new HostBricks(source);
  const bricks = new GpuBricks(gpu, host, { payloadBytes: 2 ** 24, atlasBytes: 2 ** 24, textureBytes: 2 ** 26 });
  try {
    const { grid } = source.levels[0] as BrickLevel;
    const keys = Array.from({ length: grid.count }, (_, number) => brickKey({ level: 0, number }));
    bricks.want(keys);
    const start = performance.now();
    while (!bricks.isSettled) {
      if (performance.now() - start > mostMs) throw new StriaError('internal', 'bricks for the comparison never arrive');
      bricks.update();
      await nextTurn();
    }
    const { slots, filtered } = bricks.atlas;
    const texels = await texelsOf(gpu, filtered.texture);
    const cells = await gpu.read(filtered.cells);
    const cellBytes = cells.length / bricks.atlas.slotCount;
    const parts: Uint8Array[] = [];
    for (const key of keys) {
      const slot = slots.peek(key);
      // Constant bricks have no slot.
      if (slot === undefined) continue;
      const { origin, size } = filtered.boxOf(slot);
      parts.push(texels(origin, size), cells.subarray(cellBytes * slot, cellBytes * (slot + 1)));
    }
    return parts;
  } finally {
    bricks.close();
    host.close();
  }
}

/** The texels of a small volume's display texture. */
async function displayTexels(gpu: Gpu, job: JobOptions): Promise<readonly Uint8Array[]> {
  const volume = await phantom(gpu, 'u8', job);
  try {
    const { texture, dims } = await volume.displayTexture(0);
    return [(await texelsOf(gpu, texture))([0, 0, 0], dims)];
  } finally {
    volume.destroy();
  }
}

async function phantom(gpu: Gpu, type: 'u8' | 'u16', job: JobOptions): Promise<ResidentVolume> {
  const sample = openSample({ kind: 'phantom', dims: [157, 93, 71], type, seed: 1 });
  const volume = await ResidentVolume.create(gpu, sample.info, { chunkShape: brickShape });
  for await (const piece of sample.voxels(job)) volume.append(piece);
  return volume;
}

/** Reads a 3D texture of one or two bytes per texel. @returns a function that gives the bytes of a box of texels, x fastest */
async function texelsOf(gpu: Gpu, texture: GPUTexture): Promise<(origin: Dims3, size: Dims3) => Uint8Array> {
  using scope = gpu.scope('texels');
  const { width, height, depthOrArrayLayers: depth } = texture;
  const texelBytes = texture.format === 'r8unorm' ? 1 : 2;
  const pitch = Math.ceil((texelBytes * width) / 256) * 256;
  const buffer = scope.buffer('texels', pitch * height * depth, GPUBufferUsage.COPY_SRC);
  const layout = { buffer, bytesPerRow: pitch, rowsPerImage: height };
  await gpu
    .commands('texels')
    .record((encoder) => encoder.copyTextureToBuffer({ texture }, layout, [width, height, depth]))
    .submit();
  const all = await gpu.read(buffer);
  return ([x, y, z], [columns, rows, layers]) => {
    const rowBytes = texelBytes * columns;
    const box = new Uint8Array(rowBytes * rows * layers);
    for (let row = 0; row < rows * layers; row++) {
      const from = ((z + Math.floor(row / rows)) * height + y + (row % rows)) * pitch + texelBytes * x;
      box.set(all.subarray(from, from + rowBytes), row * rowBytes);
    }
    return box;
  };
}
