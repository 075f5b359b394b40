import { beforeEach, describe, expect, test } from 'vitest';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { type Measurement, type SliceTool, sizeOf } from '../model/measure.ts';
import { innerProduct, lengthOf, metricOf, stepBetween } from '../model/metric.ts';
import { alongNormal, placeOblique } from '../model/oblique-geometry.ts';
import { safeSpacing, sliceFrame } from '../model/orientation.ts';
import { type Point, pixelAt, positionAt, type Voxel } from '../model/slice-geometry.ts';
import type { MeasureBoard } from '../model/view-host.ts';
import type { SliceAxis } from '../model/viewer-api.ts';
import { MeasurePointer } from './measure-pointer.ts';
import { measureShapes, measureSlice, obliqueMeasureSlice, pointsInSight } from './measure-shapes.ts';

const dims: Voxel = [40, 50, 20];
/** A volume with patient axes, x to the left, and anisotropic voxels. */
const info = { ...testInfo([...dims, 1], 'u8'), affine: [-0.7, 0, 0, 12, 0, 0.7, 0, 3, 0, 0, 2.5, -8] };

function sliceAt(axis: SliceAxis, index: number, affine: readonly number[] = info.affine) {
  const turned = { ...info, affine };
  const placement = {
    frame: sliceFrame(turned, axis),
    dims,
    spacing: safeSpacing(turned),
    width: 400,
    height: 300,
    index,
    camera: { zoom: 1.7, center: undefined },
    margin: 20,
  };
  return { ...measureSlice(placement, turned, 1), frame: placement.frame };
}

let measurements: readonly Measurement[] = [];
let chosen: string | undefined;
let tool: SliceTool = 'pointer';
let slice = sliceAt('z', 7);
const board = (): MeasureBoard => ({
  tool,
  measurements,
  chosen,
  words: () => ['words'],
  put: (one) => {
    const at = measurements.findIndex(({ id }) => id === one.id);
    measurements = at < 0 ? [...measurements, one] : measurements.with(at, one);
  },
  choose: (id) => {
    chosen = id;
  },
});
const host = {
  get board() {
    return board();
  },
  state: { timePoint: 0 } as never,
};
let pointer = new MeasurePointer('z', host, () => {});

beforeEach(() => {
  [measurements, chosen, tool, slice] = [[], undefined, 'pointer', sliceAt('z', 7)];
  pointer = new MeasurePointer('z', host, () => {});
});

function drag(from: Point, to: Point): void {
  pointer.press(from, slice);
  pointer.move([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], slice);
  pointer.release(to, slice);
}
function click(at: Point): void {
  pointer.move(at, slice);
  pointer.press(at, slice);
  pointer.release(at, slice);
}

describe('creating', () => {
  test('a distance takes one drag or two clicks', () => {
    tool = 'distance';
    drag([100, 100], [160, 180]);
    click([140, 100]);
    expect(measurements).toHaveLength(1);
    click([200, 180]);
    expect(measurements.map(({ id }) => id)).toEqual(['distance-1', 'distance-2']);
    expect(chosen).toBe('distance-2');
    for (const one of measurements) {
      expect(sizeOf(one, slice.metric)).toMatchObject({ length: expect.closeTo(100 / slice.map.pixelsPerUnit, 9) });
      expect(one.points[0]?.[2]).toBe(7.5);
    }
  });

  test('an angle takes a drag and a click, or three clicks', () => {
    tool = 'angle';
    drag([100, 100], [200, 100]);
    expect(measurements).toHaveLength(0);
    click([200, 200]);
    for (const at of [
      [120, 120],
      [220, 120],
      [220, 220],
    ] as const)
      click(at);
    expect(measurements.map((one) => sizeOf(one, slice.metric))).toEqual([
      { kind: 'angle', degrees: expect.closeTo(90, 9) },
      { kind: 'angle', degrees: expect.closeTo(90, 9) },
    ]);
  });

  test('is cancelled by Escape, by another tool, and if it has no extent', () => {
    tool = 'sphere';
    pointer.press([100, 100], slice);
    expect(pointer.shown().measurements).toHaveLength(1);
    expect(pointer.cancel()).toBe(true);
    expect(pointer.cancel()).toBe(false);
    click([100, 100]);
    tool = 'pointer';
    pointer.boardChanged();
    expect(pointer.shown().measurements).toHaveLength(0);
    tool = 'rectangle';
    click([100, 100]);
    click([100, 100]);
    expect(measurements).toHaveLength(0);
  });
});

