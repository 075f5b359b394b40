import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import { portsOf } from '../loading/load-protocol.ts';
import { type OpenRequest, toPosted } from '../loading/load-resident.ts';
import type { FileMeasurer, FileResultOf, FileTask, FileTaskOf } from './file-task.ts';
import type { FileTaskAnswer, FileTaskRequest } from './file-task-protocol.ts';

/**
 * Measures a volume at full resolution: a worker of its own reads the volume's file.
 * @throws StriaError like the readers, and `aborted`
 */
export async function measureFile<K extends FileTask['kind']>(
  request: OpenRequest,
  task: FileTaskOf<K>,
  { signal, onProgress }: JobOptions,
): Promise<FileResultOf<K>> {
  const worker = new Worker(new URL('./file-task.worker.ts', import.meta.url), { type: 'module', name: 'stria-measure' });
  try {
    const answer = await new Promise<Exclude<FileTaskAnswer, { kind: 'progress' }>>((resolve, reject) => {
      const abort = () => reject(new StriaError('aborted', 'cancelled'));
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort, { once: true });
      worker.onerror = (event) => reject(new StriaError('internal', `the measuring thread ended: ${event.message}`));
      worker.onmessage = ({ data }: MessageEvent<FileTaskAnswer>) => {
        if (data.kind !== 'progress') resolve(data);
        else if (!signal?.aborted) onProgress?.(data.progress);
      };
      const posted: FileTaskRequest = { request: toPosted(request), task: task as FileTask };
      worker.postMessage(posted, portsOf(posted.request));
    });
    if (answer.kind === 'fault') throw faultFromData(answer.fault);
    // The worker answers the task that it was given.
    return answer.result as FileResultOf<K>;
  } finally {
    worker.terminate();
  }
}

/** Measures the volume of a request. @param requestOf undefined once the volume is no longer open; the measurer then throws `aborted` */
export function measurerOf(requestOf: () => OpenRequest | undefined): FileMeasurer {
  return async (task, job) => {
    const request = requestOf();
    if (!request) throw new StriaError('aborted', 'the volume is no longer open');
    return measureFile(request, task, job);
  };
}
