import {
  type CodecDefinition,
  type CodecKernels,
  type GpuChunk,
  type GpuPayloads,
  type GpuVoxels,
  rowBytes,
} from '../src/core/codecs/codec.ts';
import { codecs } from '../src/core/codecs/registry.ts';
import { openSample, type SampleKind } from '../src/core/engine/samples/sample.ts';
import { ChunkGrid } from '../src/core/format/chunk-grid.ts';
import type { CommandTimes } from '../src/core/gpu/commands.ts';
import type { Gpu } from '../src/core/gpu/gpu.ts';
import type { GpuScope } from '../src/core/gpu/scope.ts';
import { StriaError } from '../src/core/shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../src/core/shared/job.ts';
import type { Dims3 } from '../src/core/shared/volume.ts';
import { createHeater, type Heater, recordCopy } from './heater.ts';
import { type Spread, spreadOf } from './statistics.ts';

export interface CodecBenchRequest {
  readonly samples: readonly SampleKind[];
  readonly codecs: readonly string[];
  readonly axes: readonly ('x' | 'y' | 'z')[];
  readonly chunkShapes: readonly Dims3[];
  readonly type: 'u8' | 'u16';
  /** Length of the volume's sides. */
  readonly size: number;
  readonly repetitions: number;
}

export interface CodecBenchCase {
  readonly sample: SampleKind;
  readonly codec: string;
  /** Undefined for a codec that has no axis. */
  readonly axis: 'x' | 'y' | 'z' | undefined;
  readonly chunkShape: Dims3;
  readonly voxelBytes: number;
  /** All payloads, without the container around them. Constant chunks are encoded like the others here. */
  readonly encodedBytes: number;
  /** Chunks whose encoding would not have been smaller than their voxels: not written, not decoded. */
  readonly rawChunks: number;
  /** Milliseconds by timestamps, summed over the stages; undefined where the device has none. */
  readonly encodeMs: Spread | undefined;
  readonly decodeMs: Spread | undefined;
  readonly encodeStages: Readonly<Record<string, Spread>>;
  readonly decodeStages: Readonly<Record<string, Spread>>;
  /** Milliseconds on the host's clock, with submission and the readback of sizes. */
  readonly encodeWallMs: Spread;
  readonly decodeWallMs: Spread;
  /** Median time as a multiple of the copy of the same voxels in the same run. */
  readonly encodeTimesCopy: number | undefined;
  readonly decodeTimesCopy: number | undefined;
}

export interface CodecBenchResult {
  readonly suite: 'codecs';
  readonly schema: 1;
  readonly device: string;
  readonly software: boolean;
  readonly size: number;
  readonly type: 'u8' | 'u16';
  readonly copyMs: Spread | undefined;
  readonly copyWallMs: Spread;
  readonly cases: readonly CodecBenchCase[];
}

const warmUps = 3;

/**
 * Times every codec's kernels on every sample, axis and chunk shape, with the voxels resident on the GPU, beside a copy of
 * the same bytes. After the timing the decoded voxels are compared with the sample.
 * @throws StriaError `internal` where they differ
 */
