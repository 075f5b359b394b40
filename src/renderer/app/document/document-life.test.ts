import { describe, expect, it, vi } from 'vitest';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import type { ChunkShape } from '../../../core/format/chunk-grid.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { HostSink } from '../../host/host.ts';
import type { BackgroundCompressor } from '../compress/background.ts';
import type { CodecChoice } from '../compress/compress-protocol.ts';
import type { Engine, LostView } from '../gpu/gpu-life.ts';
import type { KeptVolume } from '../gpu/residency.ts';
import type { LoadedVolume, OpenRequest } from '../loading/load-resident.ts';
import { isSameDocument } from '../state/document-state.ts';
import { createAppStore } from '../state/store.ts';
import { DocumentLife } from './document-life.ts';
import type { DocumentWorks } from './document-works.ts';

const info = testInfo([8, 8, 8, 1], 'u8');
const choice: CodecChoice = { codec: 'auto' } as CodecChoice;
const zeros = { kind: 'constant', element: new Uint8Array(1), decodedChecksum: {} as never } as const;
const lost = new StriaError('device-lost', 'gone');
/** A chunk shape that differs from the opened volume's. */
const compressedShape: ChunkShape = [16, 8, 8];
const settled = () => new Promise((resolve) => setTimeout(resolve));

/** Work that ends when the test says so, or when it is aborted. */
class Pending<T> {
  readonly #calls: { readonly resolve: (value: T) => void; readonly reject: (error: unknown) => void }[] = [];
  count = 0;

  call(signal?: AbortSignal): Promise<T> {
    this.count++;
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new StriaError('aborted', 'cancelled')));
      this.#calls.push({ resolve, reject });
    });
  }

  async resolve(value: T): Promise<void> {
    this.#calls.shift()?.resolve(value);
    await settled();
  }

  async reject(error: unknown): Promise<void> {
    this.#calls.shift()?.reject(error);
    await settled();
  }
}

/** A volume that only knows whether it was freed, and its residency. */
class FakeVolume {
  readonly info = info;
  readonly dims = info.dims;
  readonly decimation: number;
  readonly isCompressed: boolean;
  isFreed = false;
  constructor({ decimation = 1, isCompressed = false } = {}) {
    this.decimation = decimation;
    this.isCompressed = isCompressed;
  }
  async statistics() {
    return {};
  }
  destroy() {
    this.isFreed = true;
  }
}

function loadedWith(volume: FakeVolume, chunks?: readonly EncodedChunk[]): LoadedVolume {
  const source = { format: 'nifti', parts: [] } as never;
  return {
    kept: volume as unknown as KeptVolume,
    format: 'NIfTI',
    source,
    chunkShape: [8, 8, 8, 1],
    chunks,
    lost: undefined,
    hasFiner: false,
    tags: [],
  };
}

function fakeEngine() {
  const shown: (FakeVolume | undefined)[] = [];
  const bricks: unknown[] = [];
  const viewpoints: unknown[] = [];
  const gpu = { isLost: false, isSoftware: false, checkAlive: () => {}, spare: { free: () => {} } };
  const viewer = {
    setVolume: async (volume: FakeVolume | undefined) => void shown.push(volume),
    exchangeVolume: async (volume: FakeVolume) => void shown.push(volume),
    setBricks: (file: unknown) => void bricks.push(file),
    views: { startFrom: (from: unknown) => void viewpoints.push(from) },
    pictures: { thumbnail: async () => undefined },
  };
  return { engine: { gpu, viewer, backend: {}, budgetBytes: 0 } as unknown as Engine, gpu, shown, bricks, viewpoints };
}

