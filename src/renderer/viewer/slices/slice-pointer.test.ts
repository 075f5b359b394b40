import { expect, test } from 'vitest';
import { listenToSlicePointer, type SlicePointerActions } from './slice-pointer.ts';

/** A canvas that only hears events. */
function fakeCanvas(): HTMLCanvasElement {
  return Object.assign(new EventTarget(), {
    width: 100,
    height: 100,
    style: {},
    setPointerCapture: () => {},
    getBoundingClientRect: () => ({ left: 0, top: 0, width: 100, height: 100 }),
  }) as unknown as HTMLCanvasElement;
}

test('a measurement that is dragged is given up if the system takes the pointer away', () => {
  const told: string[] = [];
  const actions = new Proxy({} as SlicePointerActions, {
    get: (_, name) => () => {
      if (name !== 'hover') told.push(String(name));
      return name === 'press';
    },
  });
  const canvas = fakeCanvas();
  const end = listenToSlicePointer(canvas, actions);
  const send = (type: string, buttons: number, at: number): void => {
    canvas.dispatchEvent(Object.assign(new Event(type), { button: 0, buttons, clientX: at, clientY: at, pointerId: 1 }));
  };
  send('pointerdown', 1, 40);
  send('pointermove', 1, 50);
  send('pointercancel', 0, 0);
  expect(told).toEqual(['press', 'drag', 'cancel']);
  send('pointerdown', 1, 40);
  send('pointerup', 0, 60);
  expect(told.slice(3)).toEqual(['press', 'release']);
  end();
});
