import { describe, expect, it } from 'vitest';
import { testLook } from '../../viewer/model/layer-testing.ts';
import { type LayerLook, noLayers } from '../../viewer/model/layers.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { OpenDocument } from './document-state.ts';
import type { Settings } from './settings.ts';
import { type AppState, createAppStore } from './store.ts';
import { Undo } from './undo.ts';

type View = Partial<ViewState>;

/** The parts of a viewer that undo uses. */
function fakeViewer(first: View) {
  let state = first;
  const listeners = new Set<() => void>();
  return {
    snapshot: () => ({ state }),
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set: (change: View) => {
      state = { ...state, ...change };
      for (const listener of listeners) listener();
    },
  };
}

async function setUp() {
  const store = createAppStore();
  const set = (change: Partial<Settings>) => store.setState(({ settings }) => ({ settings: { ...settings, ...change } }));
  const undo = new Undo(store, set);
  const viewer = fakeViewer({ window: [0, 9], colormap: 'gray', crosshair: [1, 1, 1] });
  const open = () => store.setState({ document: { kind: 'ready', document: { opened: {} } as OpenDocument } });
  store.setState({ gpu: { kind: 'ready', viewer: viewer as unknown as Viewer } as AppState['gpu'] });
  open();
  await Promise.resolve();
  /** Makes a change that is a step of its own: it ends with the task, between two gestures. */
  const step = async (change: () => void) => {
    undo.beginGesture();
    change();
    await Promise.resolve();
    undo.endGesture();
  };
  const names = () => store.getState().undo;
  return { store, set, undo, viewer, open, step, names };
}

describe('undo and redo', () => {
  it('restore the view, the layout and the codec, and name each step', async () => {
    const { store, set, undo, viewer, step, names } = await setUp();
    expect(names()).toEqual({ undo: undefined, redo: undefined });
    await step(() => viewer.set({ colormap: 'bone' }));
    await step(() => set({ codec: 'rice' }));
    await step(() => {
      store.setState({ sliceAxis: 'x' });
      set({ layout: 'slice' });
    });
    expect(names()).toEqual({ undo: 'layout', redo: undefined });
    undo.undo();
    expect(store.getState().settings).toMatchObject({ layout: 'quad', codec: 'rice' });
    expect(names()).toEqual({ undo: 'codec', redo: 'layout' });
    undo.undo();
    undo.undo();
    expect(viewer.snapshot().state.colormap).toBe('gray');
    expect(store.getState().settings.codec).toBe('auto');
    expect(names()).toEqual({ undo: undefined, redo: 'colormap' });
    store.setState({ sliceAxis: 'y' });
    for (let step = 0; step < 3; step++) undo.redo();
    expect(store.getState()).toMatchObject({ sliceAxis: 'x', settings: { layout: 'slice', codec: 'rice' } });
    expect(viewer.snapshot().state.colormap).toBe('bone');
    await Promise.resolve();
    expect(names()).toEqual({ undo: 'layout', redo: undefined });
  });

  it('restore one layer at a time, however quickly they were added, even during a drag', async () => {
    for (const isDrag of [false, true]) {
      const { undo, viewer } = await setUp();
      const ids = () => [...(viewer.snapshot().state.layers?.layers ?? [])].map(({ id }) => id);
      const show = async (...layers: LayerLook[]) => {
        viewer.set({ layers: { ...noLayers, layers } });
        await Promise.resolve();
      };
      await show();
      if (isDrag) undo.beginGesture();
      await show(testLook({ id: 'a' }));
      await show(testLook({ id: 'a' }), testLook({ id: 'b' }));
      // Changes of the layer's look are one step, separate from adding the layer.
      for (const opacity of [0.9, 0.8, 0.7]) await show(testLook({ id: 'a' }), testLook({ id: 'b', opacity }));
      undo.undo();
      expect([ids(), viewer.snapshot().state.layers?.layers[1]?.opacity]).toEqual([['a', 'b'], testLook({ id: 'b' }).opacity]);
      undo.undo();
      expect(ids()).toEqual(['a']);
      undo.undo();
      expect(ids()).toEqual([]);
      undo.redo();
      undo.redo();
      expect(ids()).toEqual(['a', 'b']);
    }
  });

  it('restore one measurement, name or deletion at a time, however quick', async () => {
    const { store, undo } = await setUp();
    const first = { id: 'a', name: 'One' } as AppState['measurements'][number];
    for (const measurements of [[first], [{ ...first, name: 'Core' }], []]) {
      store.setState({ measurements });
      await Promise.resolve();
    }
    undo.undo();
    expect(store.getState().measurements).toEqual([{ ...first, name: 'Core' }]);
    undo.undo();
    expect(store.getState().measurements).toEqual([first]);
  });

  it('leave the crosshair, the theme and the slice under the pointer alone', async () => {
    const { store, set, viewer, step, names } = await setUp();
    await step(() => viewer.set({ crosshair: [2, 2, 2] }));
    await step(() => set({ theme: 'dark' }));
    await step(() => store.setState({ sliceAxis: 'y' }));
    expect(names().undo).toBeUndefined();
  });

  it('start over with another volume, but not after a device loss', async () => {
    const { store, viewer, open, step, names, undo } = await setUp();
    await step(() => viewer.set({ window: [0, 5] }));
    store.setState({ gpu: { kind: 'recovering', message: '' } });
    await Promise.resolve();
    const again = fakeViewer(viewer.snapshot().state);
    store.setState({ gpu: { kind: 'ready', viewer: again as unknown as Viewer } as AppState['gpu'] });
    await Promise.resolve();
    expect(names().undo).toBe('window and level');
    undo.undo();
    expect(again.snapshot().state.window).toEqual([0, 9]);
    await step(() => again.set({ window: [0, 5] }));
    open();
    await Promise.resolve();
    expect(names()).toEqual({ undo: undefined, redo: undefined });
  });
});
