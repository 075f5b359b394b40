// One CPU thread of the pool: receives a task and answers with its result. The build makes it out/main/cpu-worker.js.
import { parentPort } from 'node:worker_threads';
import { ChunkMemory } from '../core/cpu/chunk-memory.ts';
import type { CpuTaskResult } from '../core/cpu/cpu-task.ts';
import { CpuDesk, runCpuTask } from '../core/cpu/cpu-task-run.ts';
import { faultToData, StriaError } from '../core/shared/errors.ts';
import { readSharedFile } from './shared-file.ts';
import { packResult, type TaskMessage } from './task-messages.ts';

const desk = new CpuDesk(new ChunkMemory(), readSharedFile);
const cancelled: CpuTaskResult = { kind: 'fault', fault: faultToData(new StriaError('aborted', 'cancelled')) };

parentPort?.on('message', ({ task, abort }: TaskMessage) => {
  const isCancelled = abort !== undefined && Atomics.load(abort, 0) !== 0;
  const { message, transfer } = packResult(isCancelled ? cancelled : runCpuTask(task, desk));
  parentPort?.postMessage(message, transfer);
});
