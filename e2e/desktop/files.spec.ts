import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hookHost } from '../support/host.ts';
import { expect, test } from '../support/test.ts';

test('only files that main has opened can be reached', async ({ stria }) => {
  stria.write('secret.txt', 'secret');
  const answers = await stria.page.evaluate(async () => {
    const paths = [
      '/..%2f..%2fpackage.json',
      '/%2e%2e%2fmain/index.js',
      '/assets/..%2f..%2fmain%2findex.js',
      '/file/',
      '/file/../main/index.js',
    ];
    paths.push('/file/00000000-0000-4000-8000-000000000000');
    return Promise.all(paths.map(async (path) => (await fetch(new URL(path, location.href))).status));
  });
  expect(answers).toEqual(Array(6).fill(404));
  stria.problems.splice(0);
  const siblings = await stria.page.evaluate(async () => {
    const bridge = (
      window as unknown as { stria: { call(...args: unknown[]): Promise<{ ok: boolean; error?: { tag: string } }> } }
    ).stria;
    const calls = [
      ['open-sibling', 'made-up', 'a'],
      ['open-sibling', '00000000-0000-4000-8000-000000000000', '../secret.txt'],
      ['open-dropped', '/etc/passwd'],
      ['toString'],
      ['save-begin', '../../evil'],
      ['save-write', '00000000-0000-4000-8000-000000000000', new Uint8Array(1)],
    ];
    return Promise.all(calls.map(async (call) => (await bridge.call(...call)).error?.tag));
  });
  expect(siblings).toEqual(Array(6).fill('invalid-input'));
});

test('a frame in the page gets no bridge, and main would not answer it', async ({ stria }) => {
  const frame = await stria.page.evaluate(async () => {
    const inner = document.createElement('iframe');
    inner.srcdoc = '<p>inside</p>';
    document.body.append(inner);
    await new Promise((loaded) => inner.addEventListener('load', loaded));
    const { striaDoubleInvoke: invoke } = inner.contentWindow as unknown as {
      striaDoubleInvoke?: (channel: string, args: readonly unknown[]) => Promise<{ error?: { message: string } }>;
    };
    // Only in the double could a frame find a way to main.
    const answer = await invoke?.('stria:call', ['shell-info']);
    return { hasBridge: 'stria' in (inner.contentWindow ?? {}), refusal: answer?.error?.message };
  });
  const refusal = stria.kind === 'electron double' ? 'Only the app itself may call this' : undefined;
  expect(frame).toEqual({ hasBridge: false, refusal });
});

test('a second start passes its file to the first', async ({ stria }) => {
  const host = await hookHost(stria.page);
  await stria.openArgument(stria.write('scan.raw', 'voxels'));
  await expect
    .poll(() => host.evaluate(({ files }) => files.map(({ name, size }) => ({ name, size }))))
    .toEqual([{ name: 'scan.raw', size: 6 }]);
});

test('a sibling that was not dropped is found in the folder', async ({ stria }) => {
  stria.write('scan.img', 'voxels');
  const host = await hookHost(stria.page);
  await stria.dropFiles([stria.write('scan.hdr', 'header')]);
  await expect.poll(() => host.evaluate(({ files }) => files.length)).toBe(1);
  const size = await host.evaluate(async ({ files }) => (await files[0]?.siblings('scan.img'))?.size);
  expect(size).toBe(6);
});

