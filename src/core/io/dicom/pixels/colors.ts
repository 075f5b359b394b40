import type { Palette } from './palette.ts';

/** Samples of three planes, of 8 or 16 bits. */
export type Samples = Uint8Array | Uint16Array | Uint32Array;
/** Stored values, signed or not. */
export type StoredSamples = Samples | Int8Array | Int16Array | Int32Array;

/** Stored values as colours. */
export function throughPalette(stored: StoredSamples, { first, type, tables }: Palette): Uint8Array[] {
  return tables.map((table) => {
    const plane = type === 'u8' ? new Uint8Array(stored.length) : new Uint16Array(stored.length);
    const last = table.length - 1;
    for (let index = 0; index < stored.length; index++) {
      plane[index] = table[Math.min(last, Math.max(0, (stored[index] as number) - first))] as number;
    }
    return new Uint8Array(plane.buffer);
  });
}

/**
 * Converts full-range YCbCr to RGB, in place. PS3.3, C.7.6.3.1.2: the inverse of its matrix, rounded and clamped.
 * @param bits per sample
 */
export function rgbFromYbr(planes: readonly [Samples, Samples, Samples], bits: number): void {
  const [first, second, third] = planes;
  const most = 2 ** bits - 1;
  const middle = 2 ** (bits - 1);
  const clamp = (value: number) => (value < 0 ? 0 : value > most ? most : Math.round(value));
  for (let index = 0; index < first.length; index++) {
    const y = first[index] as number;
    const blue = (second[index] as number) - middle;
    const red = (third[index] as number) - middle;
    first[index] = clamp(y + 1.402 * red);
    second[index] = clamp(y - 0.344136 * blue - 0.714136 * red);
    third[index] = clamp(y + 1.772 * blue);
  }
}

/** Separates Y1 Y2 Cb Cr of two neighbours into three planes. Both get the same colour difference. */
export function planesOf422(stored: Uint8Array, pixels: number): [Uint8Array, Uint8Array, Uint8Array] {
  const planes = [new Uint8Array(pixels), new Uint8Array(pixels), new Uint8Array(pixels)] as const;
  for (let pixel = 0; pixel < pixels; pixel++) {
    const pair = (pixel >>> 1) * 4;
    planes[0][pixel] = stored[pair + (pixel & 1)] as number;
    planes[1][pixel] = stored[pair + 2] as number;
    planes[2][pixel] = stored[pair + 3] as number;
  }
  return [...planes];
}
