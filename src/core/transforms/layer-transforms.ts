import type { ByteSource } from '../shared/bytes.ts';
import { inContext, StriaError } from '../shared/errors.ts';
import { metresOf, type VolumeInfo } from '../shared/volume.ts';
import { isItkText, otherLateral, readItk, writeItk } from './itk.ts';
import { readPlainMatrix, writePlainMatrix } from './plain-matrix.ts';
import {
  chained,
  columnsOf,
  determinantOf,
  inverted,
  isUsableTransform,
  shiftOf,
  type Transform,
  transformOf,
} from './transform.ts';

/** Kinds of files with a transform. */
export const transformFormats = ['itk', 'fsl', 'plain'] as const;
export type TransformFormat = (typeof transformFormats)[number];

/** The numbers of a file. Their meaning depends on the format and on the two images. */
export interface StoredTransform {
  readonly numbers: Transform;
  /** The possible formats of the file. An FSL matrix and a plain matrix look alike. */
  readonly formats: readonly TransformFormat[];
}

const mostBytes = 2 ** 16;

/** Endings that only transform files have, among the files that Stria opens. */
export function isTransformName(name: string): boolean {
  return /\.(tfm|mat)$/i.test(name);
}

/** @throws StriaError `unsupported`, `corrupt`, `not-readable` */
export async function readTransform(source: ByteSource): Promise<StoredTransform> {
  try {
    if (source.size > mostBytes) throw new StriaError('unsupported', 'the file is too long for one matrix');
    return parseTransform(await source.read(0, source.size), source.name);
  } catch (error) {
    throw inContext(source.name, error);
  }
}

/** @param name the file's name; its ending decides between formats that look alike. @throws StriaError `unsupported`, `corrupt` */
export function parseTransform(bytes: Uint8Array, name: string): StoredTransform {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = new TextDecoder('latin1').decode(hasMark ? bytes.subarray(3) : bytes);
  if (text.includes('\0'))
    throw new StriaError(
      'unsupported',
      'this is a binary file. If ANTs wrote it, convert it with `ConvertTransformFile 3 in.mat out.txt`, and load the text file',
    );
  const isItk = isItkText(text);
  const numbers = isItk ? readItk(text) : readPlainMatrix(text);
  if (!isUsableTransform(numbers))
    throw new StriaError('corrupt', 'the matrix cannot be inverted, or its numbers are too large to place a volume');
  const formats: readonly TransformFormat[] = isItk ? ['itk'] : /\.mat$/i.test(name) ? ['fsl', 'plain'] : ['plain', 'fsl'];
  return { numbers, formats };
}

/** The open volume and a layer, as transforms refer to them. */
export interface Pair {
  readonly base: VolumeInfo;
  readonly layer: VolumeInfo;
  /** Maps voxel indexes of the base to world coordinates of voxel centres. */
  readonly baseToWorld: Transform;
  /** The same for the layer, as its file places it. */
  readonly layerToWorld: Transform;
  /** Whether world coordinates are a patient's, in RAS. Otherwise ITK uses the same axes as Stria. */
  readonly isOriented: boolean;
}

/**
 * Which image is the moving one in the file: FSL's input, ITK's moving image, or the image that a plain matrix moves.
 */
export type MovingImage = 'layer' | 'base';

/** The layer's motion that a file describes, in world coordinates and the unit of the open volume. */
export function motionOf(numbers: Transform, format: TransformFormat, pair: Pair, moving: MovingImage): Transform {
  const toMotion = (from: Transform): Transform => (moving === 'layer' ? from : inverted(from));
  if (format === 'plain') return toMotion(inUnits(numbers, 1 / millimetres(pair.base)));
  if (format === 'itk') {
    const mapped = pair.isOriented ? otherLateral(numbers) : numbers;
    // The transform maps the fixed image to the moving one, so its inverse moves the moving image onto the fixed one.
    return toMotion(inUnits(inverted(mapped), 1 / millimetres(pair.base)));
  }
  const [base, layer] = [flirtCoordinates(pair.base), flirtCoordinates(pair.layer)];
  const toBase = moving === 'layer' ? numbers : inverted(numbers);
  return chained(inverted(pair.layerToWorld), layer, toBase, inverted(base), pair.baseToWorld);
}

/** The numbers of a file that describes a motion: the inverse of `motionOf`, with the layer as the moving image. */
export function storedMotion(motion: Transform, format: TransformFormat, pair: Pair): Transform {
  if (format === 'plain') return inUnits(motion, millimetres(pair.base));
  if (format === 'itk') {
    const mapped = inverted(inUnits(motion, millimetres(pair.base)));
    return pair.isOriented ? otherLateral(mapped) : mapped;
  }
  const [base, layer] = [flirtCoordinates(pair.base), flirtCoordinates(pair.layer)];
  return chained(inverted(layer), pair.layerToWorld, motion, inverted(pair.baseToWorld), base);
}

/** The text of a file. */
export function transformText(numbers: Transform, format: TransformFormat): string {
  return format === 'itk' ? writeItk(numbers) : writePlainMatrix(numbers);
}

/**
 * Maps voxel indexes to FLIRT's coordinates: index × voxel size in the header's unit, with x counted from the other end if the
 * affine's determinant is positive.
 * Source: FSL's newimage, `sampling_mat`, `swapmat` and `left_right_order`; the last one says no to an image without qform and sform.
 */
function flirtCoordinates(info: VolumeInfo): Transform {
  const [x = 1, y = 1, z = 1] = info.spacing.map((value) => (Number.isFinite(value) && value > 0 ? value : 1));
  const isFlipped = determinantOf(info.affine) > 0;
  return isFlipped ? [-x, 0, 0, x * (info.dims[0] - 1), 0, y, 0, 0, 0, 0, z, 0] : [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0];
}

/** Millimetres per unit of length of the volume; 1 if the unit is unknown. */
function millimetres({ spatialUnit }: VolumeInfo): number {
  const ratio = metresOf[spatialUnit] / metresOf.mm;
  return Number.isFinite(ratio) ? ratio : 1;
}

/** The same transform for points in another unit. @param ratio the number of new units in one old unit */
function inUnits(transform: Transform, ratio: number): Transform {
  const [x, y, z] = shiftOf(transform);
  return transformOf(columnsOf(transform), [x * ratio, y * ratio, z * ratio]);
}
