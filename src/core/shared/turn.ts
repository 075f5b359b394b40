/** Taken when this module loads: where Node has a GPU, the global function may wait later (`node/gpu-polls.ts`). */
const immediate = (globalThis as { setImmediate?: (call: () => void) => void }).setImmediate;

/** Yields to the event loop, so that timers, messages and signals run. Awaiting a resolved promise does not. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    // `setImmediate` costs almost nothing where it exists; a message channel takes 0.1 ms.
    if (immediate) {
      immediate(resolve);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
