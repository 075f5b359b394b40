import { describe, expect, it, vi } from 'vitest';
import { memorySink } from '../../../core/shared/bytes.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import type { CompressReport } from '../../../core/stream/compress/compress-contract.ts';
import type { HostFile } from '../../host/host.ts';
import type { Dataset } from '../loading/datasets.ts';
import { createAppStore } from '../state/store.ts';
import type { BackgroundCompressor } from './background.ts';
import { CompressQueue } from './queue.ts';

const report = { bytesIn: 100, bytesOut: 25 } as CompressReport;

function file(name: string): Dataset<HostFile> {
  const primary: HostFile = {
    name,
    size: 100,
    handle: { kind: 'blob', name, blob: new Blob() },
    siblings: async () => undefined,
  };
  return { primary, companions: [] };
}

/** A promise that the test settles. */
function gate() {
  let open = () => {};
  let fail: (error: StriaError) => void = () => {};
  const opened = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { open, fail, opened };
}

/** A queue whose jobs the test finishes by hand, by file name. */
function setUp(fault?: () => StriaError) {
  const store = createAppStore();
  const jobs = new Map<string, { done: () => void; fail: (error: StriaError) => void }>();
  const started: string[] = [];
  const saved: string[] = [];
  const sinks: ReturnType<typeof memorySink>[] = [];
  const compress: BackgroundCompressor['compress'] = (request, _sink, _choice, { signal }) =>
    new Promise((resolve, reject) => {
      const { file, dataset = '' } = request.kind === 'file' ? request : { file: { name: '' } };
      const name = `${file.name} ${dataset}`.trim();
      started.push(name);
      signal?.addEventListener('abort', () => reject(new StriaError('aborted', 'cancelled')));
      jobs.set(name, { done: () => resolve(report), fail: reject });
    });
  const saveBeside = async (_file: HostFile, name: string) => {
    saved.push(name);
    const sink = memorySink();
    sinks.push(sink);
    const write = fault ? () => Promise.reject(fault()) : sink.write;
    return { ...sink, write, name, folder: '/scans' };
  };
  const queue = new CompressQueue({ saveBeside }, store, { compress });
  const states = () => store.getState().queue.map(({ state }) => state.kind);
  const running = (name: string) => vi.waitFor(() => expect(started).toContain(name));
  return { queue, store, jobs, started, saved, sinks, states, running };
}

