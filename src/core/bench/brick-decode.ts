import { type BrickKey, brickKey, brickOf } from '../bricks/brick.ts';
import { BrickAtlas, type SlottedBrick } from '../bricks/brick-atlas.ts';
import type { BrickLevel, BrickSource } from '../bricks/brick-source.ts';
import { BrickTable } from '../bricks/brick-table.ts';
import { ComputedBricks } from '../bricks/computed-bricks.ts';
import { PayloadPool } from '../bricks/payload-pool.ts';
import { gatherChunk } from '../chunks/boxes.ts';
import { ChunkTally } from '../chunks/chunk-tally.ts';
import { chunkBytes } from '../codec/batch.ts';
import { type CodecElementBytes, rowBytes } from '../codec/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import type { StoredChunk } from '../gpu-chunks/decode-planner.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { MemoryBricks } from './brick-memory.ts';
import type { BenchContext } from './harness/context.ts';
import { expectSame } from './harness/expect-same.ts';
import { inFlight, runFrames } from './harness/frames.ts';
import { spreadOf } from './harness/statistics.ts';

/** The number of bricks that `GpuBricks` decodes at most in one update. */
const bricksPerBatch = 256;
/** How often a round decodes each batch, the number of rounds, and the total of batches on a software GPU. */
const [batchCount, rounds, softwareBatches] = [16, 4, 2];
/** The number of bricks that are compared with the source. */
const checkedBricks = 5;

interface Decoded {
  readonly subject: string;
  readonly x: string;
  readonly source: BrickSource & { chunk(brick: { level: number; number: number }): EncodedChunk };
  readonly keys: readonly BrickKey[];
  /** The voxels of a brick, x fastest. */
  voxels(key: BrickKey): Uint8Array;
}

/** Times decoding of all bricks of a volume that have a payload. @param voxels of the volume, x fastest */
export async function benchDecoding(
  context: BenchContext,
  { subject, x, source, voxels }: { subject: string; x: string; source: MemoryBricks; voxels: Uint8Array<ArrayBuffer> },
): Promise<void> {
  const { grid } = source.levels[0] as BrickLevel;
  const [width, height, depth] = source.info.dims;
  const elementBytes = codecElementBytes(source.info.type);
  const box = { bytes: voxels, dims: [width, height, depth], elementBytes } as const;
  await measure(context, {
    subject,
    x,
    source,
    keys: Array.from({ length: grid.count }, (_, number) => brickKey({ level: 0, number })),
    voxels: (key) => gatherChunk(box, grid.box(brickOf(key).number)),
  });
}

/** Times decoding of computed bricks, encoded by every codec in turn. */
export async function benchComputedDecoding(context: BenchContext): Promise<void> {
  const { size } = context.request;
  const source = new ComputedBricks(Math.max(128, 2 * size));
  const count = Math.min(source.levels[0]?.grid.count ?? 0, Math.max(8, Math.round(1024 * (size / 512) ** 3)));
  await measure(context, {
    subject: 'computed bricks u8',
    x: 'every codec',
    source,
    keys: Array.from({ length: count }, (_, number) => brickKey({ level: 0, number })),
    voxels: (key) => source.voxels(brickOf(key)),
  });
}

