import { faultToData, inContext } from '../../../core/shared/errors.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import { voxelsOfContainer, voxelsOfFile, voxelsOfLevels } from '../../../core/volume/levels/file-region.ts';
import type { LoadRequest } from '../loading/load-protocol.ts';
import { containerRequested, leveledRequested, openRequested } from '../loading/open-request.ts';
import { throttleProgress } from '../state/progress.ts';
import { type FileResult, type FileTask, performTask } from './file-task.ts';
import type { FileTaskAnswer, FileTaskRequest } from './file-task-protocol.ts';

// Measures one file at full resolution, for volumes that are only partly in GPU memory. One worker per task; terminating it cancels.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<FileTaskRequest>) => void;
  postMessage(answer: FileTaskAnswer): void;
};

scope.onmessage = ({ data: { request, task } }) => {
  const onProgress = throttleProgress((progress) => scope.postMessage({ kind: 'progress', progress }));
  perform(request, task, { onProgress }).then(
    (result) => scope.postMessage({ kind: 'found', result }),
    (error: unknown) => scope.postMessage({ kind: 'fault', fault: faultToData(error) }),
  );
};

async function perform(request: LoadRequest, task: FileTask, job: JobOptions): Promise<FileResult> {
  const container = await containerRequested(request);
  if (!container) {
    const volume = await openRequested(request);
    // A region needs only boxes of the file. The other tasks read all of it, which is fastest in the file's order.
    const boxes = task.kind === 'region' && volume.leveled && (await leveledRequested(volume));
    return performTask(boxes ? voxelsOfLevels(volume.info, boxes) : voxelsOfFile(volume), task, job);
  }
  try {
    return await performTask(voxelsOfContainer(container.reader), task, job);
  } catch (error) {
    throw inContext(container.source.name, error);
  }
}
