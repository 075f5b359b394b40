import type { LentVoxels, OnSpan } from '../chunks/backend.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { type LentBytes, wholeWords } from '../gpu/lent-bytes.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { BoxPiece } from './box-pieces.ts';
import { guardedAtOnce } from './guarded.ts';

/** A box in GPU memory that goes to the CPU in pieces. When a piece is taken, the GPU begins to copy the next one. */
export class GpuSender implements LentVoxels {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #plain: GPUBuffer;
  readonly #pieces: readonly BoxPiece[];
  #count = 0;
  readonly #onSpan: OnSpan | undefined;
  /** The next piece. */
  #next: Promise<LentBytes> | undefined;

  /**
   * @param scope owns the buffer, and is destroyed by `release`
   * @param plain the voxels as a file holds them
   */
  constructor(gpu: Gpu, scope: GpuScope, plain: GPUBuffer, pieces: readonly BoxPiece[], onSpan?: OnSpan) {
    this.#gpu = gpu;
    this.#scope = scope;
    this.#plain = plain;
    this.#pieces = pieces;
    this.#onSpan = onSpan;
  }

  /** Copies the first piece. @throws StriaError `out-of-memory`, `device-lost` */
  async begin(): Promise<void> {
    this.#advance();
    await this.#next;
  }

  async *pieces(): AsyncGenerator<LentBytes> {
    while (this.#next) {
      const piece = await this.#next;
      this.#advance();
      yield piece;
    }
  }

  release(): void {
    this.#scope.destroy();
    const next = this.#next;
    this.#next = undefined;
    next?.then(({ release }) => release()).catch(() => {});
  }

  #advance(): void {
    const piece = this.#pieces[this.#count++];
    this.#next = piece && this.#lend(piece);
    // Whoever awaits it gets the error.
    this.#next?.catch(() => {});
  }

  async #lend({ at, length }: BoxPiece): Promise<LentBytes> {
    const start = performance.now();
    // `submit` makes all its calls before it awaits anything.
    const lent = await guardedAtOnce(this.#gpu, async () => {
      const commands = this.#gpu.commands('download');
      const lend = commands.lend(length, [{ buffer: this.#plain, offset: at, size: wholeWords(length), to: 0 }]);
      await commands.submit();
      return lend();
    });
    this.#onSpan?.('readback', start, performance.now(), length);
    return lent;
  }
}
