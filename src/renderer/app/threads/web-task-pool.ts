import type { CpuTask, CpuTaskResult, TaskPool } from '../../../core/cpu/cpu-task.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import { abortable } from '../../../core/shared/abortable.ts';
import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';

type Done = Exclude<CpuTaskResult, { kind: 'fault' }>;

interface Waiting {
  readonly task: CpuTask;
  readonly resolve: (result: Done) => void;
  readonly reject: (error: StriaError) => void;
}

/** Web Workers that run one task at a time each, started on demand. */
export function createWebTaskPool(threads = Math.max(1, navigator.hardwareConcurrency)): TaskPool {
  const idle: Worker[] = [];
  const busy = new Map<Worker, Waiting>();
  const queue: Waiting[] = [];

  const start = (): Worker => {
    const worker = new Worker(new URL('./cpu.worker.ts', import.meta.url), { type: 'module', name: 'stria-cpu' });
    worker.onmessage = ({ data }: MessageEvent<CpuTaskResult>) => {
      const waiting = busy.get(worker);
      busy.delete(worker);
      idle.push(worker);
      if (data.kind === 'fault') waiting?.reject(faultFromData(data.fault));
      else waiting?.resolve(data);
      next();
    };
    worker.onerror = (event) => {
      busy.get(worker)?.reject(new StriaError('internal', `a CPU thread ended: ${event.message}`));
      busy.delete(worker);
      worker.terminate();
      next();
    };
    return worker;
  };

  const next = (): void => {
    const waiting = queue[0];
    if (!waiting) return;
    const worker = idle.pop() ?? (busy.size < threads ? start() : undefined);
    if (!worker) return;
    queue.shift();
    busy.set(worker, waiting);
    worker.postMessage(waiting.task, transferOf(waiting.task));
    next();
  };

  return {
    threads,
    tasksAhead: 3,
    isInline: false,
    // A page has no shared memory unless its server isolates it.
    sharesMemory: false,
    readsFiles: false,
    run: (task, signal) =>
      abortable<Done>(signal, (resolve, reject) => {
        throwIfAborted(signal);
        const waiting = { task, resolve, reject };
        queue.push(waiting);
        next();
        // A task that is running when the signal aborts is completed, and its result ignored. It is only a few chunks.
        return () => {
          const at = queue.indexOf(waiting);
          if (at >= 0) queue.splice(at, 1);
        };
      }),
    destroy: async () => {
      const ended = new StriaError('aborted', 'cancelled');
      for (const waiting of [...queue.splice(0), ...busy.values()]) waiting.reject(ended);
      for (const worker of [...idle.splice(0), ...busy.keys()]) worker.terminate();
      busy.clear();
    },
  };
}

/** The buffers that a task transfers. A view of only a part of a buffer is copied instead. */
function transferOf(task: CpuTask): ArrayBuffer[] {
  const chunks = (): readonly EncodedChunk[] => {
    if (task.kind === 'decode') return task.chunks;
    return task.kind === 'halve' ? task.blocks.flatMap(({ parts }) => parts.map(({ chunk }) => chunk)) : [];
  };
  const payloads = () => chunks().flatMap((chunk) => (chunk.kind === 'coded' ? [chunk.payload] : []));
  const given = task.kind === 'encode' && 'bytes' in task.box ? [task.box.bytes] : payloads();
  return given.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && byteLength === buffer.byteLength ? [buffer] : [],
  );
}
