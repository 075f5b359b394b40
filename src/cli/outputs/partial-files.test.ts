import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findLeftovers, offerLeftovers, partialFolder, partialPath } from './partial-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-partials-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const { signal } = new AbortController();
/** No process has this id. */
const deadPid = 2 ** 22 + 1;

/** The temporary file of a process that no longer runs. */
function leave(name: string, change: (name: string) => string = (same) => same): string {
  const partial = basename(partialPath(join(folder, name))).replace(`-${process.pid}-`, `-${deadPid}-`);
  const path = join(folder, change(partial));
  writeFileSync(path, 'voxels');
  return path;
}

function person(answer: boolean | undefined) {
  return { note: vi.fn<(text: string) => void>(), ask: vi.fn(async () => answer) };
}

test('finds the files of dead processes, and nothing else', async () => {
  const left = leave('scan.stria');
  writeFileSync(partialPath(join(folder, 'live.stria')), '');
  leave('other.stria', (name) => name.replace(/[0-9a-f]{8}-/, '00000000-'));
  leave('named.stria', (name) => name.slice(1));
  leave('longer.stria', (name) => `${name}.bak`);
  mkdirSync(join(folder, basename(left).replace('scan', 'folder')));
  symlinkSync(left, join(folder, basename(left).replace('scan', 'link')));
  writeFileSync(join(folder, '.scan.partial'), '');
  expect(await findLeftovers(folder)).toEqual([{ path: left, bytes: 6 }]);
  expect(await findLeftovers(join(folder, 'none'))).toEqual([]);
});

test('removes leftovers only if the user agrees', async () => {
  const left = leave('it’s a scan.nii');
  const refuses = person(false);
  await offerLeftovers([join(folder, 'new')], [], refuses, signal);
  expect(refuses.note.mock.calls.join()).toContain(left);
  expect(existsSync(left)).toBe(true);

  const absent = person(undefined);
  await offerLeftovers([join(folder, 'new')], [], absent, signal);
  expect(absent.note.mock.calls.join()).toContain(`rm '${left}'`);
  expect(existsSync(left)).toBe(true);

  const agrees = person(true);
  await offerLeftovers([join(folder, 'new')], [], agrees, signal);
  expect(readdirSync(folder)).toEqual([]);
});

test('counts the leftovers of a run that wrote many files', async () => {
  for (let index = 0; index < 12; index++) leave(`slice-${index}.png`);
  const absent = person(undefined);
  await offerLeftovers([join(folder, 'new')], [], absent, signal);
  const text = absent.note.mock.calls.join('\n');
  expect(text.match(/\.partial/g)).toHaveLength(10);
  expect(text).toContain('and 2 more');
  await offerLeftovers([join(folder, 'new')], [], person(true), signal);
  expect(readdirSync(folder)).toEqual([]);
});

test('prints nothing if there is no leftover, or if the leftover is being read', async () => {
  const terminal = person(true);
  await offerLeftovers([join(folder, 'new')], [], terminal, signal);
  const left = leave('scan.stria');
  await offerLeftovers([join(folder, 'new')], [left], terminal, signal);
  expect(terminal.note).not.toHaveBeenCalled();
  expect(terminal.ask).not.toHaveBeenCalled();
  expect(existsSync(left)).toBe(true);
});

test('a folder that a killed run left is found with all that it holds, and removed', async () => {
  const left = partialFolder(join(folder, 'scan.ome.zarr')).replace(`-${process.pid}-`, `-${deadPid}-`);
  mkdirSync(join(left, '0/c'), { recursive: true });
  writeFileSync(join(left, 'zarr.json'), '{}');
  writeFileSync(join(left, '0/c/0'), 'voxels');
  mkdirSync(partialFolder(join(folder, 'live.ome.zarr')));
  expect(await findLeftovers(folder)).toEqual([{ path: left, bytes: 8 }]);
  const silent = person(undefined);
  await offerLeftovers([join(folder, 'a')], [], silent, signal);
  expect(silent.note.mock.calls.at(-1)?.[0]).toContain('rm -r');
  await offerLeftovers([join(folder, 'a')], [], person(true), signal);
  expect(existsSync(left)).toBe(false);
});

test('files that a killed run left in subfolders are found below a root, but not behind links or in a temporary folder', async () => {
  const study = join(folder, 'study');
  mkdirSync(join(study, 'series 1/deep'), { recursive: true });
  mkdirSync(join(study, 'series 2'));
  const left = ['study/series 1/deep/IM1', 'study/series 2/IM1', 'study/IM0'].map((name) =>
    leave(name, (same) => join(dirname(name), same)),
  );
  symlinkSync(folder, join(study, 'link'));
  const inside = partialFolder(join(study, 'other')).replace(`-${process.pid}-`, `-${deadPid}-`);
  mkdirSync(inside);
  leave('IM9', (name) => join(basename(study), basename(inside), name));
  const silent = person(undefined);
  await offerLeftovers([join(study, '_')], [], silent, signal);
  expect(silent.note.mock.calls[0]?.[0]).not.toContain('series');
  const asked = person(true);
  await offerLeftovers([join(study, '_')], [], asked, signal, study);
  const listed = asked.note.mock.calls[0]?.[0] ?? '';
  for (const path of [left[0], left[1]]) expect(listed).toContain(path);
  expect(listed).not.toContain('IM9');
  for (const path of [...left, inside]) expect(existsSync(path), path).toBe(false);
});
