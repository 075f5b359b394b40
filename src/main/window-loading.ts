import type { EventEmitter } from 'node:events';

/** Chromium's ERR_ABORTED: another navigation has replaced this one. */
const aborted = -3;

/**
 * Calls `show` once: when the page has painted, or after `patienceMs`, because on Wayland `ready-to-show` may never fire.
 * @param window a BrowserWindow
 */
export function showOnce(window: EventEmitter, patienceMs: number, show: () => void): void {
  let isDone = false;
  const once = (work?: () => void) => () => {
    clearTimeout(timer);
    if (!isDone) work?.();
    isDone = true;
  };
  const timer = setTimeout(once(show), patienceMs);
  window.once('ready-to-show', once(show));
  window.once('closed', once());
}

/**
 * Calls `onFailed` with the reason if the page cannot be shown: it was not found, did not load, or has no bridge.
 * @param contents a WebContents
 */
export function watchLoading(contents: EventEmitter, onFailed: (reason: string) => void): void {
  contents.on('did-fail-load', (_, code: number, description: string, _url: string, isMainFrame: boolean) => {
    if (isMainFrame && code !== aborted) onFailed(`${description || 'The page did not load'} (${code})`);
  });
  contents.on('did-navigate', (_, _url: string, status: number, statusText: string) => {
    if (status >= 400) onFailed(`The page was not found (${[status, statusText].filter(Boolean).join(' ')})`);
  });
  contents.on('preload-error', (_, _path: string, error: Error) =>
    onFailed(`Its connection to the files failed (${error.message})`),
  );
}
