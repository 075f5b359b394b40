import type { CpuTask, CpuTaskResult } from '../../core/engine/cpu-task.ts';
import { runCpuTask } from '../../core/engine/cpu-task-run.ts';

// One thread of the pool: encodes and decodes chunks with the reference codecs.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<CpuTask>) => void;
  postMessage(message: CpuTaskResult, transfer?: Transferable[]): void;
};

scope.onmessage = ({ data }) => {
  const result = runCpuTask(data);
  scope.postMessage(result, result.kind !== 'fault' && result.voxels ? [result.voxels.buffer] : []);
};
