import { ChunkMemory } from '../../../core/cpu/chunk-memory.ts';
import type { CpuTask, CpuTaskResult } from '../../../core/cpu/cpu-task.ts';
import { CpuDesk, runCpuTask } from '../../../core/cpu/cpu-task-run.ts';

// One thread of the pool, which encodes and decodes chunks.

const desk = new CpuDesk(new ChunkMemory());

const scope = self as unknown as {
  onmessage: (event: MessageEvent<CpuTask>) => void;
  postMessage(message: CpuTaskResult, transfer?: Transferable[]): void;
};

scope.onmessage = ({ data }) => {
  const result = runCpuTask(data, desk);
  scope.postMessage(result, transferOf(result));
};

function transferOf(result: CpuTaskResult): ArrayBuffer[] {
  if (result.kind === 'fault') return [];
  if (result.kind === 'halve') return result.chunk.kind === 'coded' ? [result.chunk.payload.buffer as ArrayBuffer] : [];
  return result.voxels ? [result.voxels.buffer] : [];
}
