import { faultFromData } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import type { TaskPool } from './cpu-task.ts';
import { runCpuTask } from './cpu-task-run.ts';
import { nextTurn } from './turn.ts';

/** A pool without threads: tasks run where they are asked for, one a turn of the event loop, so that an abort is heard. */
export function inlinePool(): TaskPool {
  return {
    threads: 1,
    async run(task, signal) {
      await nextTurn();
      throwIfAborted(signal);
      const result = runCpuTask(task);
      if (result.kind === 'fault') throw faultFromData(result.fault);
      return result;
    },
    async destroy() {},
  };
}
