import type { ReadSharedFile } from '../shared/bytes.ts';
import { faultFromData } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { nextTurn } from '../shared/turn.ts';
import { ChunkMemory } from './chunk-memory.ts';
import type { TaskPool } from './cpu-task.ts';
import { CpuDesk, runCpuTask } from './cpu-task-run.ts';

/** Yields to the event loop at least this often, so that an abort takes effect, reads and writes continue, and other threads get their next tasks. */
const turnMs = 1;

/** A pool without threads: tasks run on the caller's thread. @param readFile if undefined, tasks cannot have voxels in a file */
export function inlinePool(readFile?: ReadSharedFile): TaskPool {
  const desk = new CpuDesk(new ChunkMemory(), readFile);
  let turnEnd = 0;
  return {
    threads: 1,
    tasksAhead: 3,
    isInline: true,
    sharesMemory: true,
    readsFiles: readFile !== undefined,
    async run(task, signal) {
      if (performance.now() >= turnEnd) {
        await nextTurn();
        turnEnd = performance.now() + turnMs;
      }
      throwIfAborted(signal);
      const result = runCpuTask(task, desk);
      if (result.kind === 'fault') throw faultFromData(result.fault);
      return result;
    },
    async destroy() {},
  };
}