export async function benchCodecs(gpu: Gpu, request: CodecBenchRequest, job: JobOptions = {}): Promise<CodecBenchResult> {
  using scope = gpu.scope('bench');
  const { size, type } = request;
  const elementBytes = type === 'u8' ? 1 : 2;
  const dims: Dims3 = [size, size, size];
  const bytes = rowBytes(size, elementBytes) * size * size;
  const voxels: GpuVoxels = { buffer: scope.storage('voxels', bytes), dims, elementBytes };
  const target: GpuVoxels = { buffer: scope.storage('target', bytes), dims, elementBytes };
  const heater = createHeater(gpu, voxels.buffer, scope.storage('heat', bytes));
  const cases: CodecBenchCase[] = [];
  let copy: { gpu: Spread | undefined; wall: Spread } | undefined;
  for (const sample of request.samples) {
    const source = await sampleBytes(sample, dims, type, job);
    gpu.device.queue.writeBuffer(voxels.buffer, 0, padRows(source, size, elementBytes));
    copy ??= await timeCopy(gpu, heater, voxels.buffer, target.buffer, request.repetitions);
    for (const definition of codecs.filter(({ name }) => request.codecs.includes(name))) {
      for (const axis of definition.axisOf ? request.axes : (['x'] as const)) {
        for (const chunkShape of request.chunkShapes) {
          throwIfAborted(job.signal);
          job.onProgress?.({
            stage: `${sample} ${definition.name} ${axis} ${chunkShape.join('×')}`,
            done: cases.length,
            total: undefined,
          });
          const chunks = chunksOf(definition, dims, chunkShape, elementBytes, axis);
          await heater.raiseClocks();
          const timed = await timeCodec(gpu, heater, definition, voxels, chunks, target, request.repetitions);
          cases.push({
            sample,
            codec: definition.name,
            axis: definition.axisOf && axis,
            chunkShape,
            voxelBytes: source.byteLength,
            ...timed,
            encodeTimesCopy: ratioOf(timed.encodeMs, copy.gpu),
            decodeTimesCopy: ratioOf(timed.decodeMs, copy.gpu),
          });
        }
      }
    }
  }
  return {
    suite: 'codecs',
    schema: 1,
    device: gpu.name,
    software: gpu.isSoftware,
    size,
    type,
    copyMs: copy?.gpu,
    copyWallMs: copy?.wall ?? spreadOf([]),
    cases,
  };
}

async function sampleBytes(kind: SampleKind, dims: Dims3, type: 'u8' | 'u16', job: JobOptions): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(dims[0] * dims[1] * dims[2] * (type === 'u8' ? 1 : 2));
  let filled = 0;
  for await (const piece of openSample({ kind, dims, type, seed: 1 }).voxels(job)) {
    bytes.set(piece, filled);
    filled += piece.byteLength;
  }
  return bytes;
}

function padRows(bytes: Uint8Array<ArrayBuffer>, x: number, elementBytes: 1 | 2): Uint8Array<ArrayBuffer> {
  const width = x * elementBytes;
  const pitch = rowBytes(x, elementBytes);
  if (pitch === width) return bytes;
  const rows = bytes.byteLength / width;
  const padded = new Uint8Array(rows * pitch);
  for (let row = 0; row < rows; row++) padded.set(bytes.subarray(row * width, (row + 1) * width), row * pitch);
  return padded;
}

function chunksOf(
  codec: CodecDefinition,
  dims: Dims3,
  chunkShape: Dims3,
  elementBytes: 1 | 2,
  axis: 'x' | 'y' | 'z',
): GpuChunk[] {
  const grid = new ChunkGrid([...dims, 1], chunkShape);
  return Array.from({ length: grid.count }, (_, number) => {
    const { origin, shape } = grid.box(number);
    return { origin, shape, parameters: codec.choose({ changes: [1, 1, 1] }, { shape, elementBytes }, { axis }) };
  });
}

async function timeCopy(
  gpu: Gpu,
  heater: Heater,
  from: GPUBuffer,
  to: GPUBuffer,
  repetitions: number,
): Promise<{ gpu: Spread | undefined; wall: Spread }> {
  const run = collector();
  await heater.raiseClocks();
  for (let repetition = -warmUps; repetition < repetitions; repetition++) {
    heater.keepBusy();
    const start = performance.now();
    await recordCopy(gpu, gpu.commands('copy', run.onTimes).stage('copy'), from, to).submit();
    run.end(repetition, performance.now() - start);
  }
  return { gpu: run.total(), wall: run.wall() };
}

async function timeCodec(
  gpu: Gpu,
  heater: Heater,
  codec: CodecDefinition,
  voxels: GpuVoxels,
  chunks: readonly GpuChunk[],
  target: GpuVoxels,
  repetitions: number,
) {
  const kernels = codec.createKernels(gpu);
  const encode = collector();
  let payloads: GpuPayloads | undefined;
  let owner: GpuScope | undefined;
  try {
    for (let repetition = -warmUps; repetition < repetitions; repetition++) {
      owner?.destroy();
      owner = gpu.scope('bench.payloads');
      heater.keepBusy();
      const start = performance.now();
      payloads = await kernels.encode(voxels, chunks, { scope: owner, onTimes: encode.onTimes });
      encode.end(repetition, performance.now() - start);
    }
    const encoded = payloads as GpuPayloads;
    const written = chunks.map((_, index) => index).filter((index) => (encoded.byteLengths[index] ?? 0) > 0);
    const decode = await timeDecode(gpu, heater, kernels, encoded, chunks, written, target, repetitions);
    await expectEqual(gpu, voxels, target, chunks, written);
    return {
      encodedBytes: encoded.byteLengths.reduce((sum, length) => sum + length, 0),
      rawChunks: chunks.length - written.length,
      encodeMs: encode.total(),
      decodeMs: decode.total(),
      encodeStages: encode.stages(),
      decodeStages: decode.stages(),
      encodeWallMs: encode.wall(),
      decodeWallMs: decode.wall(),
    };
  } finally {
    owner?.destroy();
  }
}

