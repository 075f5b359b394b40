import { expect, it } from 'vitest';
import type { OpenDocument } from './state/document-state.ts';
import { createAppStore } from './state/store.ts';
import { whyNoSurface } from './when.ts';

it('gives the network, not GPU memory, as the reason why a surface cannot be made of a level', () => {
  const store = createAppStore();
  const why = (document: Partial<OpenDocument>) => {
    store.setState({ document: { kind: 'ready', document: document as OpenDocument } });
    return whyNoSurface(store.getState());
  };
  expect(why({ decimation: 4 })).toContain('GPU memory');
  expect(why({ decimation: 4, isHeldBack: true })).toContain('over the network');
  expect(why({ decimation: 1, isHeldBack: false })).toBe('Show the volume first');
});
