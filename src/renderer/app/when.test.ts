import { expect, it } from 'vitest';
import type { OpenDocument } from './state/document-state.ts';
import { type AppState, createAppStore } from './state/store.ts';
import { canSave, whyNoSurface } from './when.ts';

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
