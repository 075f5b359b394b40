import { expect, test } from 'vitest';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import { testInfo } from '../../core/volume/resident-testing.ts';
import type { ViewState } from '../../renderer/viewer/model/viewer-api.ts';
import { parseCommand } from '../arguments/args.ts';
import type { MovieCommand } from '../arguments/parsed-command.ts';
import { movieShots } from './movie-shots.ts';

const info: VolumeInfo = testInfo([20, 16, 12, 6], 'u8');
const state = { crosshair: [1, 2, 3], timePoint: 0 } as unknown as ViewState;
const shots = (line: string, volume = info, from = state) =>
  movieShots(parseCommand(`movie a -o b ${line}`.split(' ')) as MovieCommand, volume, from, '3d');

test('slices move the crosshair, either way', () => {
  const all = shots('--along z');
  expect(all).toHaveLength(12);
  expect([all[0], all[11]]).toEqual([
    { view: 'z', turn: undefined, state: { ...state, crosshair: [1, 2, 0] } },
    { view: 'z', turn: undefined, state: { ...state, crosshair: [1, 2, 11] } },
  ]);
  expect(shots('--along x --first 20 --last 18').map((shot) => shot.state.crosshair[0])).toEqual([19, 18, 17]);
  expect(() => shots('--along y --last 17')).toThrow('there is no slice 17 across y: the volume has 16');
});

test('time stays within the channel, in the view of a picture', () => {
  expect(shots('--along t').map((shot) => [shot.view, shot.state.timePoint])).toEqual([0, 1, 2, 3, 4, 5].map((t) => ['3d', t]));
  const channels = [{ name: 'a' }, { name: 'b' }] as unknown as VolumeInfo['channels'];
  const times = shots('--along t --first 2', { ...info, channels }, { ...state, timePoint: 3 });
  expect(times.map((shot) => shot.state.timePoint)).toEqual([4, 5]);
  expect(() => shots('--along t --last 4', { ...info, channels })).toThrow('there is no time point 4: the volume has 3');
  expect(() => shots('--along t', testInfo([4, 4, 4, 1], 'u8'))).toThrow('the volume has only one time point');
});

test('a turn rotates the camera of the 3D view', () => {
  const all = shots('--along turn --frames 4 --degrees 180');
  expect(all.map(({ view, turn }) => [view, turn?.degrees])).toEqual([0, 45, 90, 135].map((degrees) => ['3d', degrees]));
});
