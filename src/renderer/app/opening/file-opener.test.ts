import { expect, test, vi } from 'vitest';
import type { HostFile } from '../../host/host.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { startProgress } from '../state/progress.ts';
import { isAsking, reached } from '../state/questions.ts';
import { sampleTitle } from '../state/samples.ts';
import { createAppStore } from '../state/store.ts';
import { FileOpener, type OpenerNeeds } from './file-opener.ts';

const file = (name: string) => ({ name, size: 10 }) as HostFile;
const nextTask = () => new Promise((resolve) => setTimeout(resolve));
const sample = { kind: 'potential', side: 64 } as const;

/** @param open what is open: a volume, surfaces without one, or nothing */
function setUp(open: 'volume' | 'surfaces' | 'nothing') {
  const store = createAppStore();
  const space = open === 'surfaces' ? { dims: [4, 4, 4], edge: 1, origin: [0, 0, 0] } : undefined;
  const document = { opened: {}, space } as unknown as OpenDocument;
  store.setState({ gpu: { kind: 'ready' } as never });
  if (open !== 'nothing') store.setState({ document: { kind: 'ready', document } });
  const calls = {
    open: vi.fn(),
    queue: vi.fn(),
    ask: vi.fn(),
    addAll: vi.fn(async () => true),
    keepFor: vi.fn(),
    openSurfaces: vi.fn(),
    addSurfaces: vi.fn(),
    openRecent: vi.fn<(id: string) => Promise<HostFile>>(),
    fail: vi.fn(),
  };
  const opener = new FileOpener({
    host: { openRecent: calls.openRecent },
    store,
    document: { open: async (request) => calls.open(request), ask: () => {}, fail: calls.fail },
    leaving: { before: (leave) => leave() },
    queue: { add: calls.queue },
    playback: { playNext: () => {} },
    second: { ask: calls.ask },
    layers: { addAll: calls.addAll },
    meshes: { addFiles: calls.addSurfaces },
    surfaceFiles: { keepFor: calls.keepFor, join: () => false, open: calls.openSurfaces, add: calls.addSurfaces },
    lostFiles: { takeSurfaces: async (files) => files },
    labels: { takes: () => false, load: async () => {} },
    alignment: { mayTake: () => false, take: async () => false },
    gpuOpened: async () => {},
    makeWay: () => false,
    showLayers: () => {},
  } as unknown as OpenerNeeds);
  return { opener, store, ...calls };
}

test('a file is opened, several are compressed one after the other, and a second one leads to a question', async () => {
  const none = setUp('nothing');
  none.opener.open([file('scan.nii')]);
  await nextTask();
  expect(none.open).toHaveBeenCalledWith(
    expect.objectContaining({ kind: 'file', file: expect.objectContaining({ name: 'scan.nii' }) }),
  );
  none.opener.open([file('a.nii'), file('b.nii')]);
  await nextTask();
  expect(none.queue).toHaveBeenCalledTimes(1);
  const volume = setUp('volume');
  volume.opener.open([file('scan.nii')]);
  await nextTask();
  expect(volume.ask).toHaveBeenCalledWith('scan.nii', expect.anything());
  expect(volume.open).not.toHaveBeenCalled();
});

test('files that are opened while the user is asked wait, and their own questions follow, one after the other', async () => {
  const { opener, store, ask, queue } = setUp('volume');
  ask.mockImplementation((secondName: string) => store.setState({ overlay: 'second', secondName }));
  const asked = () => ask.mock.calls.map(([name]) => name);
  const answer = async () => {
    store.setState({ overlay: 'none' });
    await nextTask();
  };
  // In one task, before the question of the first is asked.
  opener.open([file('a.nii')]);
  opener.open([file('b.nii')]);
  await nextTask();
  opener.open([file('c.nii'), file('d.nii')]);
  opener.open([file('e.nii')]);
  await nextTask();
  expect([asked(), store.getState().waitingFiles]).toEqual([['a.nii'], ['b.nii', 'c.nii', 'd.nii', 'e.nii']]);
  await answer();
  expect([asked(), store.getState().waitingFiles]).toEqual([
    ['a.nii', 'b.nii'],
    ['c.nii', 'd.nii', 'e.nii'],
  ]);
  expect(queue).not.toHaveBeenCalled();
  await answer();
  expect(queue).toHaveBeenCalledTimes(1);
  expect([asked(), store.getState().waitingFiles]).toEqual([['a.nii', 'b.nii', 'e.nii'], []]);
  await answer();
  // Nothing waits any more.
  opener.open([file('f.nii')]);
  await nextTask();
  expect(asked()).toEqual(['a.nii', 'b.nii', 'e.nii', 'f.nii']);
});

