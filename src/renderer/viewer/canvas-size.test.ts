import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CanvasSize } from './canvas-size.ts';

/** The callbacks for the browser, by the observed box. */
const observers = new Map<string, () => void>();

beforeEach(() => {
  observers.clear();
  class TestObserver {
    readonly #call: () => void;
    #box = '';
    constructor(call: () => void) {
      this.#call = call;
    }
    observe(_: unknown, { box = 'content-box' } = {}): void {
      this.#box = box;
      observers.set(box, this.#call);
    }
    disconnect(): void {
      observers.delete(this.#box);
    }
  }
  vi.stubGlobal('ResizeObserver', TestObserver);
  vi.stubGlobal('window', { devicePixelRatio: 1 });
});
afterEach(() => vi.unstubAllGlobals());

test('a canvas is fitted to another size, and to a screen with another pixel ratio, once each', () => {
  const canvas = { clientWidth: 300, clientHeight: 200 };
  const onChange = vi.fn();
  const size = new CanvasSize(canvas as HTMLCanvasElement, onChange);
  expect(size.isFitted).toBe(false);
  size.fit();
  expect([size.isFitted, onChange.mock.calls.length]).toEqual([true, 1]);

  // Both boxes change with the size in the page.
  canvas.clientWidth = 400;
  expect(size.isFitted).toBe(false);
  observers.get('content-box')?.();
  observers.get('device-pixel-content-box')?.();
  expect([size.isFitted, onChange.mock.calls.length]).toEqual([true, 2]);

  // On another screen, only the second one does.
  window.devicePixelRatio = 2;
  expect(size.isFitted).toBe(false);
  observers.get('device-pixel-content-box')?.();
  expect([size.isFitted, onChange.mock.calls.length]).toEqual([true, 3]);

  size.disconnect();
  expect(observers.size).toBe(0);
});
