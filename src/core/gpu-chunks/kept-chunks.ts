import { codedChunk } from '../chunks/choose.ts';
import { checksum, sameChecksum } from '../format/checksum.ts';
import type { ChunkOutline, CodedChunk, EncodedChunk } from '../format/chunk.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { takeLent } from '../gpu/lent-bytes.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { StriaError, toStriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { totalOf } from '../shared/total.ts';
import { nextTurn } from '../shared/turn.ts';
import { type GatheredPayloads, gatherPayloads } from './gpu-payloads.ts';
import { guardedAtOnce } from './guarded.ts';
import { outlineOf, type PlacedChunk, type PlacedCodedChunk } from './placed-chunk.ts';

/** Bytes of a piece, which the thread copies in about two milliseconds. */
const standardPieceBytes = 2 ** 22;

/** Encoded chunks whose payloads are in GPU memory. Free them with `release`. */
export class KeptChunks {
  readonly placed: readonly PlacedChunk[];
  /** Of the payloads. */
  readonly byteLength: number;
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;

  /** @param scope owns the payloads' buffers */
  constructor(gpu: Gpu, scope: GpuScope, placed: readonly PlacedChunk[]) {
    this.#gpu = gpu;
    this.#scope = scope;
    this.placed = placed;
    this.byteLength = totalOf(placed.map((chunk) => (chunk.kind === 'coded' ? chunk.byteLength : 0)));
  }

  outlines(): ChunkOutline[] {
    return this.placed.map(outlineOf);
  }

  /**
   * Copies the payloads to host memory, in pieces between which the thread does other work, and compares them with their checksums.
   * @throws StriaError `internal` if a payload differs, `out-of-memory`, `aborted`, `device-lost`
   */
  async read({ signal }: Pick<JobOptions, 'signal'>, pieceBytes = standardPieceBytes): Promise<readonly EncodedChunk[]> {
    const payloads = this.placed.filter((chunk) => chunk.kind === 'coded');
    const pieces = piecesOf(payloads, pieceBytes);
    const read = new Map<PlacedChunk, CodedChunk>();
    const begin = (piece: readonly PlacedCodedChunk[] | undefined) => {
      // Once aborted, the buffers may hold something else.
      if (!piece || signal?.aborted) return undefined;
      const gathered = guardedAtOnce(this.#gpu, () => gatherPayloads(this.#gpu, piece, {}));
      // Whoever awaits it gets the error.
      gathered.catch(() => {});
      return gathered;
    };
    let next = begin(pieces[0]);
    try {
      for (const [index, piece] of pieces.entries()) {
        throwIfAborted(signal);
        const gathered = await (next as Promise<GatheredPayloads>).catch((error: unknown) => {
          if (toStriaError(error).tag !== 'out-of-memory') throw error;
          // Spare buffers have been freed, so there may be memory now.
          throwIfAborted(signal);
          return begin(piece) as Promise<GatheredPayloads>;
        });
        next = begin(pieces[index + 1]);
        for (const [at, chunk] of (await readPiece(piece, gathered)).entries()) read.set(piece[at] as PlacedCodedChunk, chunk);
        await nextTurn();
      }
      throwIfAborted(signal);
    } finally {
      // Of a piece that nobody reads after an error.
      next?.then(({ lent }) => lent?.release()).catch(() => {});
    }
    return this.placed.map((chunk) => (chunk.kind === 'coded' ? (read.get(chunk) as CodedChunk) : chunk));
  }

  release(): void {
    this.#scope.destroy();
  }
}

/** Consecutive payloads, at most `pieceBytes` together or a single one. */
function piecesOf(payloads: readonly PlacedCodedChunk[], pieceBytes: number): PlacedCodedChunk[][] {
  const pieces: PlacedCodedChunk[][] = [];
  let room = 0;
  for (const payload of payloads) {
    if (payload.byteLength > room) {
      pieces.push([]);
      room = pieceBytes;
    }
    pieces.at(-1)?.push(payload);
    room -= payload.byteLength;
  }
  return pieces;
}

async function readPiece(piece: readonly PlacedCodedChunk[], { lent, byteOffsets }: GatheredPayloads): Promise<CodedChunk[]> {
  if (!lent) return [];
  let own = new Uint8Array();
  await takeLent(lent, (bytes) => {
    own = bytes.slice();
  });
  return piece.map((chunk, i) => {
    const at = byteOffsets[i] as number;
    const payload = own.subarray(at, at + chunk.byteLength);
    const found = checksum(payload);
    if (chunk.checksum && !sameChecksum(found, chunk.checksum)) {
      throw new StriaError('internal', 'compressed bytes changed on their way from GPU memory; the result was discarded');
    }
    return codedChunk(chunk.stages, payload, chunk.decodedChecksum, found);
  });
}
