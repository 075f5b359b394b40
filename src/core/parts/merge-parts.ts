import type { Backend, EncodeChoice } from '../chunks/backend.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { ContainerWriter } from '../format/container-writer.ts';
import { type ContainerHeader, deflatedFeature } from '../format/header.ts';
import type { ByteSink } from '../shared/bytes.ts';
import { inContext } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { sourceBytes } from '../shared/source.ts';
import { volumeBytes } from '../shared/volume.ts';
import { groupSize } from '../stream/levels/copy-chunks.ts';
import type { LevelChoice } from '../stream/levels/level-choice.ts';
import { LevelMaker } from '../stream/levels/level-maker.ts';
import { LeveledCopy } from '../stream/levels/leveled-copy.ts';
import { type LevelCounts, noLevels } from '../stream/levels/leveled-writer.ts';
import { writingTo } from '../stream/pipeline.ts';
import { type PartInput, surveyParts } from './survey-parts.ts';

export interface MergeReport extends LevelCounts {
  readonly partCount: number;
  readonly chunkCount: number;
  readonly voxelBytes: number;
  /** Size of the uncompressed source. */
  readonly sourceBytes: number;
  /** Sizes of all parts together, and of the container. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly timesMs: { readonly check: number; readonly total: number };
}

/** The most parts that stay open: pieces that lie side by side alternate in each row of chunks. */
const openParts = 128;

/** The backend that makes levels of the merged volume, and its settings, as in `CompressSettings`. */
export interface MergeLevels {
  /** Opens the backend. Called only if there are levels to make. */
  readonly backend: () => Promise<Backend>;
  readonly choice: EncodeChoice;
  readonly levels: LevelChoice;
}

/**
 * Joins all parts of a volume into the container that compressing the whole volume at once gives, byte for byte. Payloads are
 * copied, and decoded only for levels. Memory is bounded: it holds a few numbers for each part, the index of the result, and for
 * levels the chunks of one slab and up to 64 MiB of encoded levels. Nothing is written
 * before all parts have been checked. The sink is closed once everything is written, or aborted once if anything fails.
 * @throws StriaError `invalid-input` for parts that are missing, given twice or of different volumes; `corrupt` for a damaged part;
 * `not-readable`, `not-writable`, `aborted`
 */
export function mergeParts(
  inputs: readonly PartInput[],
  sink: ByteSink,
  settings: MergeLevels | undefined,
  job: JobOptions = {},
): Promise<MergeReport> {
  return writingTo([sink], async () => {
    const start = performance.now();
    const survey = await surveyParts(inputs, job);
    const checked = performance.now();
    const { header, description } = survey;
    const writer = await ContainerWriter.create(sink, {
      volume: header.volume,
      chunkShape: header.chunkShape,
      sourceFormat: header.sourceFormat,
      stored: description.stored,
      deflatesSource: header.requires.includes(deflatedFeature),
    });
    const { maker, backend } = await levelsOf(header, settings);
    const copy = maker && backend && new LeveledCopy(writer, maker, backend, job);
    let counts = noLevels;
    const parts = new OpenParts();
    const total = volumeBytes(header.volume);
    try {
      for (const { file, first, count } of survey.spans) {
        const reader = await parts.reader(file);
        try {
          for (let number = first; number < first + count; ) {
            throwIfAborted(job.signal);
            const together = groupSize(reader, number, first + count);
            const chunks = await reader.readChunks(number, together, { signal: job.signal });
            if (copy) await copy.add(chunks);
            else await writer.chunks(number, chunks);
            number += together;
            job.onProgress?.({ stage: 'Merging', done: total * (number / writer.grid.count), total });
          }
        } catch (error) {
          throw inContext(file.path, error);
        }
      }
      if (copy) counts = await copy.finish(description);
      else await writer.finish(description);
    } finally {
      await copy?.close();
    }
    return {
      partCount: inputs.length,
      chunkCount: writer.grid.count,
      voxelBytes: volumeBytes(header.volume),
      sourceBytes: sourceBytes(header.volume, description),
      bytesIn: survey.bytesIn,
      bytesOut: writer.bytesWritten,
      ...counts,
      timesMs: { check: checked - start, total: performance.now() - start },
    };
  });
}

async function levelsOf({ volume, chunkShape }: ContainerHeader, settings: MergeLevels | undefined) {
  // Volumes that get no levels are merged without a backend.
  const wanted = settings && LevelMaker.plan(volume, chunkShape, settings.levels);
  if (!wanted) return {};
  const backend = await settings.backend();
  return { backend, maker: LevelMaker.create(volume, chunkShape, backend, settings.choice, settings.levels) };
}

/** Readers of the most recently read parts. */
class OpenParts {
  readonly #readers = new Map<PartInput, ContainerReader>();

  async reader(file: PartInput): Promise<ContainerReader> {
    const known = this.#readers.get(file);
    this.#readers.delete(file);
    const reader = known ?? (await this.#open(file));
    this.#readers.set(file, reader);
    for (const oldest of this.#readers.keys()) {
      if (this.#readers.size <= openParts) break;
      this.#readers.delete(oldest);
    }
    return reader;
  }

  async #open(file: PartInput): Promise<ContainerReader> {
    try {
      return await ContainerReader.open(await file.open());
    } catch (error) {
      throw inContext(file.path, error);
    }
  }
}
