/** Lets timers, messages and signals run; awaiting promises alone never does. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    // It costs almost nothing where it exists; a channel costs a tenth of a millisecond.
    if ('setImmediate' in globalThis) {
      (globalThis as unknown as { setImmediate(call: () => void): void }).setImmediate(resolve);
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