describe('changing', () => {
  beforeEach(() => {
    tool = 'distance';
    drag([100, 100], [160, 180]);
    [tool, chosen] = ['pointer', undefined];
  });

  test('a handle moves its point, a line moves the whole, and nothing is kept before the release', () => {
    const [before] = measurements;
    expect(pointer.cursorAt([161, 181], slice)).toBe('grab');
    pointer.press([161, 181], slice);
    pointer.move([221, 101], slice);
    expect(measurements[0]).toBe(before);
    pointer.release([221, 101], slice);
    const [a, b] = (measurements[0] as Measurement).points.map((at) => pixelAt(slice.map, slice.frame, at)) as [Point, Point];
    expect(a).toEqual([expect.closeTo(100, 6), expect.closeTo(100, 6)]);
    expect(b).toEqual([expect.closeTo(220, 6), expect.closeTo(100, 6)]);
    expect(pointer.cursorAt([160, 102], slice)).toBe('move');
    drag([160, 100], [170, 130]);
    expect(pixelAt(slice.map, slice.frame, measurements[0]?.points[0] as Voxel)).toEqual([
      expect.closeTo(110, 6),
      expect.closeTo(130, 6),
    ]);
  });

  test.each([
    ['beside a handle', [164, 184]],
    ['on a line', [130, 140]],
  ] as const)('a click %s selects the measurement and does not change it', (_, at) => {
    const [before] = measurements;
    click(at);
    expect(chosen).toBe('distance-1');
    expect(measurements[0]).toBe(before);
  });

  test('a press elsewhere moves the crosshair and clears the selection', () => {
    pointer.press([130, 140], slice);
    pointer.release([130, 140], slice);
    expect(chosen).toBe('distance-1');
    expect(pointer.press([300, 40], slice)).toBe(false);
    expect(chosen).toBeUndefined();
  });

  test('a rectangle has four corners to drag', () => {
    tool = 'rectangle';
    drag([200, 100], [260, 140]);
    drag([260, 100], [300, 60]);
    const shape = measureShapes(slice, pointer.shown(), { timePoint: 0 }).find(({ id }) => id === 'rectangle-1');
    const corners = shape?.lines[0]?.map(([x, y]) => [Math.round(x), Math.round(y)].join()).sort();
    expect(new Set(corners)).toEqual(new Set(['200,60', '300,60', '300,140', '200,140']));
  });
});