function setUp() {
  const store = createAppStore();
  const load = new Pending<LoadedVolume>();
  const steps: unknown[] = [];
  const again = new Pending<LoadedVolume>();
  const compress = new Pending<FakeResult>();
  const keep = new Pending<FakeVolume>();
  const write = new Pending<number>();
  const stream = new Pending<never>();
  const streamDevices: unknown[] = [];
  const dialog = new Pending<HostSink | undefined>();
  const pictured = new Pending<void>();
  /** The jobs during which spare memory was trimmed. */
  const trims: unknown[] = [];
  /** The volumes for which kernels were compiled. */
  const prepared: unknown[] = [];
  /** The shapes of chunks that were kept or written. */
  const shapes: ChunkShape[] = [];
  const works = {
    loadResident: (_engine, _request, { signal, step }) => {
      steps.push(step);
      return load.call(signal);
    },
    loadAgain: (_engine, _volume, _chunks, { signal }) => again.call(signal),
    compressResident: (_backend, _volume, _choice, { signal }) => compress.call(signal),
    keepAs: (_engine, _residency, { chunkShape }, { signal }) => {
      shapes.push(chunkShape);
      return keep.call(signal);
    },
    saveContainer: (_sink, _volume, { chunkShape }, _gpu, { signal }) => {
      shapes.push(chunkShape);
      return write.call(signal);
    },
    trimSpare: () => void trims.push(store.getState().life.job),
    asFile: () => undefined,
    firstPicture: () => pictured.call(),
    prepareCompress: async (_engine, { kept }) => void prepared.push(kept),
    residencyOf: (kept) => ((kept as unknown as FakeVolume).isCompressed ? 'compressed' : 'raw'),
    residencyState: (_engine: unknown, kept: unknown) => ({
      kept: (kept as FakeVolume).isCompressed ? 'compressed' : 'raw',
      progress: undefined,
    }),
  } as unknown as DocumentWorks;
  const host = { saveAs: () => dialog.call(), remember: async () => {}, recent: async () => [] };
  const compressor = {
    compress: (...[, sink, , { signal }, , device]: Parameters<BackgroundCompressor['compress']>) => {
      streamDevices.push(device);
      // Like the worker, which gives its sink up if it fails.
      return stream.call(signal).catch(async (error: unknown) => {
        await sink.abort();
        throw error;
      });
    },
  };
  const life = new DocumentLife(host as never, store, compressor as never, works);
  const { engine, gpu, shown } = fakeEngine();
  const volume = new FakeVolume();
  return {
    store,
    life,
    engine,
    gpu,
    shown,
    volume,
    load,
    steps,
    again,
    compress,
    keep,
    write,
    stream,
    streamDevices,
    dialog,
    pictured,
    prepared,
    trims,
    shapes,
    now: () => `${store.getState().life.phase}/${store.getState().life.job}`,
    /** The set-up with an open volume. */
    async opened(kept = volume) {
      await life.deviceBack(engine, undefined);
      void life.open(request('scan.nii'));
      await settled();
      await load.resolve(loadedWith(kept));
    },
    async compressed() {
      void life.jobs.compress(choice);
      await settled();
      const result = resultOf();
      await compress.resolve(result);
      await result.reading.resolve([zeros]);
    },
  };
}

/** A result that is read back when the test says so. */
function resultOf() {
  const reading = new Pending<readonly EncodedChunk[]>();
  const release = new AbortController();
  let chunks: Promise<readonly EncodedChunk[]> | undefined;
  const inHost = () => {
    chunks ??= reading.call(release.signal);
    return chunks;
  };
  const payloads = { outlines: [zeros], bytesInGpu: 1, inHost, release: () => release.abort() };
  return {
    chunkShape: compressedShape,
    choice: {} as never,
    payloads,
    result: { bytesOut: 1 },
    reading,
    released: release.signal,
  };
}
type FakeResult = ReturnType<typeof resultOf>;

function request(name: string): OpenRequest {
  return { kind: 'file', file: { name, size: 1, handle: {} as never, siblings: async () => undefined } };
}

function sinkOf() {
  const [close, abort, restart] = [vi.fn(async () => {}), vi.fn(async () => {}), vi.fn(async () => {})];
  return {
    sink: { name: 'a.stria', folder: '', reveal: undefined, write: async () => {}, close, abort, restart } as unknown as HostSink,
    close,
    abort,
    restart,
  };
}

