import type { Backend, EncodeChoice } from '../chunks/backend.ts';
import type { CodecOptions } from '../codec/codec.ts';
import { chainByName } from '../codecs/registry.ts';
import type { ChunkShape } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { type ByteSink, memorySink, memorySource } from '../shared/bytes.ts';
import type { JobOptions } from '../shared/job.ts';
import type { SourceDescription } from '../shared/source.ts';
import { type Dims4, type ElementType, type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import { compressVolume } from './compress/compress.ts';
import type { CompressReport } from './compress/compress-contract.ts';
import type { LevelChoice } from './levels/level-choice.ts';
import type { LevelLimits } from './levels/leveled-writer.ts';
import { memoryVolume } from './memory-volume.ts';
import { restoreVolume } from './restore/restore.ts';

// Helpers for the tests of this folder.

export const auto: EncodeChoice = { codec: 'auto', options: { axis: 'auto' } };

export function only(
  codec: string,
  axis: CodecOptions['axis'] = 'auto',
  effort: CodecOptions['effort'] = 'normal',
): EncodeChoice {
  return { codec: chainByName(codec), options: { axis, effort } };
}

export function infoOf(dims: Dims4, type: ElementType): VolumeInfo {
  return {
    dims,
    type,
    spacing: [1, 1, 1, 1],
    spatialUnit: 'mm',
    timeUnit: 'unknown',
    affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
    slope: 1,
    intercept: 0,
  };
}

/** The pattern of a test's voxels. 'blobs' mixes runs, constant chunks and noise. */
export type Look = 'constant' | 'noise' | 'blobs';

export function voxelsOf(info: VolumeInfo, look: Look, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(volumeBytes(info));
  const width = bytes.length / (info.dims[0] * info.dims[1] * info.dims[2] * info.dims[3]);
  if (look === 'constant') return bytes.map((_, at) => 0x5a + (at % width));
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 16;
  };
  for (let at = 0; at < bytes.length; at++) {
    if (look === 'noise') bytes[at] = random();
    else {
      const part = at / bytes.length;
      bytes[at] =
        part < 0.5 ? 0 : part < 0.7 ? Math.floor(at / (13 * width)) % 5 : part < 0.9 && random() % 7 !== 0 ? 3 : random();
    }
  }
  return bytes;
}

export interface CompressedFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly report: CompressReport;
}

export async function compressBytes(
  backend: Backend,
  info: VolumeInfo,
  voxels: Uint8Array,
  options: {
    choice?: EncodeChoice;
    chunkShape?: ChunkShape;
    levels?: LevelChoice;
    levelLimits?: LevelLimits;
    source?: SourceDescription;
    job?: JobOptions;
  } = {},
): Promise<CompressedFile> {
  const sink = watchedSink();
  const { choice = auto, chunkShape, levels, levelLimits, source, job } = options;
  const settings = { backend, choice, chunkShape, levels, levelLimits };
  const report = await compressVolume(memoryVolume(info, voxels, source), sink, settings, job);
  if (sink.closed !== 1 || sink.aborted !== 0) throw new Error(`the sink was closed ${sink.closed} times`);
  return { bytes: sink.bytes(), report };
}

/** The files that a container is restored to, by name. */
export async function restoreBytes(
  backend: Backend,
  container: Uint8Array,
  settings: Partial<Parameters<typeof restoreVolume>[2]> = {},
): Promise<Map<string, Uint8Array>> {
  const sinks = new Map<string, ReturnType<typeof watchedSink>>();
  const reader = await ContainerReader.open(memorySource('test.stria', container));
  const makeSink = async (name: string) => {
    const sink = watchedSink();
    sinks.set(name, sink);
    return sink;
  };
  try {
    await restoreVolume(reader, makeSink, { backend, baseName: 'test', ...settings });
  } catch (error) {
    for (const { aborted, closed } of sinks.values())
      if (aborted !== 1 || closed !== 0) throw new Error('a sink was neither closed nor aborted');
    throw error;
  }
  return new Map([...sinks].map(([name, sink]) => [name, sink.bytes()]));
}

export interface WatchedSink extends ByteSink {
  readonly written: number;
  readonly closed: number;
  readonly aborted: number;
  bytes(): Uint8Array<ArrayBuffer>;
}

/** A sink in memory that counts calls, and fails after `capacity` bytes. */
export function watchedSink(capacity = Number.POSITIVE_INFINITY, full: () => Error = () => new Error('full')): WatchedSink {
  const sink = memorySink();
  const counts = { written: 0, closed: 0, aborted: 0 };
  return {
    get written() {
      return counts.written;
    },
    get closed() {
      return counts.closed;
    },
    get aborted() {
      return counts.aborted;
    },
    bytes: () => sink.bytes(),
    async write(bytes) {
      if (counts.closed + counts.aborted > 0) throw new Error('written after it was closed');
      if (counts.written + bytes.byteLength > capacity) throw full();
      counts.written += bytes.byteLength;
      await sink.write(bytes);
    },
    async close() {
      counts.closed++;
    },
    async abort() {
      counts.aborted++;
      await sink.abort();
    },
  };
}
