// A thread that makes pieces of a sample: receives their numbers and answers with their voxels. The build makes it out/main/sample-worker.js.
import { parentPort, workerData } from 'node:worker_threads';
import { SamplePieces, type SampleRequest } from '../core/samples/sample-pieces.ts';

const pieces = new SamplePieces(workerData as SampleRequest);

parentPort?.on('message', (piece: number) => {
  const voxels = pieces.make(piece);
  parentPort?.postMessage(voxels, [voxels.buffer]);
});