describe('opening', () => {
  it('shows the loaded volume, and frees it when something else is opened', async () => {
    const { life, now, opened, volume, shown, load } = setUp();
    await opened();
    expect(now()).toBe('ready/none');
    expect(shown).toEqual([volume]);
    expect(life.kept).toBe(volume);
    void life.open(request('b.nii'));
    expect(now()).toBe('loading/none');
    expect(life.kept).toBeUndefined();
    await settled();
    expect(volume.isFreed).toBe(true);
    const next = new FakeVolume();
    await load.resolve(loadedWith(next));
    expect(shown).toEqual([volume, undefined, next]);
  });

  it('frees a volume that arrives after a cancel', async () => {
    const { life, engine, now, load, shown } = setUp();
    await life.deviceBack(engine, undefined);
    let isLoaded = (): void => {};
    const late = new FakeVolume();
    late.statistics = () =>
      new Promise((resolve) => {
        isLoaded = () => resolve({});
      });
    void life.open(request('a.nii'));
    await settled();
    await load.resolve(loadedWith(late));
    life.cancel();
    expect(now()).toBe('empty/none');
    isLoaded();
    await settled();
    expect([late.isFreed, life.kept, now()]).toEqual([true, undefined, 'empty/none']);
    expect(shown.at(-1)).toBeUndefined();
  });

  it('compiles what Compress will need once the volume has been drawn, unless it is only partly in GPU memory', async () => {
    for (const [decimation, count] of [
      [1, 1],
      [2, 0],
    ]) {
      const { opened, pictured, prepared } = setUp();
      const kept = new FakeVolume({ decimation: decimation as number });
      await opened(kept);
      expect(prepared).toEqual([]);
      await pictured.resolve();
      expect(prepared).toEqual(count === 1 ? [kept] : []);
    }
  });

  it('compiles nothing ahead on a software GPU, because the processor draws the volume meanwhile', async () => {
    const { opened, pictured, prepared, gpu } = setUp();
    gpu.isSoftware = true;
    await opened();
    await pictured.resolve();
    expect(prepared).toEqual([]);
  });

  it('asks for the layout of a raw file that no reader recognises, and reports other failures', async () => {
    const { life, engine, store, load } = setUp();
    await life.deviceBack(engine, undefined);
    for (const [name, tag, kind] of [
      ['a.raw', 'unsupported', 'layout'],
      ['a.nii', 'unsupported', 'failed'],
      ['a.raw', 'corrupt', 'failed'],
    ] as const) {
      void life.open(request(name));
      await settled();
      await load.reject(new StriaError(tag, 'bad'));
      expect(store.getState().document.kind).toBe(kind);
    }
    expect(life.request).toBeUndefined();
  });

  it('frees the volume when the next one fails before it is loaded', async () => {
    const { life, opened, volume, now } = setUp();
    await opened();
    life.fail('gone.nii', new StriaError('not-readable', 'it is not there'));
    await settled();
    expect([volume.isFreed, now()]).toEqual([true, 'failed/none']);
  });
});

