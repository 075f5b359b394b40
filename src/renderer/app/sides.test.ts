import { expect, test } from 'vitest';
import { testInfo } from '../../core/volume/resident-testing.ts';
import { sceneSides } from '../viewer/model/orientation.ts';
import type { App } from './app.ts';
import { sideCommands, sideWords } from './sides.ts';
import type { AppState } from './state/store.ts';

test('each of the six sides has a command, named by the patient’s sides or, without orientation, by the axes', () => {
  const looked: string[] = [];
  const commands = sideCommands({ view: { lookFrom: ({ key }: { key: string }) => looked.push(key) } } as unknown as App);
  const plain = testInfo([4, 4, 4, 1], 'u8');
  const patient = { ...plain, affine: [1, 0, 0, -9, 0, 1, 0, 0, 0, 0, 1, 0] };
  const labels = (info: typeof plain) => {
    const state = { document: { kind: 'ready', document: { info } }, gpu: { kind: 'ready' } } as unknown as AppState;
    return commands.filter((command) => command.enabled(state)).map(({ label }) => label);
  };
  expect(labels(patient)).toEqual(
    ['the front', 'the back', 'the right', 'the left', 'above', 'below'].map((side) => `View from ${side}`),
  );
  expect(labels(plain)).toEqual(['−z', '+z', '−x', '+x', '−y', '+y'].map((side) => `View from ${side}`));
  for (const command of commands) command.run();
  expect(looked).toEqual([...sceneSides, ...sceneSides].map(({ key }) => key));
  expect(commands.some((command) => command.enabled({ document: { kind: 'empty' } } as AppState))).toBe(false);
});

test('edges and corners are named by their sides', () => {
  const [front, , , left, above] = sceneSides;
  if (!front || !left || !above) throw new Error('expected six sides');
  expect(sideWords([front, left], true)).toBe('View from the front and the left');
  expect(sideWords([front, left, above], true)).toBe('View from the front, the left and above');
  expect(sideWords([front, left, above], false)).toBe('View from −z, +x and −y');
});
