import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hookHost } from './support/host.ts';
import { expect, test } from './support/test.ts';

/** Bytes in which no two ranges are alike. */
function patternBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (Math.imul(index, 2654435761) >>> 13) & 255);
}

test('the page opens without an error, in the expected shell', async ({ stria }, { project }) => {
  await expect(stria.page).toHaveTitle(/Stria/);
  const hasBridge = await stria.page.evaluate(() => 'stria' in window);
  expect(hasBridge).toBe(project.name === 'desktop');
  expect(await stria.page.evaluate(() => isSecureContext)).toBe(true);
  const host = await hookHost(stria.page);
  expect(await host.evaluate(({ host }) => host.info())).toMatchObject({ stria: '0.1.0', compatibilityMode: false });
});

test('About shows the licences of what the app contains', async ({ stria: { page } }) => {
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByTestId('palette').getByRole('menuitem', { name: 'About Stria' }).click();
  await page.getByRole('button', { name: 'Third-party notices' }).click();
  await expect(page.getByTestId('notices')).toContainText(/three \d[\s\S]*Licence: MIT[\s\S]*three\.js authors/);
});

test('the page has WebGPU, also in a worker', async ({ stria }) => {
  const adapters = await stria.page.evaluate(async () => {
    const inPage = (await navigator.gpu.requestAdapter()) !== null;
    const code = 'navigator.gpu.requestAdapter().then((adapter) => postMessage(adapter !== null))';
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
    const inWorker = await new Promise<boolean>((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
    });
    return { inPage, inWorker };
  });
  expect(adapters).toEqual({ inPage: true, inWorker: true });
});

test('an inline script does not run, and is reported', async ({ stria }) => {
  await stria.page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.wasRun = true';
    document.head.append(script);
  });
  expect(await stria.page.evaluate(() => 'wasRun' in window)).toBe(false);
  await expect.poll(() => stria.problems.splice(0).join()).toContain('Content Security Policy');
});

test('a file chosen in the open dialog is read exactly, range by range', async ({ stria }) => {
  const bytes = patternBytes(3_000_000);
  const host = await hookHost(stria.page);
  await stria.chooseOpen([stria.write('scan.raw', bytes)]);
  const read = await host.evaluate(async ({ host, sourceOf }) => {
    const [file] = await host.openDialog();
    if (file === undefined) throw new Error('no file was given');
    const source = sourceOf(file.handle);
    const parts: Uint8Array[] = [];
    for (const [offset, length] of [
      [0, 1],
      [1234, 2_000_000],
      [2_999_990, 100],
      [5_000_000, 3],
      [7, 0],
    ] as const) {
      parts.push(await source.read(offset, length));
    }
    return { name: source.name, size: source.size, parts };
  });
  expect(read).toMatchObject({ name: 'scan.raw', size: 3_000_000 });
  const expected = [bytes.subarray(0, 1), bytes.subarray(1234, 2_001_234), bytes.subarray(2_999_990), Buffer.of(), Buffer.of()];
  for (const [index, part] of read.parts.entries()) {
    expect(Buffer.from(part).equals(Buffer.from(expected[index] ?? [])), `range ${index}`).toBe(true);
  }
});

test('a worker reads a file by its handle', async ({ stria }) => {
  const host = await hookHost(stria.page);
  await stria.chooseOpen([stria.write('scan.raw', patternBytes(1000))]);
  const read = await host.evaluate(async ({ host }) => {
    const [file] = await host.openDialog();
    if (file === undefined) throw new Error('no file was given');
    // A copy of the part of file-source.ts that a worker can use without a bundle.
    const code = `onmessage = async ({ data }) => {
      const response = data.kind === 'url' ? await fetch(data.url, { headers: { range: 'bytes=5-9' } }) : new Response(data.blob.slice(5, 10));
      postMessage(new Uint8Array(await response.arrayBuffer()));
    };`;
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
    const answer = new Promise<Uint8Array>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
    worker.postMessage(file.handle);
    return [...(await answer)];
  });
  expect(read).toEqual([...patternBytes(1000).subarray(5, 10)]);
});

test('dropped files come with their bytes and are siblings', async ({ stria }) => {
  const host = await hookHost(stria.page);
  await stria.dropFiles([stria.write('scan.hdr', 'header'), stria.write('scan.img', 'voxels')]);
  await expect.poll(() => host.evaluate(({ files }) => files.map(({ name }) => name))).toEqual(['scan.hdr', 'scan.img']);
  const found = await host.evaluate(async ({ files, sourceOf }) => {
    const [header] = files;
    if (header === undefined) throw new Error('no file was given');
    const text = async (source: { size: number; read(offset: number, length: number): Promise<Uint8Array> } | undefined) =>
      source && new TextDecoder().decode(await source.read(0, source.size));
    return {
      own: await text(sourceOf(header.handle)),
      sibling: await text(await header.siblings('scan.img')),
      none: await header.siblings('scan.img.gz'),
    };
  });
  expect(found).toEqual({ own: 'header', sibling: 'voxels', none: undefined });
});

test('a save appears when it is closed, complete, and leaves nothing else', async ({ stria }) => {
  const host = await hookHost(stria.page);
  const target = join(stria.folder, 'out.stria');
  await stria.chooseSave(target);
  const bytes = patternBytes(9_000_001);
  const sink = await host.evaluateHandle(({ host }) => host.saveAs('out.stria'));
  await sink.evaluate(async (sink) => {
    const whole = Uint8Array.from({ length: 9_000_001 }, (_, index) => (Math.imul(index, 2654435761) >>> 13) & 255);
    await sink?.write(whole.subarray(0, 10));
    // The writer may reuse its buffer.
    const lent = whole.slice(10, 8_000_000);
    await sink?.write(lent);
    lent.fill(0);
    await sink?.write(whole.subarray(8_000_000));
  });
  expect(readdirSync(stria.folder)).not.toContain('out.stria');
  await sink.evaluate((sink) => sink?.close());
  expect(readFileSync(await stria.savedFile(target)).equals(bytes)).toBe(true);
  expect(readdirSync(stria.folder)).toEqual(['out.stria']);
});

test('an aborted save leaves nothing', async ({ stria }) => {
  const host = await hookHost(stria.page);
  await stria.chooseSave(join(stria.folder, 'out.stria'));
  await host.evaluate(async ({ host }) => {
    const sink = await host.saveAs('out.stria');
    await sink?.write(new Uint8Array(100_000));
    await sink?.abort();
  });
  expect(readdirSync(stria.folder)).toEqual([]);
});

test('closing an open dialog gives no files', async ({ stria }) => {
  const host = await hookHost(stria.page);
  expect(await host.evaluate(async ({ host }) => (await host.openDialog()).length)).toBe(0);
});

test('a file that changed since it was opened gives an error, not different bytes', async ({ stria }) => {
  const host = await hookHost(stria.page);
  const path = stria.write('scan.raw', patternBytes(1000));
  await stria.dropFiles([path]);
  await expect.poll(() => host.evaluate(({ files }) => files.length)).toBe(1);
  stria.write('scan.raw', patternBytes(2000).reverse());
  const fault = await host.evaluate(async ({ files, sourceOf }) => {
    const [file] = files;
    if (file === undefined) throw new Error('no file was given');
    return sourceOf(file.handle)
      .read(0, 10)
      .then(String, (error) => ({ tag: error.tag, message: error.message }));
  });
  expect(fault).toEqual({ tag: 'not-readable', message: expect.stringMatching(/'scan.raw'.*changed/) });
  // Chromium's console reports the refusal, which cannot be avoided.
  stria.problems.splice(0);
});
