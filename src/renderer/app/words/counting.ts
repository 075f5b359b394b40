import { channelName } from '../../../core/shared/channel-name.ts';
import { channelAt, channelLayout, type VolumeInfo } from '../../../core/shared/volume.ts';

// The app counts from 1: the first slice, voxel, time point or chunk has number 1 wherever a number is shown or typed. Code
// and files count from 0 and call the count an index.

export function numberOf(index: number): number {
  return index + 1;
}

export function indexOf(number: number): number {
  return number - 1;
}

/** The shown position along t, as a suffix: the channel's name, or `t 2` in a series; '' if there is only one. */
export function timeWords(info: Pick<VolumeInfo, 'dims' | 'channels'>, index: number): string {
  return timeParts(info, index, 't').join(' · ');
}

function timeParts(info: Pick<VolumeInfo, 'dims' | 'channels'>, index: number, word: 't' | 'time point'): readonly string[] {
  const { channel, time } = channelAt(info, index);
  const named = info.channels?.[channel];
  return [
    ...(named ? [channelName(named, channel)] : []),
    ...(channelLayout(info).timePoints > 1 ? [`${word} ${numberOf(time)}`] : []),
  ];
}

/** Like `timeWords`, in whole words: `DAPI, time point 2`. */
export function timePlace(info: Pick<VolumeInfo, 'dims' | 'channels'>, index: number): string {
  return timeParts(info, index, 'time point').join(', ');
}

/** A position in words: `17 of 32`. */
export function ofCount(index: number, count: number): string {
  return `${numberOf(index)} of ${count}`;
}

/** A voxel's position: `x 1  y 17  z 3`, with its place along t (`timeWords`): `t 2` for a time series. */
export function placeWords(
  voxel: readonly [x: number, y: number, z: number],
  {
    timePoint = 0,
    dims = [1, 1, 1, 1],
    channels,
  }: { readonly timePoint?: number } & Partial<Pick<VolumeInfo, 'dims' | 'channels'>> = {},
): string {
  const places = voxel.map((index, axis) => `${'xyz'[axis]} ${numberOf(index)}`);
  const time = timeWords({ dims, channels }, timePoint);
  return [...places, ...(time === '' ? [] : [time])].join('  ');
}
