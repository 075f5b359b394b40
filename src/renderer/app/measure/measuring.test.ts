import { describe, expect, test } from 'vitest';
import { StriaError } from '../../../core/shared/errors.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import type { MeasureBoard } from '../../viewer/model/view-host.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { regionKey } from '../state/regions.ts';
import { createAppStore } from '../state/store.ts';
import { measurementLines, measurementsCsv } from './measurement-words.ts';
import { Measuring, type RegionReader } from './measuring.ts';

const dims = [8, 8, 4, 1] as const;
// Voxels of 1 × 1 × 2 mm at 10, 20, 30.
const info = { ...testInfo(dims, 'u8'), affine: [1, 0, 0, 10, 0, 1, 0, 20, 0, 0, 2, 30], slope: 2, intercept: -1 };
const rectangle: Measurement = {
  id: 'rectangle-1',
  kind: 'rectangle',
  name: 'Left, "inner"',
  axis: 'z',
  timePoint: 0,
  points: [
    [1, 2, 1.5],
    [4, 4, 1.5],
  ],
};
const line: Measurement = {
  ...rectangle,
  id: 'distance-1',
  kind: 'distance',
  name: 'Line',
  points: [
    [0.5, 0.5, 0.5],
    [3.5, 4.5, 0.5],
  ],
};

/** Each voxel's value is its x. */
function volume(read: () => Promise<void> = async () => {}): VolumeSource {
  const values = Uint8Array.from({ length: 8 * 8 * 4 }, (_, at) => at % 8);
  return {
    info,
    decimation: 1,
    dims,
    readBox: async (_, visit) => {
      await read();
      visit({ first: [0, 0, 0], size: [8, 8, 4], values, rowLength: 8 });
    },
  } as VolumeSource;
}

const noFile: RegionReader = () => Promise.reject(new Error('the file is not needed'));

