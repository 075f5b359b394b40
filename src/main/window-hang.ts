import type { EventEmitter } from 'node:events';

/** The parts of a WebContents that are used. */
interface Contents extends EventEmitter {
  forcefullyCrashRenderer(): void;
  isDestroyed(): boolean;
}

/**
 * Asks once when the page does not respond, and ends the page's process if the answer is yes.
 * @param ask resolves with whether to end it; its signal is aborted when the page responds again or is gone
 * @returns a function that tells whether the last process was ended here, so that its crash needs no question
 */
export function watchHang(contents: Contents, ask: (signal: AbortSignal) => Promise<boolean>): () => boolean {
  let question: AbortController | undefined;
  let isEnded = false;
  const withdraw = () => question?.abort();
  contents.on('unresponsive', async () => {
    if (question) return;
    question = new AbortController();
    const { signal } = question;
    const ends = await ask(signal).catch(() => false);
    question = undefined;
    if (!ends || signal.aborted || contents.isDestroyed()) return;
    isEnded = true;
    contents.forcefullyCrashRenderer();
  });
  contents.on('responsive', withdraw);
  contents.on('render-process-gone', withdraw);
  contents.on('destroyed', withdraw);
  contents.on('did-finish-load', () => {
    isEnded = false;
  });
  return () => isEnded;
}
