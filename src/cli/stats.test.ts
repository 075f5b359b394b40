import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodeRgbaPng } from '../core/io/pictures/rgba-png.ts';
import { cpu, niftiFile, scanBytes, stria, succeed, testFolders } from './cli-testing.ts';

const { at } = testFolders();
const dims = [70, 66, 20] as const;

/** A scan and its labels: 1 where it is brighter than 60, 2 where brighter than 120. */
function writeFiles(): { voxels: Uint8Array; marks: Uint8Array } {
  const voxels = scanBytes(dims, 1);
  const marks = voxels.map((value) => (value > 120 ? 2 : value > 60 ? 1 : 0));
  writeFileSync(at('scan.nii'), niftiFile(dims, 1));
  const labels = niftiFile(dims, 1);
  labels.set(marks, 352);
  writeFileSync(at('labels.nii'), labels);
  return { voxels, marks };
}

test('each label is measured, in files of any format and in .stria alike, as a table, JSON and CSV', async () => {
  const { voxels, marks } = writeFiles();
  const { stdout } = await succeed('stats', at('scan.nii'), '--labels', at('labels.nii'), '--json', ...cpu);
  const { rows } = JSON.parse(stdout);
  expect(rows).toHaveLength(3);
  for (const { label, count, min, max, mean, volumeMm3 } of rows) {
    const values = [...voxels].filter((_, index) => marks[index] === label);
    expect({ count, min, max }).toEqual({ count: values.length, min: Math.min(...values), max: Math.max(...values) });
    expect(mean).toBeCloseTo(values.reduce((a, b) => a + b) / values.length, 9);
    // Voxels of 0.5 × 0.5 × 2 mm.
    expect(volumeMm3).toBeCloseTo(values.length / 2, 6);
  }
  for (const name of ['scan', 'labels']) await succeed('compress', at(`${name}.nii`), ...cpu);
  const csv = at('rows.csv');
  await succeed('stats', at('scan.stria'), '--labels', at('labels.stria'), '-o', csv, ...cpu);
  const [head, ...lines] = readFileSync(csv, 'utf8').trimEnd().split('\n');
  expect(head).toBe('label,count,volume_mm3,mean,deviation,min,max');
  expect(lines.map((line) => line.split(',').map(Number))).toEqual(
    rows.map((row: Record<string, number>) => [row.label, row.count, row.volumeMm3, row.mean, row.deviation, row.min, row.max]),
  );
  const table = await succeed('stats', at('scan.stria'), '--box', '0,0,0,4,66,20', ...cpu);
  expect(table.stdout).toMatch(/^count +volume mm3 +mean +deviation +min +max\n5280 /);
});

test('labels get their names from a table, or from the segmentation itself', async () => {
  writeFiles();
  writeFileSync(at('names.csv'), 'index,name\n1,"Grey, ""outer"""\n2,White\n9,Absent\n');
  const csv = at('named.csv');
  const both = [at('scan.nii'), '--labels', at('labels.nii')] as const;
  await succeed('stats', ...both, '--table', at('names.csv'), '-o', csv, ...cpu);
  const [head, ...lines] = readFileSync(csv, 'utf8').trimEnd().split('\n');
  expect(head).toBe('label,name,count,volume_mm3,mean,deviation,min,max');
  expect(lines.map((line) => line.replace(/,\d+,.*/, ''))).toEqual(['0,', '1,"Grey, ""outer"""', '2,"White"']);
  const shown = await succeed('stats', ...both, '--table', at('names.csv'), ...cpu);
  expect(shown.stdout).toMatch(/^label +name +count/);
  const table = readFileSync(at('names.csv'), 'utf8');
  const replacing = await stria('stats', ...both, '--table', at('names.csv'), '-o', at('names.csv'), ...cpu);
  expect(replacing).toMatchObject({ code: 2, stderr: expect.stringMatching('would replace the input') });
  expect(readFileSync(at('names.csv'), 'utf8')).toBe(table);

  // The same names in the header of the segmentation, which a .stria keeps.
  const plain = readFileSync(at('labels.nii'));
  const extension = new Uint8Array(96);
  extension.set(new TextEncoder().encode('<Caret><LabelTable><Label Key="2">White</Label></LabelTable></Caret>'), 8);
  new DataView(extension.buffer).setInt32(0, 96, true);
  new DataView(extension.buffer).setInt32(4, 30, true);
  const header = Uint8Array.from(plain.subarray(0, 352));
  header[348] = 1;
  new DataView(header.buffer).setFloat32(108, 352 + 96, true);
  writeFileSync(at('labels.nii'), Buffer.concat([header, extension, plain.subarray(352)]));
  await succeed('compress', at('labels.nii'), '-o', at('named.stria'), ...cpu);
  for (const file of ['labels.nii', 'named.stria']) {
    const { stdout } = await succeed('stats', at('scan.nii'), '--labels', at(file), '--json', ...cpu);
    expect(JSON.parse(stdout).rows.map(({ name }: { name?: string }) => name)).toEqual([undefined, undefined, 'White']);
  }
  expect(await stria('stats', at('scan.nii'), '--table', at('names.csv'), ...cpu)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--table names the labels.*--labels/),
  });
  const noTable = await stria('stats', ...both, '--table', at('scan.nii'), ...cpu);
  expect(noTable.stderr).toMatch(/not a label table/);
});

