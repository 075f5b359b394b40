import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { niftiHeaderBytes, noise } from '../core/io/common/source-testing.ts';
import { ctSlice, dicomFile } from '../core/io/dicom/dicom-testing.ts';
import { requireBuild, stria } from './cli-testing.ts';

const [side, count] = [512, 100];
const folder = mkdtempSync(join(tmpdir(), 'stria-dicom-speed-'));
const at = (name: string) => join(folder, name);

beforeAll(() => {
  requireBuild();
  const noisy = noise(side * side * 2 + count);
  mkdirSync(at('study'));
  const slices = Array.from({ length: count }, (_, z) => noisy.subarray(z, z + side * side * 2));
  for (const [z, pixels] of slices.entries()) {
    const slice = ctSlice({ columns: side, rows: side, z, instance: z + 1, pixels, more: { 2621699: ['US', 0] } });
    writeFileSync(at(`study/IM${String(z).padStart(4, '0')}.dcm`), dicomFile(slice));
  }
  writeFileSync(
    at('scan.nii'),
    Buffer.concat([niftiHeaderBytes({ dim: [3, side, side, count], datatype: 512 }), Buffer.alloc(4), ...slices]),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Milliseconds to read a whole volume: it is stored raw, so each voxel passes through the engine once. */
async function timeOf(input: string): Promise<number> {
  const start = performance.now();
  const ended = await stria('compress', at(input), '-o', at('out.stria'), '--codec', 'raw', '--device', 'cpu', '-q');
  expect(ended).toMatchObject({ code: 0 });
  return performance.now() - start;
}

test('a folder of 100 slices is read within twice the time of the same volume as NIfTI', async () => {
  // The minimum of several runs, because other work on the machine only makes a run longer.
  const rounds = 24;
  let [dicom, nifti] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round === 0 || (round < rounds && dicom > 2 * nifti); round++) {
    nifti = Math.min(nifti, await timeOf('scan.nii'));
    dicom = Math.min(dicom, await timeOf('study'));
  }
  expect(dicom / nifti).toBeLessThanOrEqual(2);
}, 120_000);
