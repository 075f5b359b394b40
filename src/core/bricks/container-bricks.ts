import type { EncodedChunk } from '../format/chunk.ts';
import type { ContainerReader } from '../format/container-reader.ts';
import { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import type { VolumeInfo } from '../shared/volume.ts';
import type { Brick } from './brick.ts';
import type { BrickLevel, BrickPlace, BrickSource } from './brick-source.ts';

/** The bricks of a container, from a file or an address. */
export class ContainerBricks implements BrickSource {
  readonly info: VolumeInfo;
  readonly levels: readonly BrickLevel[];
  readonly #readers: readonly ContainerReader[];

  private constructor(readers: readonly ContainerReader[]) {
    const [volume] = readers as [ContainerReader];
    this.info = volume.header.volume;
    this.#readers = readers;
    this.levels = readers.map(({ grid, level }) => ({ grid, factors: level?.factors ?? [1, 1, 1] }));
  }

  /**
   * @throws StriaError `unsupported` if chunks hold several time points; `corrupt` for damaged levels; `not-readable`, `aborted`
   */
  static async open(reader: ContainerReader, options?: JobOptions): Promise<ContainerBricks> {
    if (reader.grid.timePointsPerChunk > 1) {
      throw new StriaError('unsupported', 'its chunks hold several time points each, so its bricks cannot be read one by one');
    }
    return new ContainerBricks([reader, ...(await reader.levels(options))]);
  }

  place({ level, number }: Brick): BrickPlace {
    const entry = this.#reader(level).entry(number);
    if (entry.kind !== 'coded') return { payloadBytes: 0 };
    return { payloadBytes: entry.payloadLength, range: { offset: entry.recordOffset, length: entry.recordLength } };
  }

  read(bricks: readonly Brick[], options?: JobOptions): Promise<readonly (EncodedChunk | StriaError)[]> {
    const numbers = bricks.map(({ number }) => number);
    return this.#reader(bricks[0]?.level ?? 0).readTogether(numbers, options);
  }

  #reader(level: number): ContainerReader {
    const reader = this.#readers[level];
    if (!reader) throw new StriaError('internal', `there is no level ${level}`);
    return reader;
  }
}
