// One CPU thread of the pool: receives a task and answers with its result. The build makes it out/main/cpu-worker.js.
import { parentPort } from 'node:worker_threads';
import { ChunkMemory } from '../core/cpu/chunk-memory.ts';
import type { CpuTask } from '../core/cpu/cpu-task.ts';
import { CpuDesk, runCpuTask } from '../core/cpu/cpu-task-run.ts';
import { readSharedFile } from './shared-file.ts';
import { packResult } from './task-messages.ts';

const desk = new CpuDesk(new ChunkMemory(), readSharedFile);

parentPort?.on('message', (task: CpuTask) => {
  const { message, transfer } = packResult(runCpuTask(task, desk));
  parentPort?.postMessage(message, transfer);
});
