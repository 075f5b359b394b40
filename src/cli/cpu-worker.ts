// One CPU thread of the pool: takes a task, answers with its result. The build makes it out/main/cpu-worker.js.
import { parentPort } from 'node:worker_threads';
import type { CpuTask } from '../core/engine/cpu-task.ts';
import { runCpuTask } from '../core/engine/cpu-task-run.ts';
import { packResult } from './task-messages.ts';

parentPort?.on('message', (task: CpuTask) => {
  const { message, transfer } = packResult(runCpuTask(task));
  parentPort?.postMessage(message, transfer);
});
