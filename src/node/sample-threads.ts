import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { OpenVolume } from '../core/io/common/volume-reader.ts';
import { openSample } from '../core/samples/sample.ts';
import type { SampleKind } from '../core/samples/sample-kinds.ts';
import { SamplePieces, type SampleRequest } from '../core/samples/sample-pieces.ts';
import { abortable } from '../core/shared/abortable.ts';
import type { StriaError } from '../core/shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../core/shared/job.ts';
import { volumeBytes } from '../core/shared/volume.ts';
import { builtFile } from './built-file.ts';
import { threadFault } from './thread-fault.ts';

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

interface Thread {
  readonly worker: Worker;
  /** Pieces in posting order, which is also the order of the answers. */
  readonly work: { readonly resolve: (voxels: Uint8Array<ArrayBuffer>) => void; readonly reject: (fault: unknown) => void }[];
}

function startCrew(threads: number, request: SampleRequest) {
  const path = builtFile('sample-worker.js');
  let fault: StriaError | undefined;
  const crew = Array.from({ length: threads }, (): Thread => {
    const thread: Thread = { worker: new Worker(path, { workerData: request }), work: [] };
    let cause: unknown;
    thread.worker.on('message', (voxels: Uint8Array<ArrayBuffer>) => thread.work.shift()?.resolve(voxels));
    thread.worker.on('error', (error) => {
      cause = error;
    });
    thread.worker.on('exit', (code) => {
      fault ??= threadFault(cause, code);
      for (const { reject } of thread.work) reject(fault);
    });
    return thread;
  });
  return {
    make: (piece: number, signal: AbortSignal | undefined) =>
      abortable<Uint8Array<ArrayBuffer>>(signal, (resolve, reject) => {
        throwIfAborted(signal);
        if (fault) throw fault;
        const least = crew.reduce((one, other) => (other.work.length < one.work.length ? other : one));
        least.work.push({ resolve, reject });
        least.worker.postMessage(piece);
        return () => {};
      }),
    end: () => Promise.all(crew.map(({ worker }) => worker.terminate())),
  };
}
