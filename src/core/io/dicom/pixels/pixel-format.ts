import { StriaError } from '../../../shared/errors.ts';
import { type ElementType, elementBytes } from '../../../shared/volume.ts';
import { pixelTags } from '../parse/elements.ts';
import type { DicomHeader } from '../parse/header.ts';
import { numberOf, textOf } from '../parse/values.ts';
import { type Palette, readPalette } from './palette.ts';

/** The format of a file's pixels, and of the voxels made from them. */
export interface PixelFormat {
  readonly columns: number;
  readonly rows: number;
  readonly frames: number;
  /** Stored samples per pixel: 1, or 3 for colours. */
  readonly samples: 1 | 3;
  /** Whether the samples of a colour are in separate planes. */
  readonly isPlanar: boolean;
  readonly bitsAllocated: 1 | 8 | 16 | 32 | 64;
  readonly bitsStored: number;
  /** The stored value's lowest bit. Always 0 except in old files. */
  readonly lowBit: number;
  readonly isSigned: boolean;
  readonly photometric: Photometric;
  /** The colours, if the file has a palette. */
  readonly palette?: Palette | undefined;
  /** The type of the voxels. */
  readonly type: ElementType;
  /** Voxel planes per frame: 1, or 3 for colours. */
  readonly channels: 1 | 3;
}

const photometrics = [
  'MONOCHROME1',
  'MONOCHROME2',
  'PALETTE COLOR',
  'RGB',
  'YBR_FULL',
  'YBR_FULL_422',
  'YBR_ICT',
  'YBR_RCT',
] as const;
export type Photometric = (typeof photometrics)[number];

/** PS3.3 stores the number of rows and columns in 16 bits. */
const maxSide = 65535;
const maxFrames = 2 ** 20;

/**
 * Reads and validates the image pixel module, so that sizes are checked before memory is allocated.
 * @throws StriaError `corrupt`; `unsupported`, naming the feature
 */
export function readPixelFormat({ dataSet, pixels, syntax }: DicomHeader): PixelFormat {
  const whole = (tag: number, name: string, least: number, most: number, missing?: number): number => {
    const element = dataSet.elements.get(tag);
    const isMissing = element === undefined || element.valueStart === element.valueEnd;
    const value = numberOf(dataSet, tag) ?? (isMissing ? missing : undefined);
    if (value === undefined || !Number.isInteger(value) || value < least || value > most) {
      if (isMissing && value === undefined) throw new StriaError('corrupt', `the header does not give the ${name}`);
      throw new StriaError('corrupt', `the header gives ${value ?? `'${textOf(dataSet, tag).slice(0, 20)}'`} as the ${name}`);
    }
    return value;
  };
  const rows = whole(0x00280010, 'number of rows', 1, maxSide);
  const columns = whole(0x00280011, 'number of columns', 1, maxSide);
  const frames = whole(0x00280008, 'number of frames', 1, maxFrames, 1);
  const samples = whole(0x00280002, 'samples of a pixel', 1, 4, 1);
  const photometric = photometricOf(textOf(dataSet, 0x00280004).toUpperCase(), samples);
  if (samples !== 1 && samples !== 3)
    throw new StriaError('unsupported', `${samples} samples per pixel (${photometric}) are not supported`);
  const common = { columns, rows, frames, samples, isPlanar: numberOf(dataSet, 0x00280006) === 1, photometric } as const;
  if (pixels?.tag !== pixelTags.integers) {
    const bits = pixels?.tag === pixelTags.floats ? 32 : 64;
    const type = bits === 32 ? 'f32' : 'f64';
    if (samples !== 1) throw new StriaError('unsupported', 'colors as floating point numbers are not supported');
    return { ...common, bitsAllocated: bits, bitsStored: bits, lowBit: 0, isSigned: false, type, channels: 1 };
  }
  const bitsAllocated = whole(0x00280100, 'bits allocated', 1, 64);
  if (bitsAllocated !== 1 && bitsAllocated !== 8 && bitsAllocated !== 16 && bitsAllocated !== 32) {
    throw new StriaError(
      'unsupported',
      `${bitsAllocated} bits per sample are not supported, only 1, 8, 16 and 32: convert the file, for example with gdcmconv`,
    );
  }
  const bitsStored = whole(0x00280101, 'bits stored', 1, bitsAllocated, bitsAllocated);
  const highBit = whole(0x00280102, 'high bit', bitsStored - 1, bitsAllocated - 1, bitsStored - 1);
  const isSigned = bitsAllocated > 1 && numberOf(dataSet, 0x00280103) === 1;
  const palette = photometric === 'PALETTE COLOR' ? readPalette(dataSet) : undefined;
  const stored = `${isSigned ? 'i' : 'u'}${Math.max(8, bitsAllocated)}` as ElementType;
  return {
    ...common,
    bitsAllocated,
    bitsStored,
    // Compressed samples are plain values, however they were stored before.
    lowBit: syntax.pixels === 'native' ? highBit + 1 - bitsStored : 0,
    isSigned,
    palette,
    type: palette === undefined ? stored : palette.type,
    channels: samples === 3 || palette !== undefined ? 3 : 1,
  };
}

function photometricOf(name: string, samples: number): Photometric {
  if (name === '') return samples === 1 ? 'MONOCHROME2' : 'RGB';
  const known = photometrics.find((photometric) => photometric === name);
  if (known === undefined) {
    throw new StriaError('unsupported', `the photometric interpretation ${name} is not supported: convert the pictures to RGB`);
  }
  const isColor = known !== 'MONOCHROME1' && known !== 'MONOCHROME2' && known !== 'PALETTE COLOR';
  if (isColor !== samples > 1) throw new StriaError('corrupt', `the header says ${known} with ${samples} samples per pixel`);
  return known;
}

/** Bytes of a native frame. Frames of single bits have no gaps, so two frames may share a byte. */
export function storedFrameBytes({ columns, rows, samples, bitsAllocated, photometric }: PixelFormat): number {
  const pixels = columns * rows;
  if (bitsAllocated === 1) return Math.ceil((pixels * samples) / 8);
  // Two pixels share a pair of colour differences.
  if (photometric === 'YBR_FULL_422') return Math.ceil(pixels / 2) * 4 * (bitsAllocated / 8);
  return pixels * samples * (bitsAllocated / 8);
}

/** Bytes of one voxel plane. */
export function planeBytes({ columns, rows, type }: PixelFormat): number {
  return columns * rows * elementBytes(type);
}
