import type { OpenVolume } from '../io/common/volume-reader.ts';
import { StriaError } from '../shared/errors.ts';

/** Reads a volume's voxels in order. */
export interface VoxelReader {
  /** Skips bytes. @throws as `fill` */
  skip(byteLength: number): Promise<void>;
  /** Fills `target`, which must start its buffer, with the next bytes. @throws StriaError `corrupt` if the voxels end early */
  fill(target: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Reads to the end. @throws StriaError if voxels are left */
  end(): Promise<void>;
  close(): Promise<void>;
}

/** Reads directly into the target if the volume supports random access, otherwise from a stream. */
export function readVoxels(volume: Pick<OpenVolume, 'voxels' | 'fill'>, signal?: AbortSignal): VoxelReader {
  return volume.fill ? directReader(volume.fill, signal) : new StreamReader(volume.voxels({ signal, reuse: true }));
}

function directReader(fill: NonNullable<OpenVolume['fill']>, signal: AbortSignal | undefined): VoxelReader {
  let at = 0;
  return {
    async skip(byteLength) {
      at += byteLength;
    },
    async fill(target) {
      await fill(target, at, { signal });
      at += target.byteLength;
    },
    async end() {},
    async close() {},
  };
}

/** Cuts a stream of pieces of any size. */
class StreamReader implements VoxelReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array(0);

  constructor(voxels: AsyncIterable<Uint8Array>) {
    this.#pieces = voxels[Symbol.asyncIterator]();
  }

  async skip(byteLength: number): Promise<void> {
    for (let left = byteLength; left > 0; ) left -= (await this.#take(left)).byteLength;
  }

  async fill(target: Uint8Array): Promise<void> {
    for (let filled = 0; filled < target.byteLength; ) {
      const part = await this.#take(target.byteLength - filled);
      target.set(part, filled);
      filled += part.byteLength;
    }
  }

  async end(): Promise<void> {
    let left = this.#piece.byteLength;
    for (let next = await this.#pieces.next(); !next.done; next = await this.#pieces.next()) left += next.value.byteLength;
    if (left > 0) throw new StriaError('internal', `the reader gave ${left} bytes more than the volume has`);
  }

  async close(): Promise<void> {
    await this.#pieces.return?.()?.catch(() => {});
  }

  /** At least one of the next bytes and at most `wanted`; valid until the next call. */
  async #take(wanted: number): Promise<Uint8Array> {
    while (this.#piece.byteLength === 0) {
      const next = await this.#pieces.next();
      if (next.done) throw new StriaError('corrupt', `the voxels end ${wanted} bytes early`);
      this.#piece = next.value;
    }
    const part = this.#piece.subarray(0, wanted);
    this.#piece = this.#piece.subarray(part.byteLength);
    return part;
  }
}
