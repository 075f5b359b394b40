import { ContainerReader } from '../format/container-reader.ts';
import { ContainerWriter } from '../format/container-writer.ts';
import type { ByteSink } from '../shared/bytes.ts';
import { inContext } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { sourceBytes } from '../shared/source.ts';
import { volumeBytes } from '../shared/volume.ts';
import { writingTo } from '../stream/pipeline.ts';
import { type PartInput, surveyParts } from './survey-parts.ts';

export interface MergeReport {
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

/** Payloads that are copied together, in bytes, and the number of chunks. */
const bytesTogether = 2 ** 24;
const chunksTogether = 4096;

/** Parts that stay open: pieces that lie side by side take turns in each row of chunks. */
const openParts = 128;

/**
 * Joins all parts of a volume into the container that compressing the whole volume at once gives, byte for byte. Payloads are
 * copied, not decoded. Memory is bounded: it holds a few numbers for each part and the index of the result. Nothing is written
 * before all parts have been checked. The sink is closed once everything is written, or aborted once if anything fails.
 * @throws StriaError `invalid-input` for parts that are missing, doubled or of different volumes; `corrupt` for a damaged part;
 * `not-readable`, `not-writable`, `aborted`
 */
export function mergeParts(inputs: readonly PartInput[], sink: ByteSink, job: JobOptions = {}): Promise<MergeReport> {
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
    });
    const parts = new OpenParts();
    for (const { file, first, count } of survey.spans) {
      const reader = await parts.reader(file);
      try {
        for (let number = first; number < first + count; ) {
          throwIfAborted(job.signal);
          const together = groupSize(reader, number, first + count);
          await writer.chunks(number, await reader.readChunks(number, together, { signal: job.signal }));
          number += together;
          job.onProgress?.({ stage: 'Merging', done: number, total: writer.grid.count });
        }
      } catch (error) {
        throw inContext(file.path, error);
      }
    }
    await writer.finish(description);
    return {
      partCount: inputs.length,
      chunkCount: writer.grid.count,
      voxelBytes: volumeBytes(header.volume),
      sourceBytes: sourceBytes(header.volume, description),
      bytesIn: survey.bytesIn,
      bytesOut: writer.bytesWritten,
      timesMs: { check: checked - start, total: performance.now() - start },
    };
  });
}

/** How many chunks to copy at once. */
function groupSize(reader: ContainerReader, first: number, end: number): number {
  let bytes = 0;
  let number = first;
  for (; number < end && number - first < chunksTogether && bytes < bytesTogether; number++) {
    const entry = reader.entry(number);
    if (entry.kind === 'coded') bytes += entry.recordLength;
  }
  return number - first;
}

/** Readers of the parts that were read last. */
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