test('files that nobody chose are neither read nor written beside, unless the user agrees', async ({ stria }) => {
  for (const name of ['session', 'far', 'data']) mkdirSync(join(stria.folder, name));
  for (const name of ['far/scan.nii', 'far/other.nii', 'data/scan.nii']) stria.write(name, 'voxels');
  const host = await hookHost(stria.page);
  await stria.dropFiles([stria.write('session/a.stria-session', '{}')]);
  await expect.poll(() => host.evaluate(({ files }) => files.length)).toBe(1);
  const ask = (calls: readonly (readonly unknown[])[]) =>
    host.evaluate(async ({ files }, given) => {
      const { stria: bridge } = window as unknown as {
        stria: {
          call(...args: readonly unknown[]): Promise<{ ok: boolean; value?: { id: string } | null; error?: { tag: string } }>;
        };
      };
      const answers: (string | undefined)[] = [];
      let id = files.at(-1)?.id;
      for (const [name, ...args] of given) {
        const { ok, value, error } = await bridge.call(name, id, ...args);
        answers.push(ok ? (value === null ? 'null' : 'opened') : error?.tag);
        // The next calls refer to the file that was opened.
        if (value?.id !== undefined && name === 'open-relative') id = value.id;
      }
      return answers;
    }, calls);

  const toRoot = '../'.repeat(stria.folder.split('/').length + 1);
  const reads = [`${toRoot}etc/passwd`, '../far/scan.nii', '../data/scan.nii'].map((path) => ['open-relative', path]);
  expect(await ask(reads)).toEqual(['null', 'null', 'null']);
  // There is one question, for the first file: a refusal applies to all.
  expect((await stria.messages()).map(({ detail }) => detail)).toEqual([expect.stringContaining('/etc/passwd')]);
  const writes = ['autostart.desktop', '.a.stria', '../a.stria'].map((name) => ['save-beside', name]);
  expect(await ask(writes)).toEqual(Array(3).fill('invalid-input'));

  await stria.dropFiles([join(stria.folder, 'session', 'a.stria-session')]);
  await expect.poll(() => host.evaluate(({ files }) => files.length)).toBe(2);
  await stria.chooseButton(0);
  const beside = [
    ['open-relative', '../far/scan.nii'],
    ['save-beside', 'scan.stria'],
    ['recent-add', null, null],
    ['open-sibling', 'other.nii'],
  ];
  expect(await ask(beside)).toEqual(['opened', 'invalid-input', 'invalid-input', 'not-readable']);
  expect(readdirSync(join(stria.folder, 'far'))).toEqual(['other.nii', 'scan.nii']);
});

test('saving beside a file never replaces one, and is shown in its folder', async ({ stria }) => {
  const source = stria.write('scan.raw', 'voxels');
  stria.write('scan.stria', 'before');
  const host = await hookHost(stria.page);
  await stria.dropFiles([source]);
  await expect.poll(() => host.evaluate(({ files }) => files.length)).toBe(1);
  const saved = await host.evaluate(async ({ host, files }) => {
    const [file] = files;
    if (file === undefined) throw new Error('no file was given');
    const sink = await host.saveBeside(file, 'scan.stria');
    await sink.write(Uint8Array.of(1, 2, 3));
    await sink.close();
    await sink.reveal?.();
    return { name: sink.name, folder: sink.folder };
  });
  expect(saved).toEqual({ name: 'scan (2).stria', folder: stria.folder });
  expect([...readFileSync(join(stria.folder, 'scan (2).stria'))]).toEqual([1, 2, 3]);
  expect(readFileSync(join(stria.folder, 'scan.stria'), 'utf8')).toBe('before');
  await expect.poll(() => stria.shownItems()).toEqual([join(stria.folder, 'scan (2).stria')]);
});

test('a page that goes away during a save leaves nothing', async ({ stria }) => {
  const host = await hookHost(stria.page);
  await stria.chooseSave(join(stria.folder, 'out.stria'));
  await host.evaluate(async ({ host }) => (await host.saveAs('out.stria'))?.write(new Uint8Array(100_000)));
  expect(readdirSync(stria.folder)).toHaveLength(1);
  await stria.page.reload();
  await expect.poll(() => readdirSync(stria.folder)).toEqual([]);
});

