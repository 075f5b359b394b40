import { expect, test } from 'vitest';
import { projections } from '../../core/draw/ray-pass.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import { testInfo } from '../../core/volume/resident-testing.ts';
import { colormapNames } from '../../renderer/viewer/colors/colormaps.ts';
import { firstView } from '../../renderer/viewer/model/auto-view.ts';
import { sceneSides } from '../../renderer/viewer/model/orientation.ts';
import { parseCommand } from '../arguments/args.ts';
import { optionEntry } from '../arguments/option-table.ts';
import type { PictureCommand } from '../arguments/parsed-command.ts';
import { firstShown, groundOf, lookOf, shownLabels, stateOf } from './look.ts';

const histogram = { low: 0, binWidth: 1, counts: Array.from({ length: 256 }, () => 100) };
const statistics = { min: 0, max: 255, count: 25_600, notFinite: 0, histogram, window: [10, 200], flatness: 0.1 } as never;
const info = testInfo([20, 16, 12, 1], 'u8');

const look = (line: string) => lookOf(parseCommand(`picture a -o b ${line}`.trim().split(' ')) as PictureCommand);
const state = (line: string, volume: VolumeInfo = info) => stateOf(look(line), volume, statistics);

test('without options, the state is what the app shows first', () => {
  expect(state('')).toEqual(firstView(info, statistics));
  expect(firstShown(info)).toBe('3d');
  expect(firstShown({ ...info, dims: [20, 16, 1, 1] })).toBe('z');
});

test('options change the state', () => {
  expect(state('--colormap bone --invert --projection mean --smooth --orthographic --slab mean,4')).toMatchObject({
    colormap: 'bone',
    inverted: true,
    projection: 'mean',
    smooth: true,
    camera: 'orthographic',
    slab: { kind: 'mean', thickness: 4 },
  });
});

test('slices count from 1, and parts reach from the first to the last', () => {
  expect(state('--view z --slice 12').crosshair).toEqual([10, 8, 11]);
  expect(state('--view x --slice 0%').crosshair).toEqual([0, 8, 6]);
  expect(state('--view y --slice 100%').crosshair).toEqual([10, 15, 6]);
  expect(() => state('--view z --slice 13')).toThrow('there is no slice 13 across z: the volume has 12');
});

test('windows and levels are real values, whatever the scaling', () => {
  const scaled = { ...info, slope: -2, intercept: 10 };
  expect(state('--window -90,110', scaled).window).toEqual([50, -50]);
  expect(state('--projection isosurface --level 20', scaled).level).toBe(-5);
  // The level follows the window, as in the first view.
  expect(state('--window 0,100').level).toBe(35);
});

test('time points and channels count from 1', () => {
  const channels = [{ name: 'a' }, { name: 'b' }] as never;
  const series = { ...info, dims: [20, 16, 12, 6] as const, channels };
  expect(state('--time 3', series).timePoint).toBe(2);
  expect(state('--channel 2', series).timePoint).toBe(3);
  expect(state('--channel 2 --time 3', series).timePoint).toBe(5);
  // What is not given stays as in the session.
  const inSession = (line: string) => stateOf(look(line), series, statistics, () => ({ timePoint: 4 })).timePoint;
  expect([inSession(''), inSession('--time 3'), inSession('--channel 1'), inSession('--channel 1 --time 1')]).toEqual([
    4, 5, 1, 0,
  ]);
  expect(() => state('--time 4', series)).toThrow('there is no time point 4: the volume has 3');
  expect(() => state('--channel 3', series)).toThrow('there is no channel 3: the volume has 2');
});

test('the camera stands at a side or at angles', () => {
  expect(look('--from left').toEye).toEqual([1, 0, 0]);
  const [x, y, z] = look('--from 90,30').toEye ?? [];
  expect([x, y, z].map((part) => Number(part?.toFixed(3)))).toEqual([0.866, 0.5, 0]);
  for (const bad of ['top', '10', '10,95', '1,2,3', ',']) expect(() => look(`--from ${bad}`)).toThrow(/--from takes front, back/);
});

test('names are checked, and the help lists them all', () => {
  expect(() => look('--colormap rainbow')).toThrow(/--colormap must be one of gray, bone/);
  expect(() => look('--projection xray')).toThrow(/--projection must be one of mip, composite/);
  for (const name of colormapNames) expect(optionEntry('colormap').text).toContain(name);
  for (const name of projections) expect(optionEntry('projection').text).toContain(name);
  for (const { key } of sceneSides) expect(optionEntry('from').text).toContain(key);
});

test('backgrounds are the app’s', () => {
  expect(groundOf(look(''))).toMatchObject({ background: 'screen', ground: { a: 1 } });
  expect(groundOf(look('--background transparent'))).toEqual({ background: 'transparent', ground: { r: 0, g: 0, b: 0, a: 0 } });
});

test('labels are drawn with the tables, edits and hidden labels of a session', () => {
  const tables = { a: { table: [{ number: 1, color: '#ff0000' }, { number: 2 }] } };
  const look = { table: 'a', edits: [{ number: 2, color: '#00ff00' }], shows: 'all', except: [1] } as const;
  expect(shownLabels(look, tables)).toEqual({
    table: [
      { number: 1, color: '#ff0000' },
      { number: 2, color: '#00ff00' },
    ],
    shows: 'all',
    except: [1],
  });
  expect(shownLabels({ ...look, table: undefined }, tables).table).toEqual([{ number: 2, color: '#00ff00' }]);
  // The file's table applies unless another one was loaded.
  const own = [{ number: 3, color: '#0000ff' }];
  expect(shownLabels({ ...look, table: undefined }, tables, own).table.map(({ number }) => number)).toEqual([3, 2]);
  expect(shownLabels(look, tables, own).table.map(({ number }) => number)).toEqual([1, 2]);
});
