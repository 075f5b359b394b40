import type { Backend, EncodeChoice } from '../../chunks/backend.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import { ContainerWriter } from '../../format/container-writer.ts';
import { deflatedFeature } from '../../format/header.ts';
import { partName } from '../../format/part.ts';
import type { ByteSink } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { HalvingMethod } from '../../shared/halving.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { volumeBytes } from '../../shared/volume.ts';
import { lostWords } from '../damage-list.ts';
import { writingTo } from '../pipeline.ts';
import { groupSize } from './copy-chunks.ts';
import { LevelMaker } from './level-maker.ts';
import { LeveledCopy } from './leveled-copy.ts';
import { type LevelCounts, noLevels } from './leveled-writer.ts';

export interface RewriteSettings {
  readonly backend: Backend;
  /** How the levels' chunks are encoded. */
  readonly choice: EncodeChoice;
  /** `remove`: the new file has none. Undefined: levels of the method that the voxels suggest. */
  readonly levels: HalvingMethod | 'remove' | undefined;
}

export interface RewriteReport extends LevelCounts {
  readonly bytesOut: number;
}

/**
 * Writes a container again with levels or without them. Its chunks are copied as they are; levels that it has are not. The sink
 * is closed once everything is written, or aborted once if anything fails.
 * @throws StriaError `invalid-input` if the file can have no levels; `corrupt`, `not-readable`, `not-writable`, `aborted`
 */
export function rewriteLevels(
  container: ContainerReader,
  sink: ByteSink,
  { backend, choice, levels }: RewriteSettings,
  job: JobOptions = {},
): Promise<RewriteReport> {
  return writingTo([sink], async () => {
    const { volume, chunkShape, sourceFormat, writer: writtenBy, part, levelsOf, requires } = container.header;
    if (part) throw new StriaError('invalid-input', `the file holds only ${partName(part, volume.type)}, which has no levels`);
    if (container.lostCount > 0 && levels !== 'remove') throw new StriaError('invalid-input', lostWords(container));
    const source = await container.sourceDescription(job);
    const { stored } = source;
    const maker = levels === 'remove' ? undefined : LevelMaker.create(volume, chunkShape, backend, choice, levels ?? true);
    const writer = await ContainerWriter.create(sink, {
      volume,
      chunkShape,
      sourceFormat,
      stored,
      writer: writtenBy,
      levelsOf,
      deflatesSource: requires.includes(deflatedFeature),
    });
    const copy = maker && new LeveledCopy(writer, maker, backend, job);
    let counts = noLevels;
    const total = container.chunkCount;
    const bytes = volumeBytes(container.header.volume);
    try {
      for (let number = 0; number < total; ) {
        throwIfAborted(job.signal);
        const together = groupSize(container, number, total);
        const chunks = await container.readChunks(number, together, job);
        if (copy) await copy.add(chunks);
        else await writer.chunks(number, chunks);
        number += together;
        job.onProgress?.({ stage: maker ? 'Making levels' : 'Copying', done: bytes * (number / total), total: bytes });
      }
      if (copy) counts = await copy.finish(source);
      else await writer.finish(source);
    } finally {
      await copy?.close();
    }
    return { ...counts, bytesOut: writer.bytesWritten };
  });
}
