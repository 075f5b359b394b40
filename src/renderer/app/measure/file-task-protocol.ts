import type { FaultData } from '../../../core/shared/errors.ts';
import type { Progress } from '../../../core/shared/job.ts';
import type { LoadRequest } from '../loading/load-protocol.ts';
import type { FileResult, FileTask } from './file-task.ts';

/** To the worker: a task and its volume. The worker answers once, after any number of progress reports. */
export interface FileTaskRequest {
  readonly request: LoadRequest;
  readonly task: FileTask;
}

export type FileTaskAnswer =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'found'; readonly result: FileResult }
  | { readonly kind: 'fault'; readonly fault: FaultData };
