import { chainByName } from '../codecs/registry.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { chunkGridOf, codecElementBytes, codecElementDims } from '../format/chunk-grid.ts';
import { levelVolume } from '../format/level.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { halve } from '../levels/halve.ts';
import type { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import {
  type Dims3,
  type Dims4,
  type ElementType,
  elementBytes,
  typedVoxels,
  type VolumeInfo,
  volumeBytes,
} from '../shared/volume.ts';
import { testInfo } from '../volume/resident-testing.ts';
import { type Brick, brickOf } from './brick.ts';
import type { BrickLevel, BrickPlace, BrickSource } from './brick-source.ts';

const cpu = createCpuBackend(inlinePool());

/** For tests: a volume in memory with levels, whose chunks are encoded by several codecs in turn. */
export interface TestBricks extends BrickSource {
  /** The voxels of each level, as in a file. */
  readonly voxels: readonly Uint8Array<ArrayBuffer>[];
  readonly infos: readonly VolumeInfo[];
  /** How often bricks were read. */
  readonly reads: { count: number };
  /** Names of the codecs that were used, with `constant` and `ramp`. */
  readonly used: ReadonlySet<string>;
}

export type TestVoxel = (x: number, y: number, z: number, t: number) => number;

export async function testBricks(
  dims: Dims4,
  type: ElementType,
  chunkShape: Dims3,
  voxel: TestVoxel,
  { codecs = ['raw'], levelCount = 3 }: { readonly codecs?: readonly string[]; readonly levelCount?: number } = {},
): Promise<TestBricks> {
  const info = testInfo(dims, type);
  let voxels = new Uint8Array(volumeBytes(info));
  const typed = typedVoxels(type, voxels);
  const [x, y, z] = dims;
  for (let at = 0; at < typed.length; at++)
    typed[at] = voxel(at % x, Math.floor(at / x) % y, Math.floor(at / x / y) % z, Math.floor(at / x / y / z));
  const all = { levels: [] as BrickLevel[], voxels: [] as Uint8Array<ArrayBuffer>[], infos: [] as VolumeInfo[] };
  const chunks: EncodedChunk[][] = [];
  const used = new Set<string>();
  for (let level = 0; level < levelCount; level++) {
    const factors: Dims3 = [2 ** level, 2 ** level, 2 ** level];
    const ofLevel = level === 0 ? info : levelVolume(info, factors);
    if (level > 0) {
      const before = (all.infos.at(-1) as VolumeInfo).dims;
      const halved = halve(typedVoxels(type, voxels), type, [before[0], before[1], before[2]], [2, 2, 2], dims[3], 'mean');
      voxels = new Uint8Array(halved.buffer as ArrayBuffer);
    }
    const elements = codecElementDims(ofLevel);
    const shape = chunkShape.map((length, axis) => Math.min(length, elements[axis] as number)) as unknown as Dims3;
    const grid = chunkGridOf(ofLevel, shape);
    all.levels.push({ grid, factors });
    all.voxels.push(voxels);
    all.infos.push(ofLevel);
    // All time points follow each other along z.
    const box = {
      bytes: voxels,
      dims: [elements[0], elements[1], elements[2] * dims[3]] as Dims3,
      elementBytes: codecElementBytes(type),
    };
    const boxes = Array.from({ length: grid.count }, (_, number) => {
      const { origin, shape, t } = grid.box(number);
      return { origin: [origin[0], origin[1], origin[2] + t * elements[2]] as Dims3, shape };
    });
    const byCodec = await Promise.all(
      codecs.map((name) => cpu.encode(box, boxes, { codec: chainByName(name), options: { axis: 'auto' } })),
    );
    const ofGrid = boxes.map((_, number) => (byCodec[number % codecs.length] as EncodedChunk[])[number] as EncodedChunk);
    for (const chunk of ofGrid)
      used.add(chunk.kind === 'coded' ? chunk.stages.map(({ codecId }) => codecId).join('+') : chunk.kind);
    chunks.push(ofGrid);
  }
  const reads = { count: 0 };
  const chunkOf = ({ level, number }: Brick) => chunks[level]?.[number] as EncodedChunk;
  return {
    ...all,
    info,
    used,
    reads,
    place: (brick): BrickPlace => {
      const chunk = chunkOf(brick);
      return { payloadBytes: chunk.kind === 'coded' ? chunk.payload.byteLength : 0 };
    },
    async read(bricks, { signal }: JobOptions = {}): Promise<readonly (EncodedChunk | StriaError)[]> {
      await Promise.resolve();
      signal?.throwIfAborted();
      reads.count += bricks.length;
      return bricks.map(chunkOf);
    },
  };
}

/** The rows of a brick and their byte positions in a slot of shape `slot`, whose rows are padded to whole words. */
export function slotBytesOf(bricks: TestBricks, key: number, slot: Dims3): { readonly at: number; readonly bytes: Uint8Array }[] {
  const { level, number } = brickOf(key);
  const { grid } = bricks.levels[level] as BrickLevel;
  const { origin, shape, t } = grid.box(number);
  const width = codecElementBytes(bricks.info.type);
  const [x, y, z] = codecElementDims(bricks.infos[level] as VolumeInfo);
  const slotRow = Math.ceil((slot[0] * width) / 4) * 4;
  const voxels = bricks.voxels[level] as Uint8Array;
  const rows: { at: number; bytes: Uint8Array }[] = [];
  for (let row = 0; row < shape[1] * shape[2]; row++) {
    const [inY, inZ] = [row % shape[1], Math.floor(row / shape[1])];
    const from = (((t * z + origin[2] + inZ) * y + origin[1] + inY) * x + origin[0]) * width;
    rows.push({ at: (inZ * slot[1] + inY) * slotRow, bytes: voxels.subarray(from, from + shape[0] * width) });
  }
  return rows;
}

/** A smooth ball with small variations in empty space, with values that suit the type. */
export function ballVoxel(dims: Dims4, type: ElementType): TestVoxel {
  const top = elementBytes(type) === 1 ? 200 : 20_000;
  const [cx, cy, cz] = [dims[0] / 2, dims[1] / 2, dims[2] / 2];
  const radius = Math.min(cx, cy, cz);
  return (x, y, z, t) => {
    const away = Math.hypot(x - cx, y - cy, z - cz) / radius;
    if (away > 1) return 0;
    const value = top * (1 - away * away) * (1 - 0.2 * t) + (((x >> 2) ^ (y >> 2) ^ (z >> 2)) & 3);
    return type === 'f32' || type === 'f64' ? value / 3 : Math.round(value);
  };
}

/** Waits until the GPU has finished all work and its times have been read back, so that none of it counts as a leak. */
export async function finished(gpu: Gpu): Promise<void> {
  await gpu.device.queue.onSubmittedWorkDone();
  await new Promise((resolve) => setTimeout(resolve, 20));
}
