import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expectOpen, voxelsInGpu } from '../support/app.ts';
import { hookHost } from '../support/host.ts';
import { voxelsOf, writeStudy } from '../support/study.ts';
import { expect, test } from '../support/test.ts';

// Tests cannot drive Chromium's own pickers. Here they return files of the page's private file system, whose handles work the
// same way. Everything behind the pickers is real.
test.beforeEach(async ({ stria }) => {
  await stria.page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('folder', { create: true });
    const refuse = (name: string) => Promise.reject(new DOMException('', name));
    const next: { open: string[]; save: string[]; folder: string[] } = { open: [], save: [], folder: [] };
    const pickers = {
      showOpenFilePicker: async () => {
        const name = next.open.shift() ?? '!AbortError';
        return name.startsWith('!') ? refuse(name.slice(1)) : [await folder.getFileHandle(name)];
      },
      showSaveFilePicker: async () => {
        const name = next.save.shift() ?? '!AbortError';
        return name.startsWith('!') ? refuse(name.slice(1)) : folder.getFileHandle(name, { create: true });
      },
      showDirectoryPicker: async () => {
        const name = next.folder.shift() ?? '!AbortError';
        return name.startsWith('!') ? refuse(name.slice(1)) : root.getDirectoryHandle(name);
      },
    };
    for (const [name, value] of Object.entries(pickers)) Object.defineProperty(window, name, { value, configurable: true });
    const put = async (name: string, text: string) => {
      const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
      await writable.write(text);
      await writable.close();
    };
    const list = async () => {
      const texts: Record<string, string> = {};
      for await (const [name, handle] of folder.entries()) {
        texts[name] = await (await (handle as FileSystemFileHandle).getFile()).text();
      }
      return texts;
    };
    Object.assign(window, { next, put, list });
  });
});

interface PickerPage {
  readonly next: { open: string[]; save: string[]; folder: string[] };
  put(name: string, text: string): Promise<void>;
  list(): Promise<Record<string, string>>;
}

test('the open picker gives a file that can be remembered and opened again', async ({ stria }) => {
  const host = await hookHost(stria.page);
  const result = await host.evaluate(async ({ host, sourceOf }) => {
    const page = window as unknown as PickerPage;
    await page.put('scan.raw', 'voxels');
    page.next.open.push('scan.raw');
    const [file] = await host.openDialog();
    if (file === undefined) throw new Error('no file was given');
    await host.clearRecent();
    await host.remember(file, 'data:image/png;base64,AAAA');
    await host.remember(file, 'data:image/png;base64,BBBB');
    const recent = await host.recent();
    const again = sourceOf((await host.openRecent(recent[0]?.id ?? '')).handle);
    const text = new TextDecoder().decode(await again.read(0, 100));
    const backedOut = await host.openDialog();
    await host.clearRecent();
    return { text, names: recent.map(({ name, thumbnail }) => [name, thumbnail]), backedOut, left: await host.recent() };
  });
  expect(result).toEqual({ text: 'voxels', names: [['scan.raw', 'data:image/png;base64,BBBB']], backedOut: [], left: [] });
});

test('the folder picker gives a folder that is listed when needed, and remembered with the chosen volume', async ({ stria }) => {
  const { page } = stria;
  await page.evaluate(
    async ({ files }) => {
      const root = await navigator.storage.getDirectory();
      for (const [path, bytes] of files) {
        const steps = path.split('/');
        const name = steps.pop() ?? '';
        let folder = root;
        for (const step of steps) folder = await folder.getDirectoryHandle(step, { create: true });
        const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
        await writable.write(new Uint8Array(bytes));
        await writable.close();
      }
      (window as unknown as PickerPage).next.folder.push('study');
    },
    { files: filesBelow(writeStudy(stria)) },
  );
  await page.getByTestId('open-folder-button').click();
  await page.getByTestId('volume-choice').nth(1).click();
  await expectOpen(page, 'study · Thin bone');
  expect((await voxelsInGpu(page)).equals(voxelsOf(2))).toBe(true);
  await page.getByTestId('close-button').click();
  // The chosen volume opens again at once.
  await page.getByRole('button', { name: 'study · Thin bone' }).click();
  await expectOpen(page, 'study · Thin bone');
  expect((await voxelsInGpu(page)).equals(voxelsOf(2))).toBe(true);
  await page.getByTestId('close-button').click();
  await page.getByTestId('open-folder-button').click();
  await expect(page.getByTestId('empty-state')).toBeVisible();
});