describe('a finer resolution', () => {
  const coarse = () => new FakeVolume({ decimation: 8 });
  const shownPart = (store: ReturnType<typeof setUp>['store']) => {
    const { document } = store.getState();
    return document.kind === 'ready' ? [document.document.decimation, document.document.isRefining] : document.kind;
  };
  const setUpCoarse = async () => {
    const all = setUp();
    const first = coarse();
    await all.life.deviceBack(all.engine, undefined);
    void all.life.open(request('big.stria'));
    await settled();
    await all.load.resolve({ ...loadedWith(first), hasFiner: true });
    return { ...all, first };
  };

  it('replaces the first one, which is freed, in the same document', async () => {
    const { life, store, shown, load, first, volume } = await setUpCoarse();
    expect(shownPart(store)).toEqual([8, true]);
    expect([load.count, shown]).toEqual([2, [first]]);
    const before = store.getState().document;
    await load.resolve(loadedWith(volume));
    expect([shown, first.isFreed, volume.isFreed]).toEqual([[first, volume], true, false]);
    expect(life.kept).toBe(volume);
    expect(shownPart(store)).toEqual([1, false]);
    expect(isSameDocument(before, store.getState().document)).toBe(true);
  });

  it('is not shown after closing, and everything is freed', async () => {
    const { life, now, load, first, volume } = await setUpCoarse();
    life.close();
    await load.resolve(loadedWith(volume));
    await settled();
    expect([now(), first.isFreed, life.kept]).toEqual(['empty/none', true, undefined]);
  });

  it('is freed if it arrives after closing', async () => {
    const { life, shown, load, first, volume } = await setUpCoarse();
    let isKnown = (): void => {};
    volume.statistics = () =>
      new Promise((resolve) => {
        isKnown = () => resolve({});
      });
    await load.resolve(loadedWith(volume));
    life.close();
    isKnown();
    await settled();
    await settled();
    expect([first.isFreed, volume.isFreed, shown]).toEqual([true, true, [first, undefined]]);
  });

  it('is tried again if reading fails; if it fails for good, the first one stays, with a notice', async () => {
    vi.useFakeTimers();
    try {
      const all = setUp();
      const first = coarse();
      const turn = async (ms = 1) => void (await vi.advanceTimersByTimeAsync(ms));
      const gone = new StriaError('not-readable', 'the disk did not answer');
      await all.life.deviceBack(all.engine, undefined);
      void all.life.open(request('big.stria'));
      await turn();
      void all.load.resolve({ ...loadedWith(first), hasFiner: true });
      await turn();
      for (const attempt of [2, 3, 4]) {
        expect(all.load.count).toBe(attempt);
        void all.load.reject(gone);
        await turn(2000);
      }
      expect(all.load.count).toBe(4);
      expect(shownPart(all.store)).toEqual([8, false]);
      expect(all.store.getState().notice).toBe('The volume stays at 1/8 resolution: the disk did not answer');
      expect([first.isFreed, all.life.kept]).toEqual([false, first]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('leaves the first one on the screen if the GPU cannot show it', async () => {
    const { life, engine, store, shown, load, first, volume } = await setUpCoarse();
    const { viewer } = engine as unknown as { viewer: { exchangeVolume: (kept: FakeVolume) => Promise<void> } };
    viewer.exchangeVolume = async (kept) => {
      shown.push(kept);
      if (kept === volume) throw new StriaError('out-of-memory', 'no room');
    };
    await load.resolve(loadedWith(volume));
    expect([shown, first.isFreed, volume.isFreed]).toEqual([[first, volume, first], false, true]);
    expect(life.kept).toBe(first);
    expect(shownPart(store)).toEqual([8, false]);
  });

  it('is loaded on the new device if the old one is lost meanwhile', async () => {
    const { life, now, store, load, first, volume } = await setUpCoarse();
    life.deviceLost('gone');
    const next = fakeEngine();
    void life.deviceBack(next.engine, undefined);
    await settled();
    expect([load.count, first.isFreed]).toEqual([3, true]);
    await load.reject(lost);
    await load.resolve({ ...loadedWith(volume), lost: '3 voxels are missing' });
    expect([now(), next.shown]).toEqual(['ready/none', [volume]]);
    expect(shownPart(store)).toEqual([1, false]);
    expect(store.getState().notice).toBe('3 voxels are missing');
  });

  it('is given up if a second device is lost while it is loaded', async () => {
    const { life, now, store, load, steps } = await setUpCoarse();
    for (const _ of [1, 2]) {
      life.deviceLost('gone');
      void life.deviceBack(fakeEngine().engine, undefined);
      await settled();
      await load.reject(lost);
    }
    const again = coarse();
    await load.resolve({ ...loadedWith(again), hasFiner: true });
    expect([now(), life.kept, steps.at(-1)]).toEqual(['ready/none', again, 'first']);
    expect(shownPart(store)).toEqual([8, false]);
  });
});

describe('a lost device', () => {
  it('ends waiting for a volume when another one is opened or loading is cancelled', async () => {
    const { life } = setUp();
    const [first, second] = [life.open(request('a.nii')), life.open(request('b.nii'))];
    await first;
    life.cancel();
    await second;
  });

  it('restarts loading', async () => {
    const { life, engine, volume, now, load } = setUp();
    await life.deviceBack(engine, undefined);
    let isEnded = false;
    void life.open(request('a.nii')).then(() => {
      isEnded = true;
    });
    await settled();
    life.deviceLost('gone');
    expect(now()).toBe('loading/none');
    const next = fakeEngine();
    const isBack = life.deviceBack(next.engine, undefined);
    await settled();
    expect(load.count).toBe(2);
    // The first request was aborted.
    await load.resolve(loadedWith(new FakeVolume()));
    await settled();
    // A session or a file of surfaces continues only when the volume is open.
    expect(isEnded).toBe(false);
    await load.resolve(loadedWith(volume));
    await isBack;
    expect([now(), next.shown]).toEqual(['ready/none', [volume]]);
    expect(isEnded).toBe(true);
  });

  it('shows the volume from where it was seen, but not another one that was opened meanwhile', async () => {
    const { life, opened, load } = setUp();
    const view = { state: {}, viewpoints: { z: { zoom: 2, center: [1, 1] } } } as unknown as LostView;
    await opened();
    for (const name of ['scan.nii', 'other.nii']) {
      life.deviceLost('gone');
      if (name === 'other.nii') void life.open(request(name));
      const next = fakeEngine();
      const isBack = life.deviceBack(next.engine, view);
      await settled();
      await load.resolve(loadedWith(new FakeVolume()));
      await isBack;
      expect(next.viewpoints).toEqual(name === 'scan.nii' ? [view.viewpoints] : []);
    }
  });

  it('shows the first resolution if the new device has too little memory for the finest', async () => {
    const { life, store, opened, load, steps, now } = setUp();
    await opened();
    life.deviceLost('gone');
    const next = fakeEngine();
    const isBack = life.deviceBack(next.engine, undefined);
    await settled();
    await load.reject(new StriaError('out-of-memory', 'the GPU does not have enough memory'));
    const coarse = new FakeVolume({ decimation: 32 });
    await load.resolve({ ...loadedWith(coarse), hasFiner: true });
    await isBack;
    expect([now(), steps, next.shown]).toEqual(['ready/none', ['first', 'finest', 'first'], [coarse]]);
    // No finer resolution is being loaded.
    expect(store.getState().document).toMatchObject({ kind: 'ready', document: { decimation: 32, isRefining: false } });
  });

  it('restores from the compressed bytes, which are kept and can be saved meanwhile', async () => {
    const { life, store, opened, compressed, dialog, write, now, again, load, volume } = setUp();
    await opened();
    await compressed();
    life.deviceLost('gone');
    expect([now(), life.kept]).toEqual(['lost/none', undefined]);
    void life.jobs.save();
    const { sink, close } = sinkOf();
    await dialog.resolve(sink);
    expect(now()).toBe('lost/saving');
    const next = fakeEngine();
    void life.deviceBack(next.engine, undefined);
    await settled();
    expect(now()).toBe('returning/saving');
    await write.resolve(1);
    expect(close).toHaveBeenCalled();
    expect([now(), store.getState().save.kind]).toEqual(['returning/none', 'saved']);
    const back = new FakeVolume();
    await again.resolve(loadedWith(back));
    expect([now(), load.count, volume.isFreed, life.kept]).toEqual(['ready/none', 1, true, back]);
    expect(store.getState().compressed).toBeDefined();
  });

  it('keeps bricks in host memory, which are freed with the volume', async () => {
    const { life, engine, load, now } = setUp();
    const bricks = () => ({ close: vi.fn(), giveLevels: vi.fn() });
    const [first, second] = [bricks(), bricks()];
    const detail = {} as never;
    const loaded = (file: typeof first) => ({ ...loadedWith(new FakeVolume()), detail, bricks: file as never });
    await life.deviceBack(engine, undefined);
    void life.open(request('a.stria'));
    await settled();
    await load.resolve(loaded(first));
    life.deviceLost('gone');
    const broken = fakeEngine();
    Object.assign(broken.engine.gpu, {
      checkAlive: () => {
        throw lost;
      },
    });
    void life.deviceBack(broken.engine, undefined);
    await settled();
    await load.resolve(loaded(second));
    expect(first.close).not.toHaveBeenCalled();
    life.deviceLost('gone again');
    const next = fakeEngine();
    void life.deviceBack(next.engine, undefined);
    await settled();
    await load.resolve(loaded(second));
    expect([now(), next.bricks]).toEqual(['ready/none', [first]]);
    // Slices of the new device get the levels that were made.
    expect(first.giveLevels).toHaveBeenLastCalledWith(detail);
    expect(first.close).not.toHaveBeenCalled();
    life.close();
    await settled();
    expect(first.close).toHaveBeenCalled();
  });

  it('can be lost again while the volume is restored', async () => {
    const { life, opened, now, load } = setUp();
    await opened();
    life.deviceLost('gone');
    void life.deviceBack(fakeEngine().engine, undefined);
    await settled();
    life.deviceLost('gone again');
    expect(now()).toBe('lost/none');
    const last = fakeEngine();
    void life.deviceBack(last.engine, undefined);
    await load.reject(lost);
    const back = new FakeVolume();
    await load.resolve(loadedWith(back));
    expect([now(), last.shown]).toEqual(['ready/none', [back]]);
  });

  it('keeps the volume if there is no new device, and shows it when the user tries again', async () => {
    const { life, opened, now, load, store } = setUp();
    await opened();
    life.deviceLost('gone');
    life.deviceGone('gone');
    expect([now(), store.getState().document.kind]).toEqual(['stranded/none', 'ready']);
    const next = fakeEngine();
    void life.deviceBack(next.engine, undefined);
    await settled();
    const back = new FakeVolume();
    await load.resolve(loadedWith(back));
    expect([now(), next.shown]).toEqual(['ready/none', [back]]);
  });

  it('interrupts compressing with a message', async () => {
    const { life, store, opened, compress, now } = setUp();
    await opened();
    void life.jobs.compress(choice);
    await settled();
    life.deviceLost('gone');
    await compress.reject(lost);
    expect([now(), store.getState().compression]).toMatchObject(['lost/none', { kind: 'failed', fault: { tag: 'device-lost' } }]);
  });
});

describe('a result in GPU memory', () => {
  /** A volume that was compressed, and is not read back yet. */
  const setUpResult = async () => {
    const all = setUp();
    await all.opened();
    void all.life.jobs.compress(choice);
    await settled();
    const result = resultOf();
    await all.compress.resolve(result);
    return { ...all, result, shown: () => all.store.getState().compressed };
  };

  it('is shown at once, and says later when it was in host memory', async () => {
    const { now, shown, result } = await setUpResult();
    expect([now(), result.reading.count]).toEqual(['ready/none', 1]);
    expect(shown()).toMatchObject({ ms: expect.any(Number), result: { bytesOut: 1 } });
    expect(shown()?.readBack).toBeUndefined();
    await result.reading.resolve([zeros]);
    expect(shown()?.readBack?.ms).toBeGreaterThanOrEqual(shown()?.ms as number);
  });

  it('is written once it is in host memory', async () => {
    const { life, dialog, write, result, now } = await setUpResult();
    void life.jobs.save();
    await dialog.resolve(sinkOf().sink);
    expect([now(), write.count]).toEqual(['ready/saving', 0]);
    await result.reading.resolve([zeros]);
    expect(write.count).toBe(1);
  });

  it('is not written if saving is cancelled meanwhile', async () => {
    const { life, dialog, write, result } = await setUpResult();
    void life.jobs.save();
    const { sink, abort } = sinkOf();
    await dialog.resolve(sink);
    life.cancel();
    await result.reading.resolve([zeros]);
    expect([write.count, abort.mock.calls.length]).toEqual([0, 1]);
  });

  it('is in host memory before GPU memory is exchanged for it', async () => {
    const { life, keep, result } = await setUpResult();
    void life.jobs.setResidency('compressed', choice);
    await settled();
    expect(keep.count).toBe(0);
    await result.reading.resolve([zeros]);
    expect(keep.count).toBe(1);
  });

  it('is not exchanged for the voxels if it is lost meanwhile', async () => {
    const { life, keep, result, now, volume, store } = await setUpResult();
    const isKept = life.jobs.setResidency('compressed', choice);
    await settled();
    await result.reading.reject(new StriaError('out-of-memory', 'no memory'));
    await settled();
    expect([await isKept, keep.count, volume.isFreed, now()]).toEqual([false, 0, false, 'ready/none']);
    expect(store.getState().notice).toContain('lost');
  });

  it('is not exchanged if it was lost before its turn, and the notice says what to do', async () => {
    const { life, keep, result, now, volume, store } = await setUpResult();
    // The exchange waits for its turn behind the reading.
    const isKept = life.jobs.setResidency('compressed', choice);
    await result.reading.reject(lost);
    expect([await isKept, keep.count, volume.isFreed, now()]).toEqual([false, 0, false, 'ready/none']);
    expect(store.getState().notice).toBe('The compressed volume was lost before it was in host memory. Compress again');
  });

  it('is in host memory before the next one is made, and stays if that is cancelled', async () => {
    const { life, compress, result, shown, now } = await setUpResult();
    void life.jobs.compress(choice);
    await settled();
    expect([now(), compress.count]).toEqual(['ready/compressing', 1]);
    await result.reading.resolve([zeros]);
    expect(compress.count).toBe(2);
    life.cancel();
    await settled();
    expect(shown()?.readBack).toBeDefined();
  });

  it.each(['close', 'open'] as const)(
    'is given up, and its memory freed, if the volume is closed or replaced: %s',
    async (how) => {
      const { life, result, volume } = await setUpResult();
      if (how === 'close') life.close();
      else void life.open(request('b.nii'));
      await settled();
      expect([result.released.aborted, volume.isFreed]).toEqual([true, true]);
    },
  );

  it('is freed if it arrives after a cancel', async () => {
    const { life, opened, compress, store } = setUp();
    await opened();
    void life.jobs.compress(choice);
    await settled();
    const result = resultOf();
    // It was complete before the work saw the cancel.
    void compress.resolve(result);
    life.cancel();
    await settled();
    expect([result.released.aborted, store.getState().compressed]).toEqual([true, undefined]);
  });

  it('leaves the earlier result if it is lost: that can be saved, and restores the volume on the next device', async () => {
    const { life, store, dialog, write, compress, again, result, shown, now } = await setUpResult();
    await result.reading.resolve([zeros]);
    const first = shown();
    void life.jobs.compress(choice);
    await settled();
    const second = resultOf();
    await compress.resolve(second);
    expect(shown()?.readBack).toBeUndefined();
    life.deviceLost('gone');
    await second.reading.reject(lost);
    await settled();
    expect(shown()).toEqual(first);
    expect(store.getState().compression).toMatchObject({ kind: 'failed', fault: { tag: 'device-lost' } });
    void life.jobs.save();
    await dialog.resolve(sinkOf().sink);
    expect([now(), write.count]).toEqual(['lost/saving', 1]);
    await write.resolve(1);
    void life.deviceBack(fakeEngine().engine, undefined);
    await settled();
    expect(again.count).toBe(1);
  });

  it('has spare memory trimmed after it, also if it fails or is cancelled', async () => {
    for (const how of ['done', 'failed', 'cancelled']) {
      const { life, opened, compress, compressed, trims } = setUp();
      await opened();
      if (how === 'done') await compressed();
      else {
        void life.jobs.compress(choice);
        await settled();
        if (how === 'failed') await compress.reject(new StriaError('internal', 'wrong'));
        else life.cancel();
        await settled();
      }
      expect([how, trims]).toEqual([how, ['none']]);
    }
  });

  it('is lost with the device: the panel says so, saving fails, and it can be compressed again', async () => {
    const { life, store, dialog, write, load, compressed, result, shown, now } = await setUpResult();
    void life.jobs.save();
    const { sink, abort } = sinkOf();
    await dialog.resolve(sink);
    life.deviceLost('gone');
    await result.reading.reject(lost);
    await settled();
    expect([shown(), write.count, abort.mock.calls.length, now()]).toEqual([undefined, 0, 1, 'lost/none']);
    expect(store.getState()).toMatchObject({
      compression: { kind: 'failed', fault: { tag: 'device-lost' } },
      save: { kind: 'failed', fault: { tag: 'device-lost' } },
    });
    void life.deviceBack(fakeEngine().engine, undefined);
    await settled();
    await load.resolve(loadedWith(new FakeVolume()));
    expect(now()).toBe('ready/none');
    await compressed();
    expect(shown()?.readBack).toBeDefined();
    expect(store.getState().compression.kind).toBe('idle');
  });
});

describe('jobs', () => {
  it('stop when cancelled; an earlier result is kept', async () => {
    const { life, store, opened, compressed, now } = setUp();
    await opened();
    await compressed();
    const { compressed: before } = store.getState();
    void life.jobs.compress(choice);
    await settled();
    expect(now()).toBe('ready/compressing');
    life.cancel();
    await settled();
    expect([now(), store.getState().compression.kind]).toEqual(['ready/none', 'idle']);
    expect(store.getState().compressed).toBe(before);
  });

  it('exchange the contents of GPU memory, and free the old ones', async () => {
    const { life, opened, compressed, keep, now, volume, shown, shapes } = setUp();
    await opened();
    await compressed();
    const isKept = life.jobs.setResidency('compressed', choice);
    await settled();
    expect(now()).toBe('ready/exchanging');
    const next = new FakeVolume({ isCompressed: true });
    await keep.resolve(next);
    expect(await isKept).toBe(true);
    expect([now(), volume.isFreed, shown]).toEqual(['ready/none', true, [volume, next]]);
    // When it is compressed again, the volume keeps its residency.
    await compressed();
    expect(now()).toBe('ready/exchanging');
    await keep.resolve(new FakeVolume({ isCompressed: true }));
    expect([now(), next.isFreed]).toEqual(['ready/none', true]);
    expect(shapes).toEqual([compressedShape, compressedShape]);
  });

  for (const [what, interrupt] of [
    ['cancelled', (life: DocumentLife) => life.cancel()],
    ['followed by saving', (life: DocumentLife) => void life.jobs.save()],
  ] as const) {
    it(`say how the volume is kept, even if exchanging is ${what} at the last moment`, async () => {
      const { life, engine, store, opened, compressed, keep, dialog, volume, now } = setUp();
      await opened();
      await compressed();
      const exchange = new Pending<void>();
      Object.assign(engine.viewer, { exchangeVolume: () => exchange.call() });
      const isKept = life.jobs.setResidency('compressed', choice);
      await settled();
      await keep.resolve(new FakeVolume({ isCompressed: true }));
      interrupt(life);
      await dialog.resolve(sinkOf().sink);
      const job = now();
      await exchange.resolve();
      expect([await isKept, volume.isFreed]).toEqual([true, true]);
      expect(store.getState().residency).toMatchObject({ kept: 'compressed', progress: undefined });
      expect(now()).toBe(job);
    });
  }

  it('say how the volume is kept if it is exchanged but cannot be drawn in 3D', async () => {
    const { life, engine, store, opened, compressed, keep, now } = setUp();
    await opened();
    await compressed();
    const full = new StriaError('out-of-memory', 'no room for the texture');
    Object.assign(engine.viewer, { exchangeVolume: () => Promise.reject(full) });
    void life.jobs.setResidency('compressed', choice);
    await settled();
    await keep.resolve(new FakeVolume({ isCompressed: true }));
    expect(now()).toBe('ready/none');
    expect(store.getState()).toMatchObject({ notice: 'no room for the texture', residency: { kept: 'compressed' } });
  });

  it('say what to do if the exchange fails for an unknown reason', async () => {
    const { life, store, opened, compressed, keep } = setUp();
    await opened();
    await compressed();
    void life.jobs.setResidency('compressed', choice);
    await settled();
    await keep.reject(new TypeError('x is undefined') as never);
    await settled();
    expect(store.getState().notice).toBe(
      'Internal error: x is undefined. Please report it with the diagnostics. Your file was not changed.',
    );
  });

  it('do not interrupt writing a file', async () => {
    const { life, store, opened, compressed, dialog, write, now, shapes } = setUp();
    await opened();
    await compressed();
    void life.jobs.save();
    const { sink, close, abort } = sinkOf();
    await dialog.resolve(sink);
    expect(shapes).toEqual([compressedShape]);
    expect(await life.jobs.setResidency('compressed', choice)).toBe(false);
    expect(store.getState().notice).toContain('being saved');
    await life.jobs.compress(choice);
    expect(now()).toBe('ready/saving');
    await write.resolve(1);
    expect([close.mock.calls.length, abort.mock.calls.length]).toEqual([1, 0]);
  });

  it('write nothing to a disk without enough space', async () => {
    const { life, store, opened, compressed, dialog, write, now } = setUp();
    await opened();
    await compressed();
    void life.jobs.save();
    const { sink, close, abort } = sinkOf();
    await dialog.resolve({ ...sink, freeBytes: 0 });
    expect([write.count, close.mock.calls.length, abort.mock.calls.length, now()]).toEqual([0, 0, 1, 'ready/none']);
    expect(store.getState().save).toMatchObject({
      kind: 'failed',
      fault: { tag: 'not-writable', message: expect.stringMatching(/^'a\.stria' needs 1\sB, and its disk has 0\sB free$/) },
    });
  });

  it('warn before they write a file of unknown size to a disk with little space', async () => {
    const { life, store, opened, dialog } = setUp();
    await opened(new FakeVolume({ decimation: 2 }));
    void life.jobs.compress(choice);
    await dialog.resolve({ ...sinkOf().sink, freeBytes: 100 });
    expect(store.getState().notice).toMatch(/^Low disk space: 100\sB free/);
  });

  it.each(['cancel', 'close'] as const)('remove the file that is being written: %s', async (how) => {
    const { life, opened, compressed, dialog } = setUp();
    await opened();
    await compressed();
    void life.jobs.save();
    const { sink, close, abort } = sinkOf();
    await dialog.resolve(sink);
    life[how]();
    await settled();
    expect([close.mock.calls.length, abort.mock.calls.length]).toEqual([0, 1]);
  });

  it('write nothing of a volume that was closed while the user chose where to save', async () => {
    const { life, opened, compressed, dialog, write } = setUp();
    await opened();
    await compressed();
    void life.jobs.save();
    void life.open(request('b.nii'));
    const { sink, abort } = sinkOf();
    await dialog.resolve(sink);
    expect([write.count, abort.mock.calls.length]).toEqual([0, 1]);
  });

  it('compress a volume that is only partly in GPU memory from its file, and report it as saved', async () => {
    const { life, store, opened, dialog, stream, now } = setUp();
    await opened(new FakeVolume({ decimation: 2 }));
    void life.jobs.compress(choice);
    await dialog.resolve(sinkOf().sink);
    expect(now()).toBe('ready/streaming');
    const report = { bytesIn: 1, bytesOut: 1, voxelBytes: 1, chunks: [], timesMs: {}, timeline: [] };
    await stream.resolve(report as never);
    expect([now(), store.getState().save.kind]).toEqual(['ready/none', 'saved']);
  });

  it('begin such a file again on the next device, and then on the CPU, if the device is lost', async () => {
    const { life, store, opened, dialog, stream, streamDevices, now } = setUp();
    await opened(new FakeVolume({ decimation: 2 }));
    const begin = async () => {
      void life.jobs.compress(choice);
      const made = sinkOf();
      await dialog.resolve(made.sink);
      return made;
    };
    const first = await begin();
    life.deviceLost('gone');
    await stream.reject(lost);
    await stream.reject(lost);
    expect([now(), streamDevices, first.restart.mock.calls.length]).toEqual(['lost/streaming', [undefined, undefined, 'cpu'], 2]);
    expect([first.abort.mock.calls.length, dialog.count]).toEqual([0, 1]);
    const report = { bytesIn: 1, bytesOut: 1, voxelBytes: 1, chunks: [], timesMs: {}, timeline: [] };
    await stream.resolve(report as never);
    expect([now(), store.getState().save.kind]).toEqual(['lost/none', 'saved']);
  });

  it('give such a file up if the CPU cannot compress it either, or at any other fault, or if the user cancels', async () => {
    for (const fault of [lost, new StriaError('corrupt', 'the file is damaged'), undefined]) {
      const { life, store, opened, dialog, stream, now } = setUp();
      await opened(new FakeVolume({ decimation: 2 }));
      void life.jobs.compress(choice);
      const { sink, abort } = sinkOf();
      await dialog.resolve(sink);
      if (fault === undefined) life.cancel();
      else for (let tries = fault === lost ? 3 : 1; tries > 0; tries--) await stream.reject(fault);
      await settled();
      expect([now(), abort.mock.calls.length, stream.count]).toEqual(['ready/none', 1, fault === lost ? 3 : 1]);
      expect(store.getState().compression).toMatchObject(
        fault ? { kind: 'failed', fault: { tag: fault.tag } } : { kind: 'idle' },
      );
    }
  });
});
