import { StriaError } from '../../shared/errors.ts';
import { maxSamples } from '../../shared/stored-voxels.ts';
import { parseAxes } from '../common/array-axes.ts';

/** How an array's axes form a volume. */
export interface NpyAxes {
  /** The lengths of x, y, z and all further axes but channels, fastest first. */
  readonly lengths: readonly number[];
  readonly channelCount: number;
  /** Whether channels are the fastest axis, so that a voxel's values are side by side. */
  readonly areSamples: boolean;
}

/**
 * @param text a letter for each axis, in the order of the shape (`parseAxes`); if undefined, the fastest axis is x, then come y, z and t
 * @throws StriaError `invalid-input`, `unsupported` for an order that is not that of a volume
 */
export function npyAxes(shape: readonly number[], isFortran: boolean, text: string | undefined): NpyAxes {
  const fastestFirst = <T>(list: readonly T[]) => (isFortran ? [...list] : list.toReversed());
  const lengths = fastestFirst(shape);
  if (text === undefined) return { lengths, channelCount: 1, areSamples: false };
  const axes = fastestFirst(parseAxes(text, shape.length));
  const at = axes.indexOf('c');
  const others = axes.filter((axis) => axis !== 'c');
  const isInOrder = /^x?y?z?[ts]*$/.test(others.join(''));
  if (!isInOrder || (at > 0 && at < axes.length - 1)) {
    throw new StriaError(
      'unsupported',
      `a NumPy array is read in its order, which must be that of czyx, ctzyx or zyxc, not ${text}: save numpy.transpose of it, in C order`,
    );
  }
  const lengthOf = (axis: 'x' | 'y' | 'z') => (axes.includes(axis) ? (lengths[axes.indexOf(axis)] as number) : 1);
  const series = lengths.filter((_, index) => axes[index] === 't' || axes[index] === 's');
  const channelCount = at < 0 ? 1 : (lengths[at] as number);
  if (channelCount > maxSamples) {
    throw new StriaError('unsupported', `the array has ${channelCount} channels; the limit is ${maxSamples}`);
  }
  return { lengths: [lengthOf('x'), lengthOf('y'), lengthOf('z'), ...series], channelCount, areSamples: at === 0 };
}
