import type { SinkMaker } from '../../../shared/bytes.ts';
import { StriaError } from '../../../shared/errors.ts';
import type { HalvingMethod } from '../../../shared/halving.ts';
import { type JobOptions, throwIfAborted } from '../../../shared/job.ts';
import { nextTurn } from '../../../shared/turn.ts';
import { type VolumeInfo, type VoxelArray, volumeBytes } from '../../../shared/volume.ts';
import { LevelWriter } from './level-writer.ts';
import { arrayDocument, type ChannelRange, imageDocument, zstdLevel } from './ome-documents.ts';
import { planImage } from './ome-zarr-plan.ts';

export interface OmeZarrSettings {
  /** The name of the image in its metadata. */
  readonly name: string;
  readonly method: HalvingMethod;
}

export interface OmeZarrWriter {
  /** Writes the volume's voxels in order, as little-endian bytes in pieces of any size. */
  push(bytes: Uint8Array): Promise<void>;
  /** Writes the rest, after all voxels. */
  end(): Promise<void>;
}

/** The interval at which cancellation is checked, in milliseconds. */
const turnMs = 50;

type Encode = (bytes: Uint8Array) => Promise<Uint8Array>;

let loading: Promise<Encode> | undefined;

/** Zstandard in WebAssembly, a dependency of zarrita. Loaded when the first image is written. */
function loadEncoder(): Promise<Encode> {
  loading ??= import('zarrita').then(async ({ registry }) => {
    const load = registry.get('zstd') as unknown as () => Promise<{
      fromConfig(configuration: object, meta: object): { encode: Encode };
    }>;
    const codec = (await load()).fromConfig({ level: zstdLevel }, { shape: [], dataType: 'uint8' });
    return (bytes) => codec.encode(bytes);
  });
  return loading;
}

/**
 * Writes a volume as OME-Zarr 0.5: Zarr v3 in shards, compressed with Zstandard, with smaller levels. Voxels are read once, and each
 * file is written sequentially, one after another. Memory holds the planes of one row of chunks per level, and a shard.
 * @param open opens the sink of a file, by its path in the image's folder
 * @throws StriaError `unsupported` for planes that are too large; errors of the sinks; `aborted`
 */
export async function createOmeZarrWriter(
  info: VolumeInfo,
  open: SinkMaker,
  { name, method }: OmeZarrSettings,
  { signal }: JobOptions = {},
): Promise<OmeZarrWriter> {
  const plan = planImage(info);
  const ranges = Array.from({ length: plan.channelCount }, () => ({ first: new Range(), last: new Range() }));
  let lastTurn = performance.now();
  const write = async (path: string, parts: readonly Uint8Array[]) => {
    const sink = await open(
      path,
      parts.reduce((sum, part) => sum + part.byteLength, 0),
    );
    for (const part of parts) await sink.write(part);
    await sink.close();
  };
  const levels = new LevelWriter(
    {
      plan,
      type: info.type,
      method,
      encode: await loadEncoder(),
      write,
      note: (level, channel, values) => ranges[channel]?.[level].add(values),
      breathe: async () => {
        if (performance.now() - lastTurn > turnMs) {
          await nextTurn();
          lastTurn = performance.now();
        }
        throwIfAborted(signal);
      },
    },
    0,
  );
  let given = 0;
  return {
    async push(bytes) {
      given += bytes.byteLength;
      await levels.push(bytes);
    },
    async end() {
      if (given !== volumeBytes(info)) throw new StriaError('internal', `${given} bytes were written of ${volumeBytes(info)}`);
      for (const level of plan.levels) await write(`${level.path}/zarr.json`, [json(arrayDocument(plan, level, info.type))]);
      const found = ranges.map(({ first, last }): ChannelRange => ({ whole: first.values(), shown: last.values() }));
      await write('zarr.json', [json(imageDocument(info, plan, name, method, found))]);
    },
  };
}

/** The smallest and the largest finite value. */
class Range {
  #low = Number.POSITIVE_INFINITY;
  #high = Number.NEGATIVE_INFINITY;

  add(values: VoxelArray): void {
    let [low, high] = [this.#low, this.#high];
    for (let at = 0; at < values.length; at++) {
      const value = values[at] as number;
      if (value < low && value !== Number.NEGATIVE_INFINITY) low = value;
      if (value > high && value !== Number.POSITIVE_INFINITY) high = value;
    }
    [this.#low, this.#high] = [low, high];
  }

  /** 0 and 1 if there is none. */
  values(): readonly [low: number, high: number] {
    return this.#low <= this.#high ? [this.#low, this.#high] : [0, 1];
  }
}

function json(document: object): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(document, undefined, 2)}\n`);
}