describe('what a slice shows', () => {
  const shown = (one: Partial<Measurement>) => {
    const measurement: Measurement = { id: 'a', name: 'a', kind: 'distance', axis: 'z', timePoint: 0, points: [], ...one };
    return { measurements: [measurement], chosen: 'a', words: () => ['words'] };
  };
  const line = shown({
    points: [
      [3, 4, 7.5],
      [9, 4, 7.5],
    ],
  });

  test('measurements made on it, those made nearby or at another time faintly, and no others', () => {
    expect(measureShapes(sliceAt('z', 7), line, { timePoint: 0 })[0]).toMatchObject({ look: 'chosen', words: ['words'] });
    for (const [at, timePoint] of [
      [9, 0],
      [5, 0],
      [7, 1],
    ] as const) {
      expect(measureShapes(sliceAt('z', at), line, { timePoint })[0]).toMatchObject({ look: 'faint', words: [], handles: [] });
    }
    expect(measureShapes(sliceAt('z', 10), line, { timePoint: 0 })).toEqual([]);
    expect(measureShapes(sliceAt('x', 5), line, { timePoint: 0 })).toEqual([]);
  });

  test.each([
    ['at right angles', info.affine],
    ['slanted', [0.7, 0.1, 0, 0, 0, 0.9, 0.8, 0, 0.2, 0, 2.5, 0]],
  ])('a sphere as its cut with the slice, across every axis, with axes %s', (_, affine) => {
    const center: Voxel = [20, 25, 10.5];
    const end: Voxel = [29, 25, 10.5];
    const metric = metricOf({ ...info, affine });
    const radius = Math.sqrt(innerProduct(metric, stepBetween(center, end), stepBetween(center, end)));
    const sphere = shown({ kind: 'sphere', points: [center, end] });
    for (const [axis, index] of [
      ['z', 10],
      ['z', 11],
      ['x', 17],
      ['y', 27],
    ] as const) {
      const place = sliceAt(axis, index, affine);
      const [outline] = measureShapes(place, sphere, { timePoint: 0 })[0]?.lines ?? [];
      expect(outline?.length).toBeGreaterThan(20);
      for (const pixel of outline ?? []) {
        const step = stepBetween(center, positionAt(place.map, pixel));
        expect(Math.sqrt(innerProduct(metric, step, step))).toBeCloseTo(radius, 9);
      }
    }
    expect(measureShapes(sliceAt('z', 19, affine), sphere, { timePoint: 0 })).toEqual([]);
  });
});

test('a label is placed beside the visible part of a shape; a hidden shape has no label', () => {
  const square: readonly Point[] = [
    [10, 10],
    [300, 10],
    [300, 300],
    [10, 300],
    [10, 10],
  ];
  expect(pointsInSight([square], 400, 400)).toContainEqual([300, 300]);
  // Above and to the left of the canvas, around the whole canvas, and past a corner where only the bounds overlap.
  const moved = (x: number, y: number) => square.map(([a, b]): Point => [a + x, b + y]);
  expect(pointsInSight([moved(-400, -400)], 200, 200)).toEqual([]);
  expect(pointsInSight([moved(-50, -50)], 200, 200)).toEqual([]);
  expect(pointsInSight([[[-60, 20], [20, -60]]], 200, 200)).toEqual([]); // biome-ignore format: a line
  const seen = pointsInSight([moved(-100, 50)], 150, 200);
  expect(seen).toContainEqual([150, 60]);
  for (const [x, y] of seen) expect(x >= 0 && x <= 150 && y >= 0 && y <= 200).toBe(true);
});

test.each(['x', 'y', 'z'] as const)(
  'the diameter of a known sphere, measured across %s from edge to edge, is right within a voxel',
  (axis) => {
    const center: Voxel = [20.5, 25.5, 10.5];
    const diameter = 21;
    const isInside = (voxel: Voxel): boolean => {
      const step = stepBetween(center, [voxel[0] + 0.5, voxel[1] + 0.5, voxel[2] + 0.5]);
      return Math.sqrt(innerProduct(metricOf(info), step, step)) <= diameter / 2;
    };
    const place = sliceAt(axis, axis === 'z' ? 10 : axis === 'y' ? 25 : 20);
    tool = 'distance';
    for (const along of [place.frame.right.axis, place.frame.down.axis]) {
      measurements = [];
      // Edges as the eye sees them: the outer sides of the first and the last bright voxel.
      const bright = Array.from({ length: dims[along] }, (_, at) => at).filter((at) => {
        const voxel: [number, number, number] = [20, 25, 10];
        voxel[along] = at;
        return isInside(voxel);
      });
      const edge = (at: number): Point => {
        const position: [number, number, number] = [...center];
        position[along] = at;
        return pixelAt(place.map, place.frame, position);
      };
      slice = place;
      pointer = new MeasurePointer(axis, host, () => {});
      drag(edge(bright[0] as number), edge((bright.at(-1) as number) + 1));
      const size = sizeOf(measurements[0] as Measurement, place.metric);
      const voxel = [0.7, 0.7, 2.5][along] as number;
      expect(size.kind === 'distance' && Math.abs(size.length - diameter)).toBeLessThanOrEqual(voxel);
    }
  },
);

