import { channelLayout, type VolumeInfo } from '../../core/shared/volume.ts';

export type StackAxis = 'x' | 'y' | 'z' | 't';

/** A stack to play: the pictures along one axis of a volume. */
export interface Stack {
  readonly axis: StackAxis;
  readonly frameCount: number;
  readonly label: string;
  /** Whether it is a series by nature (time points, pictures), not just the slices of a volume. */
  readonly isSeries: boolean;
}

/**
 * The stacks of a volume that can be played, the most likely choice first: time, pictures, then slices across z, y and x.
 * @param arePictures whether its planes come from pictures, each of which is a file or page
 */
export function stacksOf(info: Pick<VolumeInfo, 'dims' | 'channels'>, arePictures: boolean): readonly Stack[] {
  const [x, y, z] = info.dims;
  // Time runs within the shown channel.
  const t = channelLayout(info).timePoints;
  const isSolid = x > 1 && y > 1 && z > 1;
  const frames: Stack = { axis: 'z', frameCount: z, label: 'Frames', isSeries: true };
  const slices = (axis: 'x' | 'y' | 'z', frameCount: number): Stack => ({
    axis,
    frameCount,
    label: `${axis} slices`,
    isSeries: false,
  });
  return [
    ...(t > 1 ? [{ axis: 't', frameCount: t, label: 'Time', isSeries: true } as const] : []),
    ...(arePictures && z > 1 ? [frames] : isSolid ? [slices('z', z)] : []),
    ...(isSolid ? [slices('y', y), slices('x', x)] : []),
  ];
}