test('volumes are in the file’s unit of length, in JSON in mm³', async () => {
  const file = niftiFile(dims, 1);
  // xyzt_units: micrometres.
  file[123] = 3;
  writeFileSync(at('cells.nii'), file);
  const count = dims[0] * dims[1] * dims[2];
  const shown = await succeed('stats', at('cells.nii'), ...cpu);
  expect(shown.stdout).toMatch(new RegExp(`^count +volume um3 .*\n${count} +${count / 2} `));
  await succeed('stats', at('cells.nii'), '-o', at('rows.csv'), ...cpu);
  expect(readFileSync(at('rows.csv'), 'utf8')).toMatch(new RegExp(`^count,volume_um3,.*\n${count},${count / 2},`));
  const [row] = JSON.parse((await succeed('stats', at('cells.nii'), '--json', ...cpu)).stdout).rows;
  expect(row.volumeMm3).toBeCloseTo((count / 2) * 1e-9, 15);
});

test('channels are numbered apart from time points', async () => {
  const rgba = Uint8Array.from({ length: 4 * 36 }, (_, at) => 10 * (at % 4));
  writeFileSync(at('rgba.png'), encodeRgbaPng({ width: 6, height: 6, rgba, text: {} }));
  await succeed('stats', at('rgba.png'), '-o', at('rows.csv'), ...cpu);
  const [head, ...lines] = readFileSync(at('rows.csv'), 'utf8').trimEnd().split('\n');
  expect(head).toBe('channel,count,mean,deviation,min,max');
  expect(lines.map((line) => line.split(',').slice(0, 3))).toEqual([
    ['1', '36', '0'],
    ['2', '36', '10'],
    ['3', '36', '20'],
    ['4', '36', '30'],
  ]);
  const { stdout } = await succeed('stats', at('rgba.png'), '--json', ...cpu);
  const rows = JSON.parse(stdout).rows as readonly { t: number; channel: number; time: number }[];
  expect(rows.map(({ t, channel, time }) => [t, channel, time])).toEqual([0, 1, 2, 3].map((channel) => [channel, channel, 0]));
});

test('labels of another grid and a part of a volume are refused', async () => {
  writeFiles();
  writeFileSync(at('other.nii'), niftiFile([70, 66, 19], 1));
  const other = await stria('stats', at('scan.nii'), '--labels', at('other.nii'), ...cpu);
  expect(other).toMatchObject({ code: 2, stderr: expect.stringMatching(/both need the same grid/) });
  await succeed('compress', at('scan.nii'), '--part', '1/2', '-o', at('part.stria'), ...cpu);
  const part = await stria('stats', at('part.stria'), ...cpu);
  expect(part).toMatchObject({ code: 2, stderr: expect.stringMatching(/holds only part 1 of 2/) });
});

test('an error names the file that is damaged, not the other one, and an error of both names neither', async () => {
  writeFiles();
  const [scan, labels] = ['scan', 'labels'].map((name) => {
    const packed = gzipSync(readFileSync(at(`${name}.nii`)));
    packed.fill(0xff, packed.length / 2, packed.length / 2 + 40);
    writeFileSync(at(`${name}-bad.nii.gz`), packed);
    return { sound: at(`${name}.nii`), damaged: at(`${name}-bad.nii.gz`) };
  }) as [{ sound: string; damaged: string }, { sound: string; damaged: string }];
  for (const [input, marks, damaged, sound] of [
    [scan.sound, labels.damaged, labels.damaged, scan.sound],
    [scan.damaged, labels.sound, scan.damaged, labels.sound],
  ] as const) {
    const { code, stderr } = await stria('stats', input, '--labels', marks, ...cpu);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(damaged) });
    expect(stderr).not.toContain(sound);
  }
  writeFileSync(at('small.nii'), niftiFile([4, 4, 4], 1));
  const other = await stria('stats', scan.sound, '--labels', at('small.nii'), ...cpu);
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('both need the same grid') });
  expect(other.stderr).not.toContain('.nii');
});
