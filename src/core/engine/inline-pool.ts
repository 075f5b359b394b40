import { faultFromData } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import type { TaskPool } from './cpu-task.ts';
import { runCpuTask } from './cpu-task-run.ts';

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

/** Timers and messages are heard between two awaits of this; promises alone never let them in. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