async function measure(context: BenchContext, { subject, x, source, keys, voxels }: Decoded): Promise<void> {
  const { gpu, meter } = context;
  context.begin(`decoding bricks, ${x}`);
  using scope = gpu.scope('bench.bricks');
  const elementBytes = codecElementBytes(source.info.type);
  const shapeOf = (key: BrickKey): Dims3 => {
    const { level, number } = brickOf(key);
    return (source.levels[level] as BrickLevel).grid.box(number).shape;
  };
  const coded = keys.flatMap((key) => {
    const chunk = source.chunk(brickOf(key));
    return chunk.kind === 'coded' ? [{ key, chunk }] : [];
  });
  const payloadBytes = coded.reduce((sum, { chunk }) => sum + chunk.payload.byteLength, 0);
  // Leaves room for the ends of the pool's buffers, which no payload fits into.
  const pool = new PayloadPool(gpu, scope, 2 * payloadBytes + 2 ** 20);
  for (const { key, chunk } of coded) pool.put(key, chunk, { shape: shapeOf(key), elementBytes });
  pool.flush();
  const slot = (source.levels[0] as BrickLevel).grid.chunkShape;
  const slotBytes = rowBytes(slot[0], elementBytes) * slot[1] * slot[2];
  const table = new BrickTable(gpu, scope, source);
  const atlas = new BrickAtlas(gpu, scope, source, coded.length * slotBytes);
  const slotted = coded
    .slice(0, atlas.slotCount)
    .map(({ key }, at): SlottedBrick => ({ key, slot: at, stored: pool.get(key) as StoredChunk }));
  const batches: SlottedBrick[][] = [];
  for (let first = 0; first < slotted.length; first += bricksPerBatch) batches.push(slotted.slice(first, first + bricksPerBatch));
  const batchOf = (frame: number): readonly SlottedBrick[] => batches[frame % batches.length] as SlottedBrick[];

  const decode = async (frame: number, onTimes: Parameters<typeof gpu.commands>[1]) => {
    const own = scope.scope('decode');
    const commands = gpu.commands('bricks', onTimes);
    atlas.record(commands, own, batchOf(frame), table);
    await commands.submit().finally(() => own.destroy());
  };
  await meter.raiseClocks();
  const frames = gpu.isSoftware ? softwareBatches : batchCount * batches.length;
  const { intervals, times, seconds } = await runFrames(context, frames, gpu.isSoftware ? 1 : rounds, decode);
  for (let batch = 0; batch < batches.length; batch++) await decode(batch, undefined);
  for (let at = 0; at < checkedBricks; at++) {
    const { key, slot: number } = slotted[Math.floor(((at + 0.5) * slotted.length) / checkedBricks)] as SlottedBrick;
    const bytes = await gpu.read(atlas.voxels.buffer, number * atlas.slotBytes, atlas.slotBytes);
    expectSame(unpadded(bytes, atlas.slotShape, shapeOf(key), elementBytes), voxels(key), `${subject}, brick ${key}`);
  }

  const decodedBytes = slotted.reduce((sum, { key }) => sum + chunkBytes({ shape: shapeOf(key), elementBytes }), 0);
  const [perBatch, payloadPerBatch] = [decodedBytes, payloadBytes].map((bytes) => Math.round(bytes / batches.length)) as [
    number,
    number,
  ];
  const msOf = (counts: (label: string) => boolean) =>
    times.map(({ stages }) => stages.reduce((ms, { label, gpuMs }) => ms + (counts(label) ? (gpuMs ?? Number.NaN) : 0), 0));
  const kernels = gpu.hasTimestamps ? msOf(() => true) : undefined;
  const rate = (ms: number) => (perBatch / ms / 1e6).toFixed(1);
  const perSecond = intervals.length / seconds;
  context.add({
    table: 'bricks',
    subject,
    x: `decode ${x}`,
    method: `${x}, ${batches[0]?.length} bricks at once`,
    operation: 'decode',
    processor: 'gpu',
    inputBytes: payloadPerBatch,
    outputBytes: perBatch,
    movedBytes: payloadPerBatch + perBatch,
    movedBytesAre: 'least',
    gpuMs: kernels && spreadOf(kernels),
    wallMs: spreadOf(intervals),
    stages: kernels
      ? { decode: spreadOf(msOf((label) => label !== 'ranges')), ranges: spreadOf(msOf((label) => label === 'ranges')) }
      : {},
    copyMs: undefined,
    timesCopy: undefined,
    verified: `${checkedBricks} bricks compared with the source, voxel by voxel`,
    note:
      `${((perBatch * perSecond) / 1e9).toFixed(1)} GB/s by the clock, ${inFlight} batches in flight` +
      (kernels ? `, ${rate(spreadOf(kernels).median)} GB/s by the kernels` : '') +
      `; ${Math.round(((slotted.length / batches.length) * perSecond) / 100) * 100} bricks a second; ${codecsOf(coded.map(({ chunk }) => chunk))}`,
  });
}

/** `rice 300, wave 12`: how many chunks each codec has. */
function codecsOf(chunks: readonly EncodedChunk[]): string {
  const tally = new ChunkTally();
  for (const chunk of chunks) tally.addChunk(chunk);
  return tally
    .shares()
    .map(({ codec, count }) => `${codec} ${count}`)
    .join(', ');
}

/** The voxels of a brick, without the padding of the slot's rows. */
function unpadded(bytes: Uint8Array, slot: Dims3, [x, y, z]: Dims3, elementBytes: CodecElementBytes): Uint8Array {
  const pitch = rowBytes(slot[0], elementBytes);
  const voxels = new Uint8Array(x * y * z * elementBytes);
  for (let row = 0; row < y * z; row++) {
    const from = (Math.floor(row / y) * slot[1] + (row % y)) * pitch;
    voxels.set(bytes.subarray(from, from + x * elementBytes), row * x * elementBytes);
  }
  return voxels;
}
