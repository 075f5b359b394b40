import { describe, expect, it, vi } from 'vitest';
import { StriaError } from '../../../core/shared/errors.ts';
import type { Dims4, VolumeInfo } from '../../../core/shared/volume.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { createAppStore, type GpuState } from '../state/store.ts';
import { Playback } from './playback.ts';

/** A viewer that holds a position and records the requested frames. */
function fakeViewer() {
  const listeners = new Set<() => void>();
  let state = { crosshair: [1, 2, 3] as readonly number[], timePoint: 0 };
  const asked: string[] = [];
  return {
    asked,
    snapshot: () => ({ info: {}, state }),
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    move: (change: Partial<typeof state>) => {
      state = { ...state, ...change };
      for (const listener of listeners) listener();
    },
    listenerCount: () => listeners.size,
  };
}

function setUp() {
  const store = createAppStore();
  const viewer = fakeViewer();
  const ready = (of: ReturnType<typeof fakeViewer>) => ({ kind: 'ready', viewer: of as unknown as Viewer }) as GpuState;
  const prepared: ((isReady: boolean | StriaError) => void)[] = [];
  const cancel = vi.fn();
  const playback = new Playback(store, {
    targetOf: (of, axis) => ({
      showFrame: async (index) => {
        (of as unknown as ReturnType<typeof fakeViewer>).asked.push(`${axis}${index}`);
        return { decodeMs: undefined, presentedAt: 0 };
      },
    }),
    prepare: () =>
      new Promise((resolve, reject) =>
        prepared.push((answer) => (answer instanceof StriaError ? reject(answer) : resolve(answer))),
      ),
    cancel,
    save: (playback) => store.setState(({ settings }) => ({ settings: { ...settings, playback } })),
    loop: { now: () => 0, request: () => 1, cancel: () => {} },
  });
  const open = (dims: Dims4, arePictures = false, channels?: VolumeInfo['channels']) => {
    const info = { dims, channels } as unknown as VolumeInfo;
    store.setState({ document: { kind: 'ready', document: { opened: {}, info, arePictures } as OpenDocument } });
  };
  store.setState({ gpu: ready(viewer) });
  return {
    store,
    viewer,
    playback,
    cancel,
    open,
    ready,
    present: () => store.getState().playback,
    async answer(answer: boolean | StriaError) {
      prepared.shift()?.(answer);
      await new Promise((resolve) => setTimeout(resolve));
    },
  };
}

describe('playback', () => {
  it('stays within the shown channel', async () => {
    const { playback, open, present, viewer } = setUp();
    viewer.move({ timePoint: 4 });
    open([8, 8, 1, 6], false, [{ name: 'DAPI' }, { name: 'GFP' }]);
    expect(present()).toMatchObject({ isOpen: true, stack: { axis: 't', frameCount: 3 } });
    expect(present()?.player.index).toBe(1);
    playback.step(1);
    await new Promise((resolve) => setTimeout(resolve));
    expect(viewer.asked).toEqual(['t5']);
  });

  it('has a bar at once for a series, for a volume once it is played, and never for a picture', () => {
    const { playback, open, present } = setUp();
    open([8, 8, 1, 1]);
    expect(present()).toBeUndefined();
    open([8, 8, 8, 5]);
    expect(present()).toMatchObject({ isOpen: true, stack: { axis: 't', frameCount: 5 } });
    open([8, 8, 8, 1], true);
    expect(present()).toMatchObject({ isOpen: true, stack: { label: 'Frames' } });
    open([8, 8, 8, 1]);
    expect(present()).toMatchObject({ isOpen: false, stack: { axis: 'z' } });
    playback.toggle();
    expect(present()).toMatchObject({ isOpen: true, isPreparing: true });
    playback.close();
    expect(present()?.isOpen).toBe(false);
  });

  it('plays once it is prepared, and not after a cancel', async () => {
    const { playback, open, present, answer, cancel } = setUp();
    open([8, 8, 8, 5]);
    playback.toggle();
    expect(present()?.player.isPlaying).toBe(false);
    await answer(true);
    expect(present()).toMatchObject({ isPreparing: false, player: { isPlaying: true } });
    playback.toggle();
    expect(present()?.player.isPlaying).toBe(false);
    playback.toggle();
    playback.toggle();
    expect(cancel).toHaveBeenCalledTimes(1);
    await answer(false);
    expect(present()).toMatchObject({ isPreparing: false, player: { isPlaying: false } });
  });

  it('reports failures, but not a cancel', async () => {
    const { store, playback, open, answer, present } = setUp();
    open([8, 8, 8, 5]);
    playback.toggle();
    await answer(new StriaError('aborted', 'cancelled'));
    expect(store.getState().notice).toBeUndefined();
    playback.toggle();
    await answer(new StriaError('out-of-memory', 'the GPU has no memory left'));
    expect(store.getState().notice).toBe('the GPU has no memory left');
    expect(present()?.isPreparing).toBe(false);
  });

  it('does not play a volume that was closed or replaced meanwhile', async () => {
    const { playback, open, present, answer, cancel } = setUp();
    open([8, 8, 8, 5]);
    playback.toggle();
    open([8, 8, 8, 6]);
    // That would cancel the loading of the next volume.
    expect(cancel).not.toHaveBeenCalled();
    await answer(true);
    expect(present()).toMatchObject({ isPreparing: false, player: { isPlaying: false, frameCount: 6 } });
    playback.toggle();
    playback.close();
    expect(cancel).toHaveBeenCalledTimes(1);
    await answer(true);
    expect(present()).toMatchObject({ isOpen: false, isPreparing: false, player: { isPlaying: false } });
  });

  it("starts at the view's position, and follows it", async () => {
    const { viewer, playback, open, present } = setUp();
    open([8, 8, 8, 1]);
    expect(present()?.player.index).toBe(3);
    viewer.move({ crosshair: [1, 2, 6] });
    expect(present()?.player.index).toBe(6);
    playback.choose('y');
    expect(present()?.player.index).toBe(2);
    playback.step(1);
    playback.step(Infinity);
    await new Promise((resolve) => setTimeout(resolve));
    expect(viewer.asked).toEqual(['y3', 'y7']);
  });

  it('keeps its choices on a new device', () => {
    const { store, viewer, playback, open, ready, present } = setUp();
    open([8, 8, 8, 5]);
    playback.choose('x');
    store.setState({ gpu: { kind: 'recovering', message: '' } });
    expect(present()).toBeUndefined();
    expect(viewer.listenerCount()).toBe(0);
    const next = fakeViewer();
    store.setState({ gpu: ready(next) });
    expect(present()).toMatchObject({ isOpen: true, stack: { axis: 'x' }, player: { isPlaying: false } });
    store.setState({ document: { kind: 'empty' } });
    expect(present()).toBeUndefined();
    expect(next.listenerCount()).toBe(0);
  });

  it('continues when a finer resolution of the same volume arrives', async () => {
    const { store, playback, open, answer, present } = setUp();
    open([8, 8, 8, 1]);
    playback.choose('x');
    playback.toggle();
    await answer(true);
    const player = present()?.player;
    const { document } = store.getState();
    if (document.kind !== 'ready') throw new Error('nothing is open');
    const finer = { ...document.document, info: { ...document.document.info } };
    store.setState({ document: { kind: 'ready', document: finer } });
    expect(present()).toMatchObject({ isOpen: true, stack: { axis: 'x' }, player: { isPlaying: true } });
    expect(present()?.player).toBe(player);
  });
});
