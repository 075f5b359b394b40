import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { standardTuning, tuningSchema } from '../../core/gpu/tuning.ts';
import { readTuning } from './tuning-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-tuning-test-'));
const path = join(folder, 'tuning.json');
afterAll(() => rmSync(folder, { recursive: true }));

test('reads a tuning; a value that this version does not offer becomes the standard one', async () => {
  writeFileSync(path, JSON.stringify({ schema: tuningSchema, tuning: { 'rice.decode': 64, 'view.rays': 7, other: 1 } }));
  expect(await readTuning(path)).toEqual({ ...standardTuning, 'rice.decode': 64 });
});

test.each(['', '{', '[]', 'null', '{"schema":"stria-bench-1"}'])('%j is refused by name', async (text) => {
  writeFileSync(path, text);
  await expect(readTuning(path)).rejects.toMatchObject({ tag: 'invalid-input', message: expect.stringContaining(path) });
});

test('a missing file is reported as missing', async () => {
  await expect(readTuning(join(folder, 'none.json'))).rejects.toMatchObject({ tag: 'not-readable' });
});
