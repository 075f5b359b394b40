import { HostBricks } from '../../../core/bricks/host-bricks.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { BrickFile } from '../../viewer/draw/brick-space.ts';
import type { BrickBudgets } from '../state/brick-budgets.ts';
import { type BrickWorker, PostedBricks } from './posted-bricks.ts';

/** The bricks of the open file, read by a worker that starts when they are first needed. They outlive the GPU device. */
export class FileBricks implements BrickFile {
  readonly limits: BrickFile['limits'];
  readonly hostBytes: number;
  readonly #start: () => BrickWorker;
  #opening: Promise<{ readonly source: PostedBricks; readonly host: HostBricks }> | undefined;
  #worker: BrickWorker | undefined;
  #isClosed = false;

  /** @param start starts a worker that opens its file */
  constructor({ hostBytes, ...limits }: BrickBudgets, start: () => BrickWorker) {
    this.limits = limits;
    this.hostBytes = hostBytes;
    this.#start = start;
  }

  async open(): Promise<HostBricks> {
    if (this.#isClosed) throw new StriaError('aborted', 'cancelled');
    this.#opening ??= this.#opened();
    // The next call tries again.
    this.#opening.catch(() => {
      this.#opening = undefined;
    });
    return (await this.#opening).host;
  }

  /** Cancels pending reads, and frees everything. */
  close(): void {
    this.#isClosed = true;
    this.#worker?.terminate();
    void this.#opening?.then(
      ({ source, host }) => {
        host.close();
        source.close();
      },
      () => {},
    );
  }

  async #opened() {
    this.#worker = this.#start();
    const source = await PostedBricks.open(this.#worker);
    return { source, host: new HostBricks(source, { bytes: this.hostBytes }) };
  }
}
