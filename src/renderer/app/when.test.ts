import { expect, it } from 'vitest';
import type { OpenDocument } from './state/document-state.ts';
import { type AppState, createAppStore } from './state/store.ts';
import { canKeepLevels, canSave, whyNoSurface } from './when.ts';

it('names the network, not GPU memory, as the reason why a level has no surface', () => {
  const store = createAppStore();
  const why = (document: Partial<OpenDocument>) => {
    store.setState({ document: { kind: 'ready', document: document as OpenDocument } });
    return whyNoSurface(store.getState());
  };
  expect(why({ decimation: 4 })).toContain('GPU memory');
  expect(why({ decimation: 4, isHeldBack: true })).toContain('over the network');
  expect(why({ decimation: 1, isHeldBack: false })).toBe('Show the volume first');
});

it('does not allow saving a space without a volume', () => {
  const store = createAppStore();
  const saves = (document: Partial<OpenDocument>) => {
    store.setState({ compressed: {} as AppState['compressed'], document: { kind: 'ready', document: document as OpenDocument } });
    return canSave(store.getState());
  };
  expect(saves({ decimation: 1 })).toBe(true);
  expect(saves({ decimation: 1, space: { dims: [4, 4, 4], edge: 1, origin: [0, 0, 0] } })).toBe(false);
});

it('keeps levels of a file once, whatever else is being compressed', () => {
  const store = createAppStore();
  const opened = {};
  const canKeep = (state: Partial<AppState>) => {
    store.setState({ queue: [], levelsKeptOf: undefined, ...state });
    return canKeepLevels(store.getState());
  };
  const row = (kind: 'waiting' | 'cancelled', levelsOf?: object) => ({
    id: 1,
    name: 'a.nii',
    size: 1,
    state: { kind },
    levelsOf,
  });
  store.setState({ document: { kind: 'ready', document: { opened, canKeepLevels: true } as OpenDocument } });
  expect(canKeep({})).toBe(true);
  expect(canKeep({ queue: [row('waiting')] })).toBe(true);
  expect(canKeep({ queue: [row('waiting', {})] })).toBe(true);
  expect(canKeep({ queue: [row('waiting', opened)] })).toBe(false);
  expect(canKeep({ queue: [row('cancelled', opened)] })).toBe(true);
  expect(canKeep({ levelsKeptOf: opened })).toBe(false);
  store.setState({ document: { kind: 'ready', document: { opened, canKeepLevels: false } as OpenDocument } });
  expect(canKeep({})).toBe(false);
});
