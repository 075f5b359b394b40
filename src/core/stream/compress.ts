import type { Backend, DeviceReport, EncodeChoice, FileBox, OnSpan, VoxelBox } from '../chunks/backend.ts';
import { checkChunkShape, chunkShapeOf } from '../chunks/chunk-shape.ts';
import { type ChunkShare, ChunkTally } from '../chunks/chunk-tally.ts';
import { bytesOfChunks } from '../codec/batch.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { type ChunkShape, codecElementBytes, withTimePoints } from '../format/chunk-grid.ts';
import { ContainerWriter } from '../format/container-writer.ts';
import type { OpenVolume } from '../io/common/volume-reader.ts';
import type { ByteSink } from '../shared/bytes.ts';
import { type JobOptions, type Progress, throwIfAborted } from '../shared/job.ts';
import { isPictureFormat, type SourceDescription, sourceBytes } from '../shared/source.ts';
import { type Dims4, volumeBytes } from '../shared/volume.ts';
import { Beside, maxBoxBytes, overlapBytes, slabTargetBytes, writingTo } from './pipeline.ts';
import { boxesOf, largestSlabBytes, ReusedBytes, type Slab, slabsOf, takeBox } from './slabs.ts';
import { KernelClock, type KernelTimes, type StageReport, type StageSpan, Stopwatch } from './stage-times.ts';
import { readVoxels } from './voxel-reader.ts';

export interface CompressSettings {
  readonly backend: Backend;
  readonly choice: EncodeChoice;
  /** In codec elements (an f64 voxel is two along x). Default: from `chunkShapeOf`. */
  readonly chunkShape?: ChunkShape | undefined;
}

const compressStages = ['read', 'upload', 'analyze', 'encode', 'readback', 'write', 'save'] as const;
export type CompressStage = (typeof compressStages)[number];

/** After this time, finished chunks are written even if others of their box are not finished. */
const longestWaitMs = 500;

export interface CompressReport {
  /** Size of the uncompressed source: its voxels, headers and everything else it holds. */
  readonly bytesIn: number;
  readonly voxelBytes: number;
  /** Size of the container. */
  readonly bytesOut: number;
  /** `bytesIn / bytesOut`. */
  readonly ratio: number;
  readonly chunkCount: number;
  readonly chunkShape: Dims4;
  readonly chunks: readonly ChunkShare[];
  /** Wall time of each stage. Stages overlap (`analyze` runs in several threads), so they may sum to more than `total`. */
  readonly timesMs: Readonly<Record<CompressStage | 'total', number>>;
  /**
   * When each stage ran, from the start of the work, and how many bytes it handled: voxels read, analyzed or encoded, chunks
   * written. `analyze` (changes, checksum and, for `auto`, the survey, in one pass) is part of `encode`, as are `upload` and
   * `readback` on a GPU. `save` ends the writing: gathered bytes go to the disk, and the file gets its name.
   */
  readonly timeline: readonly StageSpan<CompressStage>[];
  /** Undefined on the CPU. */
  readonly kernelTimes?: KernelTimes | undefined;
  readonly device: DeviceReport;
  /** Voxel bytes divided by the total time, and by the time spent encoding. */
  readonly gigabytesPerSecond: { readonly total: number; readonly encode: number };
}

/**
 * Streams a volume into a container, layer by layer, in bounded memory: one layer (at most 256 MiB with the default chunk
 * shape) or two small ones, and a few boxes of at most 64 MiB. If backend and file allow it, the backend's threads read the
 * voxels and hold them. The sink is closed once everything is written, or aborted once if anything fails.
 * @throws StriaError of the volume, the backend or the sink; `aborted`
 */
export async function compressVolume(
  volume: OpenVolume,
  sink: ByteSink,
  settings: CompressSettings,
  job: JobOptions = {},
): Promise<CompressReport> {
  const stopwatch = new Stopwatch(compressStages);
  const report = await writingTo([sink], () => compress(volume, sink, settings, stopwatch, job), stopwatch);
  return { ...report, ...stopwatch.report(report.voxelBytes, 'encode') };
}