describe('on the oblique slice', () => {
  const oblique = { turn: 25, tilt: -40 };
  const placement = {
    info,
    tilt: oblique,
    crosshair: [20, 24, 9] as const,
    camera: { zoom: 1.5, center: undefined },
    width: 400,
    height: 300,
    margin: 20,
  };
  const { map, normal } = placeOblique(placement);
  const obliqueSlice = obliqueMeasureSlice(map, info, 1);
  const onOblique = () =>
    new MeasurePointer(
      'oblique',
      {
        get board() {
          return board();
        },
        state: { timePoint: 0, oblique } as never,
      },
      () => {},
    );

  test('a distance is drawn between its pixels, and lies on the plane', () => {
    tool = 'distance';
    const own = onOblique();
    expect(own.press([120, 90], obliqueSlice)).toBe(true);
    own.move([250, 200], obliqueSlice);
    own.release([250, 200], obliqueSlice);
    const [made] = measurements;
    expect(made).toMatchObject({ kind: 'distance', oblique, points: [positionAt(map, [120, 90]), positionAt(map, [250, 200])] });
    const shown = { measurements, chosen, words: () => ['words'] };
    const [shape] = measureShapes(obliqueSlice, shown, { timePoint: 0 });
    for (const [at, pixel] of [
      [120, 90],
      [250, 200],
    ].entries()) {
      expect(shape?.handles[at]?.[0]).toBeCloseTo(pixel[0] as number, 6);
      expect(shape?.handles[at]?.[1]).toBeCloseTo(pixel[1] as number, 6);
    }
    // Its length equals the one on the canvas, in millimetres.
    const [a, b] = (made as Measurement).points as [Voxel, Voxel];
    expect(lengthOf(metricOf(info), stepBetween(a, b))).toBeCloseTo(Math.hypot(130, 110) / map.pixelsPerUnit, 6);
  });

  test('it is shown only on this slice, not on straight slices or another plane', () => {
    tool = 'distance';
    const own = onOblique();
    own.press([120, 90], obliqueSlice);
    own.release([250, 200], obliqueSlice);
    const shown = { measurements, chosen, words: () => ['words'] };
    expect(measureShapes(sliceAt('z', 9), shown, { timePoint: 0 })).toEqual([]);
    const far = alongNormal(info, normal, placement.crosshair, 12);
    const other = placeOblique({ ...placement, crosshair: far });
    expect(measureShapes(obliqueMeasureSlice(other.map, info, 1), shown, { timePoint: 0 })).toEqual([]);
    const turned = placeOblique({ ...placement, tilt: { turn: -60, tilt: 10 } });
    expect(measureShapes(obliqueMeasureSlice(turned.map, info, 1), shown, { timePoint: 0 })).toEqual([]);
  });

  test('regions are not measured, and measurements of straight slices are not shown', () => {
    for (const region of ['rectangle', 'sphere'] as const) {
      tool = region;
      expect(onOblique().press([120, 90], obliqueSlice)).toBe(false);
      expect(onOblique().cursorAt([120, 90], obliqueSlice)).toBe('');
    }
    expect(measurements).toEqual([]);
    tool = 'distance';
    pointer.press([100, 100], slice);
    pointer.release([180, 150], slice);
    expect(measurements).toHaveLength(1);
    const shown = { measurements, chosen, words: () => ['words'] };
    expect(measureShapes(obliqueSlice, shown, { timePoint: 0 })).toEqual([]);
  });
});
