import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { CpuTask, CpuTaskResult, TaskPool } from '../core/cpu/cpu-task.ts';
import { abortable } from '../core/shared/abortable.ts';
import { faultFromData, StriaError } from '../core/shared/errors.ts';
import { throwIfAborted } from '../core/shared/job.ts';
import { AnsweringThread, leastBusy } from './answering-thread.ts';
import { builtFile } from './built-file.ts';
import { abortFlag, packTask } from './task-messages.ts';

type Thread = AnsweringThread<CpuTaskResult>;
type Done = Exclude<CpuTaskResult, { kind: 'fault' }>;

interface Waiting {
  readonly task: CpuTask;
  readonly signal: AbortSignal | undefined;
  readonly threads: number;
  readonly resolve: (result: Done) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A pool of worker threads. Each runs one task at a time, in the order of requests, with the next ones already queued. Threads
 * start as needed and end with `destroy`. If a thread dies, only its own tasks fail; the next task gets a new thread.
 * @param tasksAhead tasks at a thread, running or queued, so that it continues while this thread is busy
 */
export function createNodeTaskPool(threads: number = availableParallelism(), tasksAhead = 3): TaskPool {
  const path = builtFile('cpu-worker.js');
  const all = new Set<Thread>();
  const queue: Waiting[] = [];
  let destroyed = false;

  const startThread = (): Thread => {
    const thread: Thread = new AnsweringThread(path, {
      onAnswer: next,
      onExit() {
        all.delete(thread);
        next();
      },
    });
    all.add(thread);
    return thread;
  };

  const next = () => {
    while (!destroyed && queue.length > 0) {
      const most = Math.min(threads, queue[0]?.threads ?? threads);
      let thread = leastBusy(all);
      if (all.size < most && thread?.pending !== 0) thread = startThread();
      if (!thread || thread.pending >= tasksAhead) return;
      const waiting = queue.shift() as Waiting;
      if (waiting.signal?.aborted) {
        waiting.reject(new StriaError('aborted', 'cancelled'));
        continue;
      }
      const { task, signal, resolve, reject } = waiting;
      const { message, transfer } = packTask(task);
      thread.post({ task: message, abort: signal && abortFlag(signal) }, transfer, {
        resolve: (result) => (result.kind === 'fault' ? reject(faultFromData(result.fault)) : resolve(result)),
        reject,
      });
    }
  };

  return {
    threads,
    tasksAhead,
    isInline: false,
    sharesMemory: true,
    readsFiles: true,
    start(count) {
      while (!destroyed && all.size < Math.min(threads, count)) startThread();
    },
    run(task, signal, most = threads) {
      // One listener per running task is intended; Node warns from the eleventh on.
      if (signal) setMaxListeners(0, signal);
      return abortable<Done>(signal, (resolve, reject) => {
        if (destroyed) throw new StriaError('internal', 'the task pool was already destroyed');
        throwIfAborted(signal);
        queue.push({ task, signal, threads: most, resolve, reject });
        next();
        // A running task is a few chunks. It runs to its end, and its result is ignored. Queued ones do not begin.
        return () => {};
      });
    },
    destroy: async () => {
      destroyed = true;
      const ended = new StriaError('aborted', 'cancelled');
      for (const waiting of queue.splice(0)) waiting.reject(ended);
      for (const thread of all) thread.fail(ended);
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}
