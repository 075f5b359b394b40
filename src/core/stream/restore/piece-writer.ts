import type { LentBytes } from '../../gpu/lent-bytes.ts';
import type { ByteSink } from '../../shared/bytes.ts';
import { useLent } from '../../shared/lent-parts.ts';

/** Where voxels are written. */
export type VoxelSink = Pick<ByteSink, 'write' | 'writesAtOnce'>;

/** Writes lent pieces in order, as many at once as the sink takes. */
export class PieceWriter {
  readonly #sink: VoxelSink;
  readonly #underWay = new Set<Promise<void>>();
  /** The error of the first write that failed. */
  #fault: unknown;

  constructor(sink: VoxelSink) {
    this.#sink = sink;
  }

  /** Begins to write a piece. Resolves at the end of the write, also if it failed, when the piece is released. */
  write({ bytes, release }: LentBytes): Promise<void> {
    const write = async () => useLent([bytes], () => this.#sink.write(bytes));
    const written = write()
      .finally(release)
      .catch((error: unknown) => {
        this.#fault ??= error;
      })
      .finally(() => this.#underWay.delete(written));
    this.#underWay.add(written);
    return written;
  }

  /** Waits until the sink takes another write. @throws as `check` */
  async ready(): Promise<void> {
    const { writesAtOnce = 1 } = this.#sink;
    while (this.#fault === undefined && this.#underWay.size >= writesAtOnce) await Promise.race(this.#underWay);
    this.check();
  }

  /** @throws the error of the first write that failed: of the sink, or StriaError `device-lost` */
  check(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }
}
