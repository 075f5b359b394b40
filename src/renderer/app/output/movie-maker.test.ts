import { expect, test } from 'vitest';
import { StriaError } from '../../../core/shared/errors.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { PictureRequest, ViewPicture } from '../../viewer/model/picture.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { createAppStore } from '../state/store.ts';
import { MovieMaker } from './movie-maker.ts';
import type { MovieTarget } from './movie-target.ts';

/** A movie of three frames. @param draw takes the pictures of the 3D view */
function setUp(draw: (view: string, request: PictureRequest) => Promise<ViewPicture>, shownTime = 0) {
  const store = createAppStore();
  const opened = {};
  const open = (isRefining: boolean) => {
    const info = testInfo([8, 8, 8, 1], 'u8');
    const document = { opened, info, name: 'big.stria', decimation: isRefining ? 4 : 1, isRefining } as OpenDocument;
    store.setState({ document: { kind: 'ready', document } });
  };
  const { output } = store.getState();
  store.setState({ output: { ...output, movie: { ...output.movie, frames: 3 } } });
  const log: string[] = [];
  const changes: object[] = [];
  const target: MovieTarget = {
    name: 'big turntable',
    folder: '/movies',
    write: async (index) => void log.push(`frame ${index}`),
    close: async () => 'big turntable',
    abort: async () => void log.push('removed'),
  };
  const maker = new MovieMaker({} as never, store, async () => target);
  const viewer = {
    set: (change: object) => void changes.push(change),
    snapshot: () => ({
      state: { timePoint: shownTime, crosshair: [0, 0, 0], window: [0, 1], projection: 'mip', colormap: 'gray' },
    }),
    views: { shownSizes: () => new Map([['3d', [16, 16]]]) },
    pictures: { longestEdge: 1024, take: draw },
  } as unknown as Viewer;
  const make = () => maker.make({ viewer, layout: '3d', sliceAxis: 'z', screenRatio: 1 });
  return { store, open, maker, make, log, changes, work: () => store.getState().output.movieWork };
}

const picture = { width: 16, height: 16 } as ViewPicture;
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

test('a movie waits until no finer resolution is loading, so that all frames have the same resolution', async () => {
  let drawn = 0;
  const { open, make, log, work } = setUp(async () => {
    drawn++;
    return picture;
  });
  open(true);
  const made = make();
  await nextTask();
  expect(drawn).toBe(0);
  expect(work()).toMatchObject({ kind: 'running', progress: { total: undefined } });
  open(false);
  await made;
  expect(log).toEqual(['frame 0', 'frame 1', 'frame 2']);
  expect(work()).toMatchObject({ kind: 'done', frames: 3 });
});

test('a movie that waits can be cancelled', async () => {
  const { open, make, maker, log, work } = setUp(async () => picture);
  open(true);
  const made = make();
  await nextTask();
  maker.cancel();
  await made;
  expect(log).toEqual(['removed']);
  expect(work().kind).toBe('none');
});

test('a movie whose view is closed says so, and leaves no files', async () => {
  let drawn = 0;
  const { open, make, log, work } = setUp(async () => {
    if (drawn++ === 1) throw new StriaError('aborted', 'the 3D view was closed');
    return picture;
  });
  open(false);
  await make();
  expect(log).toEqual(['frame 0', 'removed']);
  expect(work()).toMatchObject({ kind: 'failed', fault: { message: expect.stringContaining('the view was closed') } });
});

/** Opens two channels of three time points each, and chooses a movie over time. */
function openChannels({ store }: ReturnType<typeof setUp>): void {
  const info = { ...testInfo([8, 8, 8, 6], 'u8'), channels: [{ name: 'a' }, { name: 'b' }] };
  const document = { opened: {}, info, name: 'two.tif', decimation: 1, isRefining: false } as unknown as OpenDocument;
  const { output } = store.getState();
  const movie = { ...output.movie, kind: 'time', first: 0, last: 2 } as const;
  store.setState({ document: { kind: 'ready', document }, output: { ...output, movie } });
}

test('a movie over time stays within the shown channel, and then shows the earlier time point again', async () => {
  const times: unknown[] = [];
  const set = setUp(async (_, { state }) => {
    times.push(state?.timePoint);
    return picture;
  }, 4);
  openChannels(set);
  await set.make();
  expect(times).toEqual([3, 4, 5]);
  expect(set.changes.at(-1)).toEqual({ timePoint: 4 });
});

test('a movie that ends with its volume leaves the time point of the next volume alone', async () => {
  const set = setUp(async () => {
    set.open(false);
    return picture;
  }, 4);
  openChannels(set);
  await set.make();
  expect(set.log).toEqual(['removed']);
  expect(set.changes).toEqual([{ timePoint: 3 }]);
});
