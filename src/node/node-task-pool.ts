import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { CpuTask, CpuTaskResult, TaskPool } from '../core/cpu/cpu-task.ts';
import { abortable } from '../core/shared/abortable.ts';
import { faultFromData, StriaError } from '../core/shared/errors.ts';
import { throwIfAborted } from '../core/shared/job.ts';
import { builtFile } from './built-file.ts';
import { abortFlag, packTask } from './task-messages.ts';
import { threadFault } from './thread-fault.ts';

type Done = Exclude<CpuTaskResult, { kind: 'fault' }>;

interface Waiting {
  readonly task: CpuTask;
  readonly signal: AbortSignal | undefined;
  readonly threads: number;
  readonly resolve: (result: Done) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Tasks in posting order, which is also the order of the answers. */
  readonly work: Waiting[];
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
    const thread: Thread = { worker: new Worker(path), work: [] };
    all.add(thread);
    thread.worker.on('message', (result: CpuTaskResult) => {
      const work = thread.work.shift();
      if (result.kind === 'fault') work?.reject(faultFromData(result.fault));
      else work?.resolve(result);
      next();
    });
    let cause: unknown;
    thread.worker.on('error', (error) => {
      cause = error;
    });
    thread.worker.on('exit', (code) => {
      all.delete(thread);
      if (destroyed) return;
      for (const work of thread.work) work.reject(threadFault(cause, code));
      next();
    });
    return thread;
  };

  const leastBusy = () => {
    let least: Thread | undefined;
    for (const thread of all) if (!least || thread.work.length < least.work.length) least = thread;
    return least;
  };

  const next = () => {
    while (!destroyed && queue.length > 0) {
      const most = Math.min(threads, queue[0]?.threads ?? threads);
      let thread = leastBusy();
      if (all.size < most && thread?.work.length !== 0) thread = startThread();
      if (!thread || thread.work.length >= tasksAhead) return;
      const waiting = queue.shift() as Waiting;
      if (waiting.signal?.aborted) {
        waiting.reject(new StriaError('aborted', 'cancelled'));
        continue;
      }
      thread.work.push(waiting);
      const { message, transfer } = packTask(waiting.task);
      thread.worker.postMessage({ task: message, abort: waiting.signal && abortFlag(waiting.signal) }, transfer);
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
      for (const { work } of all) for (const waiting of work) waiting.reject(ended);
      await Promise.all([...all].map(({ worker }) => worker.terminate()));
    },
  };
}
