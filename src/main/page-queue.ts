import type { EventEmitter } from 'node:events';

/**
 * A function that sends at once, or when the page has loaded: there is none before the first load, during a reload and after a crash.
 * @param contents a WebContents
 */
export function queueForPage(contents: EventEmitter): (send: () => void) => void {
  let isLoaded = false;
  let waiting: (() => void)[] = [];
  const unloaded = () => {
    isLoaded = false;
  };
  contents.on('did-navigate', unloaded);
  contents.on('render-process-gone', unloaded);
  contents.on('did-finish-load', () => {
    isLoaded = true;
    const ready = waiting;
    waiting = [];
    for (const send of ready) send();
  });
  return (send) => {
    if (isLoaded) send();
    else waiting.push(send);
  };
}