test('a file that is dropped while an address is typed waits until that dialog closes', async () => {
  const { opener, store, open } = setUp('nothing');
  store.setState({ overlay: 'address' });
  opener.open([file('a.nii')]);
  await nextTask();
  expect([open.mock.calls.length, store.getState().overlay, store.getState().waitingFiles]).toEqual([0, 'address', ['a.nii']]);
  // The address is opened, too, after the file that waits.
  store.setState({ overlay: 'none' });
  opener.open([file('b.nii')]);
  await nextTask();
  expect(open.mock.calls.map(([request]) => request.file.name)).toEqual(['a.nii', 'b.nii']);
});

test('a file that was sought while an address is typed ends its own search, before files that wait for it', async () => {
  const { opener, store, open } = setUp('nothing');
  store.setState({ overlay: 'address', document: { kind: 'loading', name: 'given.nii', progress: {} as never } });
  opener.open([file('b.nii')]);
  await nextTask();
  opener.openSought(file('given.nii'));
  await nextTask();
  expect([open.mock.calls.length, store.getState().waitingFiles]).toEqual([0, ['given.nii', 'b.nii']]);
  store.setState({ overlay: 'none' });
  await nextTask();
  expect(open.mock.calls.map(([request]) => request.file.name)).toEqual(['given.nii']);
  store.setState({ document: { kind: 'empty' } });
  await nextTask();
  expect(open.mock.calls.map(([request]) => request.file.name)).toEqual(['given.nii', 'b.nii']);
});

test('a file that waits takes no place of a question that something else has asked since the answer', async () => {
  const { opener, store, ask } = setUp('volume');
  ask.mockImplementation((secondName: string) => store.setState({ overlay: 'second', secondName }));
  opener.open([file('a.nii')]);
  await nextTask();
  // Like a layer whose file has several volumes.
  const question = reached(store, (state) => !isAsking(state)).then(() => store.setState({ overlay: 'layer-volumes' }));
  opener.open([file('b.nii')]);
  store.setState({ overlay: 'none' });
  await question;
  await nextTask();
  expect([store.getState().overlay, ask.mock.calls.length]).toEqual(['layer-volumes', 1]);
  store.setState({ overlay: 'none' });
  await nextTask();
  expect([store.getState().overlay, store.getState().secondName]).toEqual(['second', 'b.nii']);
});

test('a file that waits is opened once the one that replaces the volume is open, or has failed, which a notice then says', async () => {
  for (const [isLoaded, notice] of [[true], [false, 'a.nii: the file is damaged']] as const) {
    const { opener, store, ask, open } = setUp('volume');
    ask.mockImplementation((secondName: string) => store.setState({ overlay: 'second', secondName }));
    opener.open([file('a.nii')]);
    await nextTask();
    opener.open([file('b.nii')]);
    const progress = startProgress('Opening', undefined, 0);
    // Like the answer: first the question is hidden, and then loading begins.
    store.setState({ overlay: 'none' });
    store.setState({ document: { kind: 'loading', name: 'a.nii', progress } });
    await nextTask();
    opener.open([file('c.nii')]);
    expect(store.getState().notice).toBe('c.nii follows once the file before it is open');
    store.setState({ notice: undefined });
    expect([ask.mock.calls.length, open.mock.calls.length]).toEqual([1, 0]);
    const fault = { tag: 'corrupt', message: 'the file is damaged', context: [] } as const;
    const document = { opened: {} } as OpenDocument;
    store.setState({ document: isLoaded ? { kind: 'ready', document } : { kind: 'failed', name: 'a.nii', fault } });
    await nextTask();
    expect(store.getState().notice).toBe(notice);
    expect(isLoaded ? ask.mock.calls.at(-1)?.[0] : open.mock.calls[0]?.[0]?.file?.name).toBe('b.nii');
  }
});

