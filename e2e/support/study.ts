import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ctSlice, dicomFile } from '../../src/core/io/dicom/dicom-testing.ts';
import type { Stria } from './test.ts';

export const [columns, rows, slices] = [24, 16, 6];

/** The voxels of a series: a bright block in the middle, and values that differ between series. */
function pixelsOf(series: number, z: number): Uint8Array {
  const pixels = new Int16Array(columns * rows);
  for (const at of pixels.keys()) {
    const [x, y] = [at % columns, Math.floor(at / columns)];
    const isInside = Math.abs(x - 12) < 7 && Math.abs(y - 8) < 5;
    pixels[at] = isInside ? 1000 + 100 * series + 10 * z + x : 20 * series;
  }
  return new Uint8Array(pixels.buffer);
}

export const voxelsOf = (series: number) => Buffer.concat(Array.from({ length: slices }, (_, z) => pixelsOf(series, z)));

/** Writes a study as scanners do: two series in folders, files without an extension, and a file that is not DICOM. */
export function writeStudy(stria: Stria, folder = 'study'): string {
  const root = stria.folder;
  for (const series of [1, 2]) {
    mkdirSync(join(root, folder, `S${series}`), { recursive: true });
    for (let z = 0; z < slices; z++) {
      const more = {
        528446: ['LO', series === 1 ? 'Localizer' : 'Thin bone'],
        2097166: ['UI', `1.2.3.${series}`],
        2097169: ['IS', String(series)],
        524312: ['UI', `1.2.3.${series}.${z + 1}`],
      } as const;
      const slice = ctSlice({ columns, rows, z: 2 * z, instance: z + 1, pixels: pixelsOf(series, z), more });
      stria.write(`${folder}/S${series}/IM${z}`, Buffer.from(dicomFile(slice)));
    }
  }
  stria.write(`${folder}/README.txt`, Buffer.from('from the scanner'));
  return join(root, folder);
}
