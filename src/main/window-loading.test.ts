import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showOnce, watchLoading } from './window-loading.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function shownWindow() {
  const window = new EventEmitter();
  const show = vi.fn();
  showOnce(window, 3000, show);
  return { window, show };
}

test('the window is shown once, when it has painted', () => {
  const { window, show } = shownWindow();
  expect(show).not.toHaveBeenCalled();
  window.emit('ready-to-show');
  expect(show).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(10_000);
  expect(show).toHaveBeenCalledOnce();
});

test('without ready-to-show it is shown after a while, once', () => {
  const { window, show } = shownWindow();
  vi.advanceTimersByTime(2999);
  expect(show).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(show).toHaveBeenCalledOnce();
  window.emit('ready-to-show');
  expect(show).toHaveBeenCalledOnce();
});

test('a window that was closed before is not shown', () => {
  const { window, show } = shownWindow();
  window.emit('closed');
  vi.advanceTimersByTime(10_000);
  expect(show).not.toHaveBeenCalled();
});

test.each([
  [['did-fail-load', -6, 'ERR_FILE_NOT_FOUND', 'app://stria/index.html', true], 'ERR_FILE_NOT_FOUND (-6)'],
  [['did-fail-load', -105, '', 'app://stria/index.html', true], 'The page did not load (-105)'],
  // Failures of a subframe, and of a load that another one has replaced, are ignored.
  [['did-fail-load', -6, 'ERR_FILE_NOT_FOUND', 'app://stria/frame.html', false], undefined],
  [['did-fail-load', -3, 'ERR_ABORTED', 'app://stria/index.html', true], undefined],
  [['did-navigate', 'app://stria/index.html', 404, ''], 'The page was not found (404)'],
  [['did-navigate', 'app://stria/index.html', 200, 'OK'], undefined],
  // Schemes without a status.
  [['did-navigate', 'app://stria/index.html', -1, ''], undefined],
  [['preload-error', '/preload.cjs', new Error('x is not defined')], 'Its connection to the files failed (x is not defined)'],
] as const)('%j fails with %j', ([name, ...args], reason) => {
  const contents = new EventEmitter();
  const onFailed = vi.fn();
  watchLoading(contents, onFailed);
  contents.emit(name, {}, ...args);
  expect(onFailed.mock.calls).toEqual(reason === undefined ? [] : [[reason]]);
});