async function compress(
  volume: OpenVolume,
  sink: ByteSink,
  { backend, choice, chunkShape }: CompressSettings,
  stopwatch: Stopwatch<CompressStage>,
  { signal, onProgress }: JobOptions,
): Promise<Omit<CompressReport, keyof StageReport>> {
  throwIfAborted(signal);
  const { info } = volume;
  const voxelBytes = volumeBytes(info);
  const elementBytes = codecElementBytes(info.type);
  const shape = withTimePoints(checkChunkShape(info, chunkShape ?? chunkShapeOf(info, isPictureFormat(volume.format))));
  const clock = new KernelClock();
  const tally = new ChunkTally();
  const container = { volume: info, chunkShape: shape, sourceFormat: volume.format, stored: volume.stored };
  const writer = await ContainerWriter.create(sink, container);
  const boxBytes = Math.min(backend.maxBoxBytes, maxBoxBytes);
  const place = backend.encodeFile && volume.place;
  const slabBytes = place ? boxBytes : Math.min(backend.maxBoxBytes, slabTargetBytes);
  const slabs = slabsOf(writer.grid, elementBytes, slabBytes);
  // Small slabs have two buffers: one is filled while the other is encoded.
  const overlaps = largestSlabBytes(writer.grid, elementBytes, slabBytes) <= overlapBytes;
  const reader = readVoxels(volume, signal);
  const buffers = [new ReusedBytes(), new ReusedBytes()] as const;
  const scratch = new ReusedBytes();
  const reading = new Beside<ReadSlab | undefined>();
  const writing = new Beside<void>();

  let readCount = 0;
  let readBytes = 0;
  const readNext = async (): Promise<ReadSlab | undefined> => {
    const { value: slab, done } = slabs.next();
    if (done) return undefined;
    const { dims } = slab;
    if (place) {
      const start = place.start + readBytes;
      readBytes += slab.byteLength;
      return { slab, voxels: { place: { ...place, start }, dims, elementBytes } };
    }
    const buffer = buffers[overlaps ? readCount++ % 2 : 0] as ReusedBytes;
    const bytes = buffer.take(slab.byteLength);
    await stopwatch.time('read', () => reader.fill(bytes), slab.byteLength);
    return { slab, voxels: { bytes, dims, elementBytes } };
  };
  const write = (firstChunk: number, chunks: readonly EncodedChunk[]) => {
    const work = async () => {
      for (const [at, chunk] of chunks.entries()) {
        throwIfAborted(signal);
        await writer.chunk(firstChunk + at, chunk);
        tally.addChunk(chunk);
      }
    };
    const payloadBytes = chunks.reduce((sum, chunk) => sum + (chunk.kind === 'coded' ? chunk.payload.byteLength : 0), 0);
    return stopwatch.time('write', work, payloadBytes);
  };

  let source: SourceDescription;
  try {
    let done = 0;
    let lastWriteMs = performance.now();
    reading.start(readNext);
    for (let read = await reading.end(); read; read = await reading.end()) {
      const { slab, voxels } = read;
      if (overlaps) reading.start(readNext);
      for (const box of boxesOf(slab, elementBytes, boxBytes)) {
        throwIfAborted(signal);
        const byteLength = bytesOfChunks(box.chunks, elementBytes);
        const before = done;
        // Finished chunks of a slow codec are written from time to time, so that `recover` finds them if the process is killed.
        let waiting: EncodedChunk[] = [];
        let writtenChunks = 0;
        const writeWaiting = () => {
          const [first, chunks] = [box.firstChunk + writtenChunks, waiting];
          writing.start(() => write(first, chunks));
          writtenChunks += chunks.length;
          waiting = [];
          lastWriteMs = performance.now();
        };
        const options = {
          onChunks: (chunks: readonly EncodedChunk[]) => {
            waiting.push(...chunks);
            if (performance.now() > lastWriteMs + longestWaitMs) writeWaiting();
          },
          signal,
          onTimes: clock.onTimes,
          onSpan: (...span: Parameters<OnSpan>) => stopwatch.add(...span),
          firstChunk: box.firstChunk,
          onProgress: ({ done }: Progress) => onProgress?.({ stage: 'Compressing', done: before + done, total: voxelBytes }),
        };
        const encode = async () => {
          if ('bytes' in voxels) return backend.encode(takeBox(voxels, box, scratch), box.chunks, choice, options);
          const first = box.firstChunk - slab.firstChunk;
          return backend.encodeFile?.(voxels, slab.chunks.slice(first, first + box.chunks.length), choice, options) ?? [];
        };
        const chunks = await stopwatch.time('encode', encode, byteLength);
        done += byteLength;
        await writing.end();
        waiting = chunks.slice(writtenChunks);
        writeWaiting();
      }
      if (!overlaps) reading.start(readNext);
    }
    await reader.end();
    await writing.end();
    throwIfAborted(signal);
    source = await volume.source();
    await stopwatch.time('write', () => writer.finish(source));
  } finally {
    // No read or write may be pending when the sink is closed or aborted.
    await Promise.all([reading.settle(), writing.settle()]);
    await reader.close();
  }

  const bytesIn = sourceBytes(info, source);
  return {
    bytesIn,
    voxelBytes,
    bytesOut: writer.bytesWritten,
    ratio: bytesIn / writer.bytesWritten,
    chunkCount: writer.grid.count,
    chunkShape: shape,
    chunks: tally.shares(),
    kernelTimes: clock.times(),
    device: backend.device,
  };
}

interface ReadSlab {
  readonly slab: Slab;
  /** A `FileBox` has not been read yet. */
  readonly voxels: VoxelBox | FileBox;
}