function begin(source: VolumeSource | undefined, fromFile = noFile) {
  const store = createAppStore();
  let boards = 0;
  let board: MeasureBoard | undefined;
  const viewer = {
    subscribe: () => () => {},
    overlays: {
      cancelMeasuring: () => false,
      showMeasurements: (next: MeasureBoard) => {
        boards++;
        board = next;
      },
    },
  };
  const measuring = new Measuring(store, () => source, fromFile);
  store.setState({ gpu: { kind: 'ready', viewer } as never });
  store.setState({ document: { kind: 'ready', document: { info, name: 'a' } as never } });
  return { store, measuring, board: () => board as MeasureBoard, boards: () => boards };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('regions', () => {
  test('are computed once added, and again when they change', async () => {
    const { store, measuring, board } = begin(volume());
    measuring.put(rectangle);
    expect(board().words(rectangle)).toEqual(['Left, "inner"', '3 × 2\u202fmm', '…']);
    await settled();
    // x is 1, 2, 3 in two rows; slope and intercept make the values 1, 3, 5.
    expect(store.getState().regions[regionKey(rectangle)]).toMatchObject({ statistics: { count: 6, mean: 3, min: 1, max: 5 } });
    expect(board().words(rectangle).slice(2)).toEqual(['mean 3 · SD 1.7889', '1 to 5 · n 6']);
    measuring.put({
      ...rectangle,
      points: [
        [1, 2, 1.5],
        [2, 4, 1.5],
      ],
    });
    await settled();
    expect(Object.values(store.getState().regions)).toMatchObject([{ statistics: { count: 2, mean: 1 } }]);
  });

  test('that contain no voxels, or cannot be read, say so', async () => {
    const { board, measuring } = begin(volume(() => Promise.reject(new StriaError('unsupported', 'only one voxel in 2'))));
    const outside = {
      ...rectangle,
      id: 'rectangle-2',
      points: [
        [20, 2, 1.5],
        [24, 4, 1.5],
      ],
    } as Measurement;
    measuring.put(rectangle);
    measuring.put(outside);
    await settled();
    expect(board().words(rectangle).at(-1)).toBe('only one voxel in 2');
    expect(board().words(outside).slice(2)).toEqual(['outside the volume', 'holds no voxel']);
  });

  test('that extend beyond the volume say so, and count the voxels inside', async () => {
    const { board, measuring } = begin(volume());
    const reaching: Measurement = {
      ...rectangle,
      points: [
        [-3, 2, 1.5],
        [3, 4, 1.5],
      ],
    };
    measuring.put(reaching);
    await settled();
    expect(board().words(reaching)).toEqual([
      'Left, "inner"',
      '6 × 2\u202fmm',
      'partly outside the volume',
      'mean 1 · SD 1.7889',
      '−1 to 3 · n 6',
    ]);
  });

  test('that are only partly in GPU memory are read from the file', async () => {
    const asked: unknown[] = [];
    const { board, measuring } = begin({ ...volume(), decimation: 2 }, async (measurement) => {
      asked.push(measurement);
      return { count: 12, notFinite: 0, mean: 2, deviation: 1, min: 0, max: 4 };
    });
    measuring.put(rectangle);
    await settled();
    expect(asked).toEqual([rectangle]);
    expect(board().words(rectangle).slice(2)).toEqual(['mean 2 · SD 1', '0 to 4 · n 12']);
  });

  test('that are read from the file show progress', async () => {
    let report: JobOptions['onProgress'];
    let fail: (error: unknown) => void = () => {};
    const { board, measuring } = begin({ ...volume(), decimation: 2 }, (_, { onProgress }) => {
      report = onProgress;
      return new Promise((_resolve, reject) => {
        fail = reject;
      });
    });
    measuring.put(rectangle);
    report?.({ stage: 'Measuring', done: 5, total: 8 });
    expect(board().words(rectangle).at(-1)).toBe('reading… 62 %');
    fail(new StriaError('not-readable', 'the disk is gone'));
    await settled();
    expect(board().words(rectangle).at(-1)).toBe('the disk is gone');
  });

  test('that are deleted or moved meanwhile are dropped, and the next is computed', async () => {
    let release = () => {};
    let reads = 0;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { store, measuring } = begin(volume(() => (reads++ === 0 ? held : Promise.resolve())));
    measuring.put(rectangle);
    measuring.remove(rectangle.id);
    const second = {
      ...rectangle,
      id: 'rectangle-2',
      points: [
        [0, 0, 0.5],
        [1, 1, 0.5],
      ],
    } as Measurement;
    measuring.put(second);
    release();
    await settled();
    expect(Object.keys(store.getState().regions)).toEqual([regionKey(second)]);
  });
});

test('M and Escape switch back to the pointer, and Escape then clears the selection', () => {
  const { store, measuring } = begin(volume());
  measuring.setTool('angle');
  measuring.toggle();
  measuring.toggle();
  expect(store.getState().tool).toBe('angle');
  measuring.put(line);
  measuring.choose(line.id);
  expect([measuring.backOut(), store.getState().tool]).toEqual([true, 'pointer']);
  expect([measuring.backOut(), store.getState().chosenMeasurement]).toEqual([true, undefined]);
  expect(measuring.backOut()).toBe(false);
});

test('names can change, but not to an empty text', () => {
  const { store, measuring, boards } = begin(volume());
  measuring.put(line);
  measuring.rename(line.id, '  Femur ');
  measuring.rename(line.id, '   ');
  expect(store.getState().measurements[0]?.name).toBe('Femur');
  const before = boards();
  store.setState({ notice: 'something else' });
  expect(boards()).toBe(before);
});

test('texts have units, or none if the file has none', () => {
  expect(measurementLines(line, info, undefined)).toEqual(['5\u202fmm']);
  expect(measurementLines(line, { ...info, spatialUnit: 'unknown' }, undefined)).toEqual(['5']);
});

test('an angle in progress has its name beside it, and no number until it has two legs', () => {
  const { board } = begin(volume());
  const [a, b, c] = [
    [1, 1, 1.5],
    [4, 1, 1.5],
    [4, 4, 1.5],
  ] as const;
  const angle = (...points: Measurement['points']): Measurement => ({ ...line, kind: 'angle', name: 'Angle 1', points });
  expect(board().words(angle(a, b))).toEqual(['Angle 1']);
  // The second point was just set, and the third is at the same place.
  expect(board().words(angle(a, b, b))).toEqual(['Angle 1']);
  expect(board().words(angle(a, b, c))).toEqual(['Angle 1', '90°']);
});

test('CSV has a line for each measurement, quoted as in RFC 4180, in voxels and in world coordinates', () => {
  const statistics = { count: 6, notFinite: 0, mean: 3, deviation: 1.5, min: 1, max: 5 };
  const csv = measurementsCsv([rectangle, line], info, { [regionKey(rectangle)]: { kind: 'found', statistics } });
  const [names, first, second, end] = csv.split('\r\n');
  expect(end).toBe('');
  expect(names).toContain('name,kind,slice_axis,slice_index,time_index,unit,length');
  expect(first).toBe(
    '"Left, ""inner""",rectangle,z,1,0,mm,,,3,2,,12,6,0,3,1.5,1,5,0.5 1.5 1; 3.5 3.5 1,10.5 21.5 32; 13.5 23.5 32,',
  );
  expect(second).toBe('Line,distance,z,0,0,mm,5,,,,,,,,,,,,0 0 0; 3 4 0,10 20 30; 13 24 30,');
  const reaching = { ...rectangle, points: [[-1, 2, 1.5], [4, 4, 1.5]] } as Measurement; // biome-ignore format: two corners
  expect(measurementsCsv([reaching], info, {}).trimEnd().endsWith(',partly')).toBe(true);
});

test('M does not switch back to a tool that needs voxels if surfaces are open without a volume', () => {
  const { store, measuring } = begin(undefined);
  measuring.setTool('sphere');
  measuring.toggle();
  measuring.toggle();
  expect(store.getState().tool).toBe('sphere');
  measuring.toggle();
  const space = { dims: [4, 4, 4], edge: 1, origin: [0, 0, 0] } as const;
  store.setState({ document: { kind: 'ready', document: { space } as unknown as OpenDocument } });
  measuring.toggle();
  expect(store.getState().tool).toBe('distance');
});
