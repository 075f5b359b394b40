import { expect, test, vi } from 'vitest';
import type { Measurement } from '../../viewer/model/measure.ts';
import { startProgress } from '../state/progress.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { unfinishedWork, watchUnfinished } from './unfinished.ts';

const progress = startProgress('Writing', undefined, 0);
const measured = [{ id: 'm' } as unknown as Measurement];
const output = createAppStore().getState().output;
const row = { id: 1, name: 'a.nii', size: 1 };

test.each<[Partial<AppState>, string[]]>([
  [{}, []],
  [{ save: { kind: 'saving', name: 'a.stria', progress } }, ['saving']],
  [{ compression: { kind: 'running', progress, isAsked: true } }, ['compressing']],
  // Compression for playback, or to save memory, restarts by itself.
  [{ compression: { kind: 'running', progress, isAsked: false } }, []],
  [{ queue: [{ ...row, state: { kind: 'running', progress } }] }, ['compressing']],
  [{ queue: [{ ...row, state: { kind: 'waiting' } }] }, ['compressing']],
  [{ queue: [{ ...row, state: { kind: 'cancelled' } }] }, []],
  [{ output: { ...output, movieWork: { kind: 'running', name: 'm', folder: '/', progress } } }, ['pictures']],
  [{ output: { ...output, pictureWork: { kind: 'working' } } }, ['pictures']],
  [{ output: { ...output, surfaceWork: { kind: 'working' } } }, ['saving']],
  [{ measurements: measured }, ['measurements']],
  [{ measurements: measured, savedMeasurements: measured }, []],
  [{ measurements: [], savedMeasurements: measured }, []],
])('what would be lost (%#)', (change, kinds) => {
  const store = createAppStore();
  store.setState(change);
  expect(unfinishedWork(store.getState())).toEqual(kinds);
});

test('the shell is notified of changes', () => {
  const store = createAppStore();
  const setUnfinished = vi.fn();
  watchUnfinished(store, { setUnfinished });
  store.setState({ save: { kind: 'saving', name: 'a.stria', progress } });
  store.setState({ notice: 'something else' });
  store.setState({ save: { kind: 'idle' } });
  expect(setUnfinished.mock.calls).toEqual([[['saving']], [[]]]);
});
