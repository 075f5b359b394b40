import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseCommand } from '../arguments/args.ts';
import type { LevelsCommand } from '../arguments/parsed-command.ts';
import type { CommandContext } from '../terminal/context.ts';
import { runLevelsBeside } from './levels-beside.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-levels-'));

afterAll(() => rmSync(folder, { recursive: true }));

test('--remove deletes no file that -o names', async () => {
  const scan = join(folder, 'scan.nii');
  const other = join(folder, 'other.nii');
  writeFileSync(scan, 'voxels');
  writeFileSync(other, 'voxels');
  for (const output of [scan, other]) {
    const command = parseCommand(['levels', scan, '--remove', '-o', output]) as LevelsCommand;
    await expect(runLevelsBeside(command, {} as CommandContext)).rejects.toMatchObject({ tag: 'invalid-input' });
  }
  expect([scan, other].map((path) => existsSync(path))).toEqual([true, true]);
});
