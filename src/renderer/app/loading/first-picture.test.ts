import { expect, test } from 'vitest';
import { firstPicture } from './first-picture.ts';

test('the first picture counts once a view was drawn and the GPU has finished', async () => {
  const listeners = new Set<() => void>();
  const drawing = {
    viewer: {
      loop: {
        drawnFrames: 7,
        onDrawn: (listener: () => void) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      },
    },
    gpu: { device: { queue: { onSubmittedWorkDone: () => gpuDone.then(() => undefined) } } },
  };
  let endGpu = () => {};
  const gpuDone = new Promise<void>((resolve) => {
    endGpu = resolve;
  });
  let isThere = false;
  const there = firstPicture(drawing).then(() => {
    isThere = true;
  });
  const draw = () => [...listeners].map((listener) => listener());

  draw();
  expect(listeners.size).toBe(1);
  drawing.viewer.loop.drawnFrames++;
  draw();
  expect(listeners.size).toBe(0);
  await new Promise((resolve) => setTimeout(resolve));
  expect(isThere).toBe(false);
  endGpu();
  await there;
});
