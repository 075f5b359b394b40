import type { CrewThread } from './crew-messages.ts';
import type { CpuCrew } from './harness/context.ts';

/** A crew of threads that the host has started. */
export function createCrew(threads: readonly CrewThread[]): CpuCrew {
  let loaded: readonly CrewThread[] = [];
  return {
    threads: threads.length,
    async load(parts) {
      loaded = threads.slice(0, parts.length);
      await Promise.all(
        loaded.map((thread, index) => {
          const voxels = (parts[index] as Uint8Array<ArrayBuffer>).slice();
          return thread.ask({ kind: 'load', voxels }, [voxels.buffer]);
        }),
      );
    },
    encode: (side, order) => Promise.all(loaded.map((thread) => thread.ask({ kind: 'encode', side, order }, []))),
    async close() {
      await Promise.all(threads.map((thread) => thread.end()));
    },
  };
}
