import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { start, stria, testFolders } from './cli-testing.ts';

const folders = testFolders();

test('serve prints its address, answers, and ends with Ctrl-C', async () => {
  writeFileSync(folders.at('scan.raw'), 'voxels');
  const { child, ended } = start(['serve', folders.folder, '--port', '0']);
  const address = await new Promise<string>((resolve) => {
    let text = '';
    child.stdout?.on('data', (piece: string) => {
      text += piece;
      const [found] = /http:\/\/127\.0\.0\.1:\d+\//.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  expect(await (await fetch(address)).text()).toContain('scan.raw');
  expect(await (await fetch(`${address}files/scan.raw`)).text()).toBe('voxels');
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0 });
});

test('serve refuses what is not a folder, and wrong ports', async () => {
  mkdirSync(folders.at('empty'));
  writeFileSync(folders.at('file'), '');
  expect((await stria('serve', folders.at('none'))).stderr).toContain('none');
  expect((await stria('serve', folders.at('file'))).stderr).toContain('is a file; name the folder that contains it');
  expect((await stria('serve', folders.at('empty'), '--port', '99999')).stderr).toContain('--port');
  expect((await stria('serve')).stderr).toContain('serve needs a folder');
});