test('quitting during a save asks and continues saving; if confirmed, it leaves nothing', async ({ stria }) => {
  const host = await hookHost(stria.page);
  await stria.chooseSave(join(stria.folder, 'out.stria'));
  const saving = await host.evaluateHandle(async ({ host }) => {
    const sink = await host.saveAs('out.stria');
    await sink?.write(new Uint8Array(100_000));
    return sink;
  });
  await stria.quit();
  await expect.poll(() => stria.messages()).toHaveLength(1);
  expect((await stria.messages())[0]?.detail).toContain('still being saved');
  // The window stayed open, so the save completes, and then there is nothing to lose.
  await saving.evaluate(async (sink) => {
    await sink?.write(new Uint8Array(100_000));
    await sink?.close();
  });
  expect(readdirSync(stria.folder)).toEqual(['out.stria']);
  expect(readFileSync(join(stria.folder, 'out.stria'))).toHaveLength(200_000);

  await stria.chooseSave(join(stria.folder, 'second.stria'));
  await host.evaluate(async ({ host }) => (await host.saveAs('second.stria'))?.write(new Uint8Array(100_000)));
  expect(readdirSync(stria.folder)).toHaveLength(2);
  await stria.chooseButton(0);
  await stria.quit();
  await expect.poll(() => readdirSync(stria.folder)).toEqual(['out.stria']);
});

test('the page says what closing would lose', async ({ stria }) => {
  const host = await hookHost(stria.page);
  const quitAndSee = async (count: number) => {
    await stria.quit();
    await expect.poll(() => stria.messages()).toHaveLength(count);
    return (await stria.messages())[count - 1]?.detail;
  };
  await host.evaluate(({ host }) => host.setUnfinished?.(['compressing', 'measurements']));
  expect(await quitAndSee(1)).toMatch(/being compressed.*\nMeasurements have not been saved/);
  await host.evaluate(({ host }) => host.setUnfinished?.(['pictures']));
  expect(await quitAndSee(2)).toMatch(/^Pictures/);
});

test('a save onto a folder is refused with a message', async ({ stria }) => {
  mkdirSync(join(stria.folder, 'out.stria'));
  const host = await hookHost(stria.page);
  await stria.chooseSave(join(stria.folder, 'out.stria'));
  const fault = await host.evaluate(({ host }) =>
    host.saveAs('out.stria').then(String, ({ tag, message }) => ({ tag, message })),
  );
  expect(fault).toEqual({ tag: 'not-writable', message: "'out.stria' is a folder. Choose another name" });
  expect(existsSync(join(stria.folder, 'out.stria'))).toBe(true);
});

test('closing a save dialog saves nothing', async ({ stria }) => {
  const host = await hookHost(stria.page);
  expect(await host.evaluate(async ({ host }) => (await host.saveAs('out.stria')) === undefined)).toBe(true);
});

test('recent files are remembered, opened again, and forgotten', async ({ stria }) => {
  const host = await hookHost(stria.page);
  await stria.dropFiles([stria.write('scan.raw', 'voxels')]);
  await expect.poll(() => host.evaluate(({ files }) => files.length)).toBe(1);
  const thumbnail = 'data:image/png;base64,iVBORw0KGgo=';
  const recent = await host.evaluate(async ({ host, files }, picture) => {
    const [file] = files;
    if (file === undefined) throw new Error('no file was given');
    await host.clearRecent();
    await host.remember(file, picture);
    const [entry] = await host.recent();
    const again = await host.openRecent(entry?.id ?? '');
    await host.clearRecent();
    return { entry, size: again.size, left: await host.recent() };
  }, thumbnail);
  expect(recent).toMatchObject({ entry: { name: 'scan.raw', folder: stria.folder, thumbnail }, size: 6, left: [] });
});

test('menus send their commands', async ({ stria }) => {
  await stria.page.evaluate(() => {
    const { stria: bridge } = window as unknown as { stria: { on(name: string, listener: (event: string) => void): () => void } };
    const commands: string[] = [];
    Object.assign(window, { commands });
    bridge.on('menu-command', (command) => commands.push(command));
  });
  await stria.clickMenu('layout-3');
  await stria.clickMenu('reset-view');
  await expect
    .poll(() => stria.page.evaluate(() => (window as unknown as { commands: string[] }).commands))
    .toEqual(['layout-3', 'reset-view']);
});
