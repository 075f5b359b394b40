import { floatsOfHalves, halvesOfFloats } from '../../shared/stored-voxels.ts';
import { elementBytes } from '../../shared/volume.ts';
import type { PictureShape } from '../common/picture.ts';

// Samples that have fewer bits in a TIFF file than in the picture: half floats as f32, and 1, 2 or 4 bits as u8.

type Sample = Pick<PictureShape, 'type' | 'bits'>;

export function isPacked({ type, bits }: Sample): boolean {
  return bits < 8 * elementBytes(type);
}

/** Bytes that a row of samples takes in the file. Rows start on whole bytes. */
export function packedBytes({ bits }: Pick<Sample, 'bits'>, samples: number): number {
  return Math.ceil((samples * bits) / 8);
}

/** The samples of a row, little-endian. @param row as in the file, but little-endian */
export function unpackedRow(row: Uint8Array, shape: Sample, samples: number): Uint8Array {
  if (!isPacked(shape)) return row;
  const { bits } = shape;
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
  const rowBytes = packedBytes(shape, width);
  const rows = new Uint8Array((samples.length / width) * rowBytes);
  for (const [at, sample] of samples.entries()) {
    const bit = (at % width) * bits;
    const to = Math.floor(at / width) * rowBytes + (bit >> 3);
    rows[to] = (rows[to] as number) | (sample << (8 - bits - (bit & 7)));
  }
  return rows;
}
