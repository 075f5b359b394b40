import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { OpenVolume } from '../core/io/common/volume-reader.ts';
import { openSample } from '../core/samples/sample.ts';
import type { SampleKind } from '../core/samples/sample-kinds.ts';
import { SamplePieces, type SampleRequest } from '../core/samples/sample-pieces.ts';
import { abortable } from '../core/shared/abortable.ts';
import type { StriaError } from '../core/shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../core/shared/job.ts';
import { volumeBytes } from '../core/shared/volume.ts';
import { AnsweringThread, leastBusy } from './answering-thread.ts';
import { builtFile } from './built-file.ts';

/** The samples that take longer to make than to write. Of the others, one thread makes at least 300 MB/s. */
const slowKinds: readonly SampleKind[] = ['phantom', 'labels'];
/** More threads make voxels faster than one thread writes them. */
const mostThreads = 32;
/** A thread takes about as long to start as to make this many bytes. */
const bytesPerThread = 4 * 2 ** 20;
/** Limits the memory of pieces that are made ahead of the reader. */
const mostBytesAhead = 256 * 2 ** 20;
/** So that a thread has its next piece to make while this thread is busy. */
const piecesAhead = 3;

/** As `openSample`, but threads make the voxels where that saves time. @param threads at most so many */
export function openSampleOnThreads(request: SampleRequest, threads: number = availableParallelism()): OpenVolume {
  const sample = openSample(request);
  const useful = slowKinds.includes(request.kind)
    ? Math.min(threads, mostThreads, Math.floor(volumeBytes(sample.info) / bytesPerThread))
    : 1;
  return useful > 1 ? { ...sample, voxels: (job) => piecesByThreads(request, useful, job) } : sample;
}

async function* piecesByThreads(request: SampleRequest, threads: number, { signal }: JobOptions = {}) {
  throwIfAborted(signal);
  // One listener per piece is intended; Node warns from the eleventh on.
  if (signal) setMaxListeners(0, signal);
  const { count, pieceBytes } = new SamplePieces(request);
  const most = Math.max(1, Math.min(piecesAhead * threads, Math.floor(mostBytesAhead / pieceBytes)));
  const crew = startCrew(Math.min(threads, most), request);
  try {
    const ahead: Promise<Uint8Array<ArrayBuffer>>[] = [];
    for (let next = 0; next < count || ahead.length > 0; ) {
      for (; next < count && ahead.length < most; next++) {
        const piece = crew.make(next, signal);
        // Its fault is thrown when its turn comes, or never if an earlier one is.
        piece.catch(() => {});
        ahead.push(piece);
      }
      const voxels = (await ahead.shift()) as Uint8Array<ArrayBuffer>;
      throwIfAborted(signal);
      yield voxels;
    }
  } finally {
    await crew.end();
  }
}

function startCrew(threads: number, request: SampleRequest) {
  const path = builtFile('sample-worker.js');
  let fault: StriaError | undefined;
  const onExit = (ofThread: StriaError) => {
    fault ??= ofThread;
  };
  const crew = Array.from(
    { length: threads },
    () => new AnsweringThread<Uint8Array<ArrayBuffer>>(path, { data: request, onExit }),
  );
  return {
    make: (piece: number, signal: AbortSignal | undefined) =>
      abortable<Uint8Array<ArrayBuffer>>(signal, (resolve, reject) => {
        throwIfAborted(signal);
        if (fault) throw fault;
        leastBusy(crew)?.post(piece, [], { resolve, reject });
        return () => {};
      }),
    end: () => Promise.all(crew.map((thread) => thread.end())),
  };
}