describe('the queue', () => {
  it('tells of which opening it has kept the levels', async () => {
    const { queue, store, jobs, saved, running } = setUp();
    const opened = {};
    queue.addLevels(opened, { file: file('a.nii').primary });
    await running('a.nii');
    expect(store.getState()).toMatchObject({ levelsKeptOf: undefined, queue: [{ levelsOf: opened }] });
    jobs.get('a.nii')?.done();
    await vi.waitFor(() => expect(store.getState().levelsKeptOf).toBe(opened));
    expect(saved).toEqual(['a.nii.levels.stria']);
  });

  it('writes levels that are made already as they are', async () => {
    const { queue, store, started, saved, sinks } = setUp();
    const opened = {};
    const bytes = new Uint8Array(5 * 2 ** 20).map((_, at) => at % 251);
    queue.addLevels(opened, { file: file('a.nii').primary }, new Blob([bytes]));
    await vi.waitFor(() => expect(store.getState().levelsKeptOf).toBe(opened));
    expect([started, saved]).toEqual([[], ['a.nii.levels.stria']]);
    expect(Buffer.from(sinks[0]?.bytes() ?? []).equals(bytes)).toBe(true);
    expect(store.getState().queue[0]?.state).toMatchObject({ kind: 'done', bytesOut: bytes.length });
  });

  it('leaves nothing of such levels if they cannot be written', async () => {
    const { queue, store, sinks, states } = setUp(() => new StriaError('not-writable', 'the disk is full'));
    queue.addLevels({}, { file: file('a.nii').primary }, new Blob(['levels']));
    await vi.waitFor(() => expect(states()).toEqual(['failed']));
    expect([sinks[0]?.bytes().length, store.getState().levelsKeptOf]).toEqual([0, undefined]);
  });

  it('discards such levels if they are cancelled while their last bytes are written', async () => {
    const store = createAppStore();
    const sink = memorySink();
    let finish: (() => void) | undefined;
    const write = () => new Promise<void>((resolve) => (finish = resolve));
    const close = vi.fn(sink.close);
    const saveBeside = async (_file: HostFile, name: string) => ({ ...sink, write, close, name, folder: '/scans' });
    const queue = new CompressQueue({ saveBeside }, store, { compress: () => Promise.reject(new Error('not used')) });
    queue.addLevels({}, { file: file('a.nii').primary }, new Blob(['levels']));
    await vi.waitFor(() => expect(finish).toBeDefined());
    queue.cancelAll();
    finish?.();
    await vi.waitFor(() => expect(store.getState().queue[0]?.state.kind).toBe('cancelled'));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(close).not.toHaveBeenCalled();
    expect(store.getState().levelsKeptOf).toBeUndefined();
  });

  /** A queue whose GPUs are lost during this many tries. @param onLoss called with the queue at each loss */
  function setUpLosses(losses: number, onLoss: (queue: CompressQueue) => void = () => {}) {
    const tries: (string | undefined)[] = [];
    const sinks: ReturnType<typeof memorySink>[] = [];
    const saveBeside = async (_file: HostFile, name: string) => {
      const sink = memorySink();
      sinks.push(sink);
      return { ...sink, name: `${name} ${sinks.length}`, folder: '/scans' };
    };
    const compress: BackgroundCompressor['compress'] = async (_request, sink, _choice, _job, _makes, device) => {
      tries.push(device);
      await sink.write(new Uint8Array(tries.length));
      if (tries.length > losses) return report;
      await sink.abort();
      onLoss(queue);
      throw new StriaError('device-lost', 'the GPU device was lost: gone');
    };
    const store = createAppStore();
    const queue: CompressQueue = new CompressQueue({ saveBeside }, store, { compress });
    queue.add([file('a.nii')]);
    const ended = () =>
      vi.waitFor(() => expect(store.getState().queue.every(({ state }) => state.kind !== 'running')).toBe(true));
    return { store, tries, sinks, ended };
  }

  it('begins a file again on the next device if the GPU is lost, and at last on the CPU', async () => {
    const { store, tries, sinks, ended } = setUpLosses(2);
    await ended();
    expect(tries).toEqual([undefined, undefined, 'cpu']);
    expect(store.getState().queue[0]?.state).toMatchObject({ kind: 'done', name: 'a.nii.stria 3' });
    expect(sinks.map((sink) => sink.bytes().length)).toEqual([0, 0, 3]);
  });

  it('ends such a file if it is cancelled meanwhile, or if even the CPU says that a device was lost', async () => {
    const lost = setUpLosses(3);
    await lost.ended();
    expect([lost.tries.length, lost.store.getState().queue[0]?.state]).toMatchObject([
      3,
      { kind: 'failed', fault: { tag: 'device-lost' } },
    ]);
    const cancelled = setUpLosses(1, (queue) => queue.cancelAll());
    await cancelled.ended();
    expect([cancelled.tries.length, cancelled.store.getState().queue[0]?.state.kind]).toEqual([1, 'cancelled']);
  });

  /** A queue of one file, which is compressed and then closed. The test opens the gates. */
  function setUpClosing() {
    const store = createAppStore();
    const sink = memorySink();
    const compressed = gate();
    const closed = gate();
    const close = vi.fn(() => closed.opened);
    const abort = vi.fn(sink.abort);
    const saveBeside = async (_file: HostFile, name: string) => ({ ...sink, close, abort, name, folder: '/scans' });
    // As the worker does it. It hears of a cancel too late.
    const compress: BackgroundCompressor['compress'] = async (_request, to) => {
      await compressed.opened;
      await to.close().catch(async (error) => {
        await to.abort();
        throw error;
      });
      return report;
    };
    const queue = new CompressQueue({ saveBeside }, store, { compress });
    queue.add([file('a.nii')]);
    const state = () => store.getState().queue[0]?.state.kind;
    return { queue, state, compressed, closed, close, abort };
  }

  it('calls a file saved that was cancelled while it was being closed', async () => {
    const { queue, state, compressed, closed, close } = setUpClosing();
    compressed.open();
    await vi.waitFor(() => expect(close).toHaveBeenCalled());
    queue.cancelAll();
    expect(state()).toBe('running');
    closed.open();
    await vi.waitFor(() => expect(state()).toBe('done'));
  });

  it('calls a file failed that was cancelled while it was being closed, if it could not be saved', async () => {
    const { queue, state, compressed, closed, close, abort } = setUpClosing();
    compressed.open();
    await vi.waitFor(() => expect(close).toHaveBeenCalled());
    queue.cancelAll();
    closed.fail(new StriaError('not-writable', 'the disk is full'));
    await vi.waitFor(() => expect(state()).toBe('failed'));
    expect(abort).toHaveBeenCalledOnce();
  });

  it('does not save a file that was cancelled just before it would have been closed', async () => {
    const { queue, state, compressed, close, abort } = setUpClosing();
    await vi.waitFor(() => expect(state()).toBe('running'));
    await new Promise((resolve) => setTimeout(resolve, 0));
    queue.cancelAll();
    compressed.open();
    await vi.waitFor(() => expect(abort).toHaveBeenCalledOnce());
    expect([state(), close.mock.calls]).toEqual(['cancelled', []]);
  });

  it('compresses one file after the other, beside the sources', async () => {
    const { queue, store, jobs, started, saved, states, running } = setUp();
    queue.add([file('a.nii.gz'), file('b.nii')]);
    await running('a.nii.gz');
    expect(states()).toEqual(['running', 'waiting']);
    expect(started).toEqual(['a.nii.gz']);
    jobs.get('a.nii.gz')?.done();
    await running('b.nii');
    expect(store.getState().queue[0]?.state).toMatchObject({ kind: 'done', bytesOut: 25, folder: '/scans', name: 'a.nii.stria' });
    jobs.get('b.nii')?.done();
    await vi.waitFor(() => expect(states()).toEqual(['done', 'done']));
    expect(saved).toEqual(['a.nii.stria', 'b.nii.stria']);
  });

  it('continues after a file that fails, and says why', async () => {
    const { queue, store, jobs, states, running } = setUp();
    queue.add([file('a.nii'), file('b.nii')]);
    await running('a.nii');
    jobs.get('a.nii')?.fail(new StriaError('corrupt', 'the file ends early'));
    await running('b.nii');
    jobs.get('b.nii')?.done();
    await vi.waitFor(() => expect(states()).toEqual(['failed', 'done']));
    expect(store.getState().queue[0]?.state).toMatchObject({ fault: { tag: 'corrupt', message: 'the file ends early' } });
  });

  it('asks which volumes of a file to compress, and goes on with the others', async () => {
    const { queue, store, jobs, started, saved, states, running } = setUp();
    queue.add([file('run.h5'), file('b.nii')]);
    await running('run.h5');
    jobs.get('run.h5')?.fail(new StriaError('several', 'there are 3 volumes here'));
    await running('b.nii');
    expect(states()).toEqual(['several', 'running']);
    queue.choose(store.getState().queue[0]?.id ?? 0, [
      { id: '/a', label: 'a' },
      { id: '/deep/b', label: '' },
    ]);
    expect(store.getState().queue.map(({ name }) => name)).toEqual(['run.h5 · a', 'run.h5 · /deep/b', 'b.nii']);
    jobs.get('b.nii')?.done();
    for (const dataset of ['/a', '/deep/b']) {
      await running(`run.h5 ${dataset}`);
      jobs.get(`run.h5 ${dataset}`)?.done();
    }
    await vi.waitFor(() => expect(states()).toEqual(['done', 'done', 'done']));
    expect(started).toEqual(['run.h5', 'b.nii', 'run.h5 /a', 'run.h5 /deep/b']);
    expect(saved.slice(-2)).toEqual(['run.h5-a.stria', 'run.h5-deep-b.stria']);
  });

  it('responds to a cancel at once, waiting or running', async () => {
    const { queue, store, started, states, running } = setUp();
    queue.add([file('a.nii'), file('b.nii'), file('c.nii')]);
    await running('a.nii');
    const [first, second] = store.getState().queue;
    queue.cancel(second?.id ?? 0);
    queue.cancel(first?.id ?? 0);
    expect(states()).toEqual(['cancelled', 'cancelled', 'waiting']);
    await running('c.nii');
    expect(started).toEqual(['a.nii', 'c.nii']);
    queue.cancelAll();
    expect(states()).toEqual(['cancelled', 'cancelled', 'cancelled']);
    queue.clear();
    expect(store.getState().queue).toEqual([]);
  });
});
