import { expect, test } from 'vitest';
import { blobFiles } from '../../host/blob-files.ts';
import type { HostFile } from '../../host/host.ts';
import { completed, completes, joined } from './companions.ts';

const fileOf = (name: string, text: string) => blobFiles([new File([text], name)])[0] as HostFile;
const header = fileOf('scan.mhd', 'header');
const data = fileOf('scan.raw', 'voxels');

async function textBeside(file: HostFile, name: string): Promise<string | undefined> {
  const source = await file.siblings(name);
  return source && new TextDecoder().decode(await source.read(0, 100));
}

test('files opened together find each other, whichever folders they come from', async () => {
  expect(await textBeside(header, 'scan.raw')).toBeUndefined();
  const whole = joined({ primary: header, companions: [data] });
  expect(await textBeside(whole, 'scan.raw')).toBe('voxels');
  expect(await textBeside(whole, 'other.raw')).toBeUndefined();
  expect(joined({ primary: header, companions: [] })).toBe(header);
});

test('a missing file is found by its name, or is the only chosen file', async () => {
  const other = fileOf('renamed.bin', 'other voxels');
  expect(completes([other, data], ['scan.raw'])).toBe(true);
  expect(completes([other], ['scan.raw'])).toBe(false);
  expect(await textBeside(completed(header, ['scan.raw'], [other, data]), 'scan.raw')).toBe('voxels');
  const alone = completed(header, ['scan.img', 'scan.img.gz'], [other]);
  expect(await textBeside(alone, 'scan.img.gz')).toBe('other voxels');
  expect(await textBeside(alone, 'scan.raw.json')).toBeUndefined();
  // Files that were found before are still found.
  expect(await textBeside(completed(alone, ['second.raw'], [data]), 'scan.img')).toBe('other voxels');
});