/** The files of a folder by their paths, its own name included. */
function filesBelow(folder: string): [path: string, bytes: number[]][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(dirname(folder), path), [...readFileSync(path)]];
    });
}

test('the save picker: a file is hidden until closed, and an aborted one leaves nothing', async ({ stria }) => {
  const host = await hookHost(stria.page);
  const result = await host.evaluate(async ({ host }) => {
    const page = window as unknown as PickerPage;
    await page.put('old.stria', 'before');
    const bytes = new TextEncoder().encode('after');
    page.next.save.push('old.stria', 'new.stria', 'old.stria');
    const givenUp = await host.saveAs('old.stria');
    await givenUp?.write(bytes);
    await givenUp?.abort();
    const givenUpNew = await host.saveAs('new.stria');
    await givenUpNew?.write(bytes);
    await givenUpNew?.abort();
    const afterAborts = await page.list();
    const sink = await host.saveAs('old.stria');
    await sink?.write(bytes);
    const before = await page.list();
    await sink?.close();
    return { afterAborts, before, after: await page.list(), backedOut: (await host.saveAs('x')) === undefined };
  });
  expect(result.afterAborts).toEqual({ 'old.stria': 'before' });
  expect(result.before).toMatchObject({ 'old.stria': 'before' });
  expect(result.after).toEqual({ 'old.stria': 'after' });
  expect(result.backedOut).toBe(true);
});

test('saving beside a file asks for a folder once and never replaces a file', async ({ stria }) => {
  const host = await hookHost(stria.page);
  const result = await host.evaluate(async ({ host }) => {
    const page = window as unknown as PickerPage;
    await page.put('scan.raw', 'voxels');
    await page.put('scan.stria', 'before');
    page.next.open.push('scan.raw');
    page.next.folder.push('folder', '!AbortError');
    const [file] = await host.openDialog();
    if (file === undefined) throw new Error('no file was given');
    const names: string[] = [];
    for (let count = 0; count < 2; count++) {
      const sink = await host.saveBeside(file, 'scan.stria');
      await sink.write(new TextEncoder().encode(`after ${count}`));
      await sink.close();
      names.push(sink.name);
    }
    const givenUp = await host.saveBeside(file, 'gone.stria');
    await givenUp.abort();
    return { names, files: await page.list(), asked: 2 - page.next.folder.length };
  });
  expect(result).toEqual({
    names: ['scan (2).stria', 'scan (3).stria'],
    files: { 'scan.raw': 'voxels', 'scan.stria': 'before', 'scan (2).stria': 'after 0', 'scan (3).stria': 'after 1' },
    asked: 1,
  });
});

test('a refusal says what to do', async ({ stria }) => {
  const host = await hookHost(stria.page);
  const faults = await host.evaluate(async ({ host }) => {
    const page = window as unknown as PickerPage;
    page.next.open.push('!SecurityError', 'not there');
    page.next.save.push('!NotAllowedError');
    const fault = (work: Promise<unknown>) => work.then(String, ({ tag, message }) => `${tag}: ${message}`);
    return [await fault(host.openDialog()), await fault(host.openDialog()), await fault(host.saveAs('out.stria'))];
  });
  expect(faults).toEqual([
    'not-readable: The browser allows this only right after a click or a key press. Try again',
    "not-readable: 'the file' no longer exists at its old location. Open it again",
    "not-writable: 'out.stria' cannot be used: permission was denied. Open it again and allow access",
  ]);
});
