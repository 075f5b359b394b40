import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DrawLoop } from './draw-loop.ts';
import type { View } from './model/view-host.ts';

/** The callback that waits for the next animation frame. */
let waiting: FrameRequestCallback | undefined;

beforeEach(() => {
  waiting = undefined;
  vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => {
    waiting = callback;
    return 1;
  });
  vi.stubGlobal('cancelAnimationFrame', () => {
    waiting = undefined;
  });
});
afterEach(() => vi.unstubAllGlobals());

function setUp(isLost = false) {
  const drawn: string[] = [];
  const viewNamed = (name: string) => ({ render: () => void drawn.push(name) }) as unknown as View;
  const loop = new DrawLoop({ isLost }, () => undefined);
  loop.onDrawn(() => drawn.push('told'));
  return { loop, drawn, x: viewNamed('x'), y: viewNamed('y') };
}

test('each requested view is drawn once at the next animation frame, and then the listeners are called', () => {
  const { loop, drawn, x, y } = setUp();
  loop.request([x]);
  loop.request([x, y]);
  expect([drawn, loop.isPending]).toEqual([[], true]);
  waiting?.(0);
  expect([drawn, loop.isPending]).toEqual([['x', 'y', 'told'], false]);
});

test('a view that was drawn by other means, or detached, is not drawn again', () => {
  const { loop, drawn, x, y } = setUp();
  loop.request([x, y]);
  loop.skip(x);
  waiting?.(0);
  expect(drawn).toEqual(['y', 'told']);
});

test('nothing is drawn on a lost device or after the end', () => {
  const lost = setUp(true);
  lost.loop.request([lost.x]);
  waiting?.(0);
  expect(lost.drawn).toEqual([]);
  const ended = setUp();
  ended.loop.request([ended.x]);
  ended.loop.end();
  expect(waiting).toBeUndefined();
});