async function timeDecode(
  gpu: Gpu,
  heater: Heater,
  kernels: CodecKernels,
  encoded: GpuPayloads,
  chunks: readonly GpuChunk[],
  written: readonly number[],
  target: GpuVoxels,
  repetitions: number,
): Promise<Collector> {
  const decode = collector();
  const payloads: GpuPayloads = {
    buffer: encoded.buffer,
    byteOffsets: written.map((index) => encoded.byteOffsets[index] ?? 0),
    byteLengths: written.map((index) => encoded.byteLengths[index] ?? 0),
  };
  const toDecode = written.map((index) => chunks[index] as GpuChunk);
  // Poison: a decoder that leaves something out cannot pass.
  gpu.device.queue.writeBuffer(target.buffer, 0, new Uint8Array(target.buffer.size).fill(0xa5));
  await heater.raiseClocks();
  for (let repetition = -warmUps; repetition < repetitions && toDecode.length > 0; repetition++) {
    using scope = gpu.scope('bench.decode');
    heater.keepBusy();
    const start = performance.now();
    await kernels.decode(payloads, toDecode, target, { scope, onTimes: decode.onTimes });
    decode.end(repetition, performance.now() - start);
  }
  return decode;
}

async function expectEqual(
  gpu: Gpu,
  voxels: GpuVoxels,
  target: GpuVoxels,
  chunks: readonly GpuChunk[],
  written: readonly number[],
): Promise<void> {
  const [expected, actual] = await Promise.all([gpu.read(voxels.buffer), gpu.read(target.buffer)]);
  const pitch = rowBytes(voxels.dims[0], voxels.elementBytes);
  for (const index of written) {
    const { origin, shape } = chunks[index] as GpuChunk;
    const length = shape[0] * voxels.elementBytes;
    for (let z = origin[2]; z < origin[2] + shape[2]; z++) {
      for (let y = origin[1]; y < origin[1] + shape[1]; y++) {
        const start = (z * voxels.dims[1] + y) * pitch + origin[0] * voxels.elementBytes;
        for (let at = start; at < start + length; at++) {
          if (expected[at] !== actual[at]) throw new StriaError('internal', `chunk ${index} does not decode to its voxels`);
        }
      }
    }
  }
}

function ratioOf(time: Spread | undefined, copy: Spread | undefined): number | undefined {
  return time && copy ? time.median / copy.median : undefined;
}

type Collector = ReturnType<typeof collector>;

/** Gathers the stage times of the Commands of one repetition, and those of all repetitions. */
function collector() {
  let current = new Map<string, number>();
  let complete = true;
  const stageSamples = new Map<string, number[]>();
  const totals: number[] = [];
  const walls: number[] = [];
  return {
    onTimes(times: CommandTimes): void {
      for (const { label, gpuMs } of times.stages) {
        if (gpuMs === undefined) complete = false;
        else current.set(label, (current.get(label) ?? 0) + gpuMs);
      }
    },
    /** Ends a repetition; warm-ups have negative numbers and do not count. */
    end(repetition: number, wallMs: number): void {
      if (repetition >= 0) {
        walls.push(wallMs);
        let total = 0;
        for (const [label, ms] of current) {
          stageSamples.set(label, [...(stageSamples.get(label) ?? []), ms]);
          total += ms;
        }
        totals.push(total);
      }
      current = new Map();
    },
    total: (): Spread | undefined => (complete && totals.length > 0 ? spreadOf(totals) : undefined),
    stages: (): Record<string, Spread> =>
      Object.fromEntries([...stageSamples].map(([label, samples]) => [label, spreadOf(samples)])),
    wall: (): Spread => spreadOf(walls),
  };
}
