import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { abortable } from './abortable.ts';

const listeners = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length;

test('an abort rejects the promise and ends the work', async () => {
  const controller = new AbortController();
  let ended = 0;
  const promise = abortable(controller.signal, () => () => {
    ended++;
  });
  controller.abort();
  await expect(promise).rejects.toMatchObject({ tag: 'aborted' });
  expect(ended).toBe(1);
});

test('a settled promise leaves no listener, and an abort ends nothing', async () => {
  const controller = new AbortController();
  const end = () => {
    throw new Error('it had ended');
  };
  const settled = abortable<number>(controller.signal, (resolve) => {
    queueMicrotask(() => resolve(1));
    return end;
  });
  const faulty = abortable(controller.signal, (_, reject) => {
    reject(new Error('fault'));
    return end;
  });
  const thrown = abortable(controller.signal, () => {
    throw new Error('at once');
  });
  expect(await settled).toBe(1);
  await expect(faulty).rejects.toThrow('fault');
  await expect(thrown).rejects.toThrow('at once');
  expect(listeners(controller)).toBe(0);
  controller.abort();
});