test('a volume added to surfaces without a volume is opened under them, and further volumes become its layers', () => {
  const { opener, open, keepFor, queue, addAll } = setUp('surfaces');
  opener.addLayers([file('t1.nii'), file('pet.nii'), file('lh.stl')]);
  expect(open).toHaveBeenCalledTimes(1);
  expect(open.mock.calls[0]?.[0]).toMatchObject({ kind: 'file', file: { name: 't1.nii' } });
  const [name, over] = keepFor.mock.calls[0] ?? [];
  expect([name, over.map((one: HostFile) => one.name)]).toEqual(['t1.nii', ['pet.nii', 'lh.stl']]);
  expect(queue).not.toHaveBeenCalled();
  expect(addAll).not.toHaveBeenCalled();
});

test('a sample opened over surfaces without a volume keeps them', async () => {
  const { opener, open, keepFor } = setUp('surfaces');
  opener.openSample(sample);
  await nextTask();
  expect(keepFor).toHaveBeenCalledWith(sampleTitle(sample), []);
  expect(open).toHaveBeenCalledWith({ kind: 'sample', sample });
});

test('surfaces are added although an earlier layer failed or is still being loaded', async () => {
  for (const kind of ['failed', 'loading']) {
    const { opener, store, addSurfaces } = setUp('volume');
    store.setState(({ layers }) => ({ layers: { ...layers, adding: { kind, name: 'pet.nii' } as never } }));
    opener.open([file('lh.stl')]);
    await nextTask();
    expect(addSurfaces, kind).toHaveBeenCalledWith([expect.objectContaining({ name: 'lh.stl' })], expect.anything());
  }
});

test('surfaces are added after the volumes that are added with them, and not if one of these fails', async () => {
  for (const areAdded of [true, false]) {
    const { opener, addAll, addSurfaces } = setUp('volume');
    addAll.mockImplementation(async () => areAdded);
    opener.addLayers([file('pet.nii'), file('lh.stl')]);
    await nextTask();
    expect(addAll.mock.invocationCallOrder[0]).toBeLessThan(addSurfaces.mock.invocationCallOrder[0] ?? 0);
    const [surfaces, isWanted] = addSurfaces.mock.calls[0] ?? [];
    expect([surfaces, await isWanted]).toEqual([[file('lh.stl')], areAdded]);
  }
});

test('a recent file that is found, or not found, after something else was opened leaves that alone', async () => {
  for (const answer of [() => Promise.resolve(file('late.nii')), () => Promise.reject(new Error('the server does not answer'))]) {
    const { opener, store, open, ask, fail, openRecent } = setUp('nothing');
    let settle = () => {};
    openRecent.mockImplementation(() => new Promise((resolve, reject) => (settle = () => void answer().then(resolve, reject))));
    opener.openRecent('1', 'late.nii');
    store.setState({ document: { kind: 'ready', document: { opened: {} } as OpenDocument } });
    settle();
    await nextTask();
    expect([open, ask, fail].map(({ mock }) => mock.calls)).toEqual([[], [], []]);
  }
});

test('of several recent files, the last one is opened', async () => {
  const { opener, open, openRecent } = setUp('nothing');
  const settle: (() => void)[] = [];
  openRecent.mockImplementation((id) => new Promise((resolve) => settle.push(() => resolve(file(id)))));
  opener.openRecent('slow.nii', 'slow.nii');
  opener.openRecent('quick.nii', 'quick.nii');
  settle[1]?.();
  settle[0]?.();
  await nextTask();
  expect(open.mock.calls).toEqual([[expect.objectContaining({ file: expect.objectContaining({ name: 'quick.nii' }) })]]);
});
