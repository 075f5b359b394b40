import { floatsOfHalves, halvesOfFloats, widenedIntegers } from '../../shared/stored-voxels.ts';
import { elementBytes } from '../../shared/volume.ts';
import type { PictureShape } from '../common/picture.ts';
import { narrowIntegers } from '../common/value-types.ts';

// Samples that have other bits in a TIFF file than in the picture: half floats as f32, 1, 2 or 4 bits as u8, and 64 bits as i32 or u32.

type Sample = Pick<PictureShape, 'type' | 'bits'>;

export const wideBits = 64;

export function isPacked({ type, bits }: Sample): boolean {
  return bits !== 8 * elementBytes(type);
}

/** Bytes that a row of samples takes in the file. Rows start on whole bytes. */
export function packedBytes({ bits }: Pick<Sample, 'bits'>, samples: number): number {
  return Math.ceil((samples * bits) / 8);
}

/**
 * The samples of a row, little-endian.
 * @param row as in the file, but little-endian
 * @param placeOf the place of a sample in words, by its number
 * @throws StriaError `unsupported` for a sample of 64 bits that needs more than 32
 */
export function unpackedRow(
  row: Uint8Array<ArrayBuffer>,
  shape: Sample,
  samples: number,
  placeOf: (sample: number) => string,
): Uint8Array {
  if (!isPacked(shape)) return row;
  const { bits } = shape;
  if (bits === wideBits) return new Uint8Array(narrowIntegers(row, shape.type === 'i32', placeOf).buffer);
  if (bits === 16) return floatsOfHalves(row);
  const mask = (1 << bits) - 1;
  return Uint8Array.from({ length: samples }, (_, x) => {
    const bit = x * bits;
    return ((row[bit >> 3] as number) >> (8 - bits - (bit & 7))) & mask;
  });
}

/** The inverse of `unpackedRow` for whole rows of `width` samples, exact for samples that it returned. */
export function packedRows(samples: Uint8Array, shape: Sample, width: number): Uint8Array {
  if (!isPacked(shape)) return samples;
  const { bits } = shape;
  if (bits === 16) return halvesOfFloats(samples);
  if (bits === wideBits) return widenedIntegers(samples, shape.type === 'i32');
  const rowBytes = packedBytes(shape, width);
  const rows = new Uint8Array((samples.length / width) * rowBytes);
  for (const [at, sample] of samples.entries()) {
    const bit = (at % width) * bits;
    const to = Math.floor(at / width) * rowBytes + (bit >> 3);
    rows[to] = (rows[to] as number) | (sample << (8 - bits - (bit & 7)));
  }
  return rows;
}
