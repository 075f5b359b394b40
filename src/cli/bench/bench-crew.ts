import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createCrew } from '../../core/bench/crew.ts';
import type { CrewThread } from '../../core/bench/crew-messages.ts';
import type { CpuCrew } from '../../core/bench/harness/context.ts';
import { StriaError } from '../../core/shared/errors.ts';

/** The built worker: beside the bundle, or in out/ when running from source, as tests do. */
function workerPath(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = ['bench-worker.js', '../bench-worker.js', '../../out/main/bench-worker.js'].map((place) => join(here, place));
  const found = places.find((place) => existsSync(place));
  if (!found) throw new StriaError('internal', `bench-worker.js is missing beside ${here}; run \`npm run build\``);
  return found;
}

/** As many worker threads as the machine has hardware threads. */
export async function openNodeCrew(): Promise<CpuCrew> {
  const path = workerPath();
  return createCrew(Array.from({ length: availableParallelism() }, () => startThread(path)));
}

function startThread(path: string): CrewThread {
  const worker = new Worker(path);
  return {
    ask: (message, transfer) =>
      new Promise((resolve, reject) => {
        const onError = (cause: unknown) => reject(new StriaError('internal', 'a CPU thread exited unexpectedly', { cause }));
        worker.once('error', onError);
        worker.once('message', (answer: number) => {
          worker.off('error', onError);
          resolve(answer);
        });
        worker.postMessage(message, transfer);
      }),
    end: async () => {
      await worker.terminate();
    },
  };
}
