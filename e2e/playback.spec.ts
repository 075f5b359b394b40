import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import type { PresentedFrame } from '../src/renderer/playback/player.ts';
import { differingPart, expectOpen, loseDevice, pictureOf, plain, settledPicture, testHook } from './support/app.ts';
import { cli } from './support/cli.ts';
import { frameDims, framePixels, framePng, shownFrame } from './support/frames.ts';
import { expect, type Stria, test } from './support/test.ts';
import { nifti, shapes, type TestVolume } from './support/volumes.ts';

const frameCount = 60;
const settled = { reducedMotion: 'reduce' } as const;

// Fewer pixels to draw for a software GPU.
test.use({ viewport: { width: 720, height: 500 } });

test('numbered pictures play: in order, exactly, at the rate, and without uploads', async ({ stria }) => {
  test.setTimeout(300_000);
  const { page } = stria;
  await countUploads(page);
  await page.emulateMedia(settled);
  const folder = writeFrames(stria);
  await stria.dropFiles([folder]);
  await expectOpen(page, 'frame1-stack.png');
  await showExactly(page);

  await test.step('it does not start by itself if reduced motion is requested', async () => {
    await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'false');
    await expectFrame(page, frameCount / 2);
  });

  await test.step('keys, buttons and the scrubber show the exact frame', async () => {
    await page.keyboard.press('Home');
    await expectFrame(page, 0);
    await page.keyboard.press('ArrowRight');
    await expectFrame(page, 1);
    // In a loop, stepping wraps around.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expectFrame(page, frameCount - 1);
    await page.getByTestId('scrubber').fill('41');
    await expectFrame(page, 41);
    await page.getByTestId('frame-next').click();
    await expectFrame(page, 42);
    await page.getByTestId('frame-first').click();
    await expectFrame(page, 0);
    await page.getByTestId('frame-last').click();
    await expectFrame(page, frameCount - 1);
    await page.getByTestId('slider-z').fill('47');
    await expectFrame(page, 47);
  });

  await test.step('the pictures on screen change in order, each one exact', async () => {
    // Slow enough that even a slow machine does not miss half of it between two checks.
    await setRate(page, 3);
    await page.getByTestId('pace-every').click();
    await play(page);
    const seen: number[] = [];
    // Takes screenshots until one falls between two frames.
    await expect
      .poll(
        async () => {
          const frame = await shownFrame(page, frameCount);
          if (frame !== undefined && frame !== seen.at(-1)) seen.push(frame);
          return seen.length;
        },
        { timeout: 120_000, intervals: [50] },
      )
      .toBeGreaterThanOrEqual(8);
    await pause(page);
    const steps = seen.slice(1).map((frame, index) => (frame - (seen[index] as number) + frameCount) % frameCount);
    for (const step of steps) expect(step, `steps of ${seen}`).toBeLessThan(frameCount / 2);
  });

  await test.step('pausing stays at the displayed frame', async () => {
    const number = Number(plain(await page.getByTestId('frame-number').innerText()).split('/')[0]);
    await expectFrame(page, number - 1);
    await expectFrame(page, number - 1);
  });

  await test.step('nothing is uploaded during playback, for more than one round', async () => {
    await setRate(page, 60);
    await page.getByTestId('pace-every').click();
    const frames = await recordFrames(page);
    await play(page);
    await expect.poll(() => frames.count()).toBeGreaterThan(3);
    const before = await uploads(page);
    await expect.poll(() => frames.count(), { timeout: 120_000 }).toBeGreaterThan(frameCount + 10);
    expect(await uploads(page)).toEqual(before);
    await pause(page);
    const order = (await frames.all()).map(({ index }) => index);
    expect(order.slice(1)).toEqual(order.slice(0, -1).map((index) => (index + 1) % frameCount));
  });

  await test.step('it plays from compressed memory, and shows how much that takes', async () => {
    const memory = await (await testHook(page)).evaluate((hook) => hook.gpuMemory());
    const labels = Object.keys(memory).filter((label) => (memory[label] ?? 0) > 0);
    expect(labels.filter((label) => label.startsWith('volume'))).toEqual([]);
    expect(labels.filter((label) => label.startsWith('compressed'))).not.toEqual([]);
    const facts = await playbackFacts(page);
    expect(Number.parseFloat(facts.Decoding ?? '')).toBeGreaterThan(0);
    expect(facts['GPU memory, compressed and uncompressed']).toMatch(/^[\d.]+KiB, raw 180KiB$/);
  });

  await test.step('if decoding is slow, every frame is shown, later', async () => {
    await (await testHook(page)).evaluate((hook) => hook.slowFrames(120));
    await setRate(page, 30);
    const { frames, facts } = await playFor(page, 20);
    const order = frames.map(({ index }) => index);
    expect(order.slice(1)).toEqual(order.slice(0, -1).map((index) => (index + 1) % frameCount));
    expect(facts.Dropped).toBe('0dropped');
    // Two frames are in flight at a time.
    expect(Number.parseFloat(facts.Achieved ?? '')).toBeLessThan(20);
  });

  await test.step('and keeping the rate drops frames', async () => {
    await page.getByTestId('pace-hold').click();
    const { frames, facts } = await playFor(page, 40);
    const steps = frames.slice(1).map(({ index }, at) => (index - (frames[at]?.index ?? 0) + frameCount) % frameCount);
    const first = frames[0] as PresentedFrame;
    const last = frames.at(-1) as PresentedFrame;
    const dropped = steps.reduce((sum, step) => sum + step - 1, 0);
    expect(dropped).toBeGreaterThan(10);
    expect(Number.parseInt(facts.Dropped ?? '', 10)).toBeGreaterThanOrEqual(dropped);
    // The stack advances at 30 frames per second, shown or not, apart from delays of a busy machine.
    const seconds = (last.presentedAt - first.presentedAt) / 1000;
    expect((dropped + steps.length) / seconds).toBeGreaterThan(20);
    expect((dropped + steps.length) / seconds).toBeLessThan(40);
  });

  await test.step('colormap and window can be changed during playback', async () => {
    await (await testHook(page)).evaluate((hook) => hook.slowFrames(0));
    await play(page);
    await fillNumber(page, 'Level', '2000');
    // Everything is below the window, whatever the frame.
    await expect.poll(async () => new Set((await pictureOf(page, 'z')).map(String)).size).toBeLessThan(8);
    await fillNumber(page, 'Level', '127.5');
    await expect.poll(async () => new Set((await pictureOf(page, 'z')).map(String)).size).toBeGreaterThan(100);
    await pause(page);
  });

  await test.step('it stops when playing once, and reverses when playing back and forth', async () => {
    await setRate(page, 60);
    await page.getByTestId('end-once').click();
    await page.getByTestId('scrubber').fill(String(frameCount - 5));
    // Playback may have ended before the test sees it.
    const ended = await recordFrames(page);
    await page.getByTestId('play-button').click();
    await expect.poll(() => ended.count()).toBeGreaterThan(0);
    await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'false');
    await expectFrame(page, frameCount - 1);
    await page.getByTestId('end-bounce').click();
    await page.getByTestId('pace-every').click();
    await page.getByTestId('scrubber').fill(String(frameCount - 3));
    await expectFrame(page, frameCount - 3);
    const { frames } = await playFor(page, 6);
    const order = frames.map(({ index }) => index).slice(0, 5);
    expect(order).toEqual([2, 1, 2, 3, 4].map((fromEnd) => frameCount - fromEnd));
  });
});

test('pictures in one TIFF, or in a .stria, are a stack; dropped pictures are announced as one, and play', async ({ stria }) => {
  test.setTimeout(180_000);
  const { page } = stria;
  const names = Array.from({ length: frameCount }, (_, index) => join(writeFrames(stria, index === 0), `frame${index + 1}.png`));
  const packed = join(stria.folder, 'frames.stria');
  const pages = join(stria.folder, 'frames.tif');
  await cli('compress', ...names, '-o', packed, '--device', 'cpu', '--quiet');
  await cli('decompress', packed, '--to', 'tiff', '-o', pages, '--device', 'cpu', '--quiet');

  for (const file of [packed, pages]) {
    await test.step(file.endsWith('.stria') ? '.stria' : 'TIFF', async () => {
      await stria.dropFiles([file]);
      await expectStack(page, file.endsWith('.stria') ? 'frames.stria' : 'frames.tif');
      await showExactly(page);
      await expect(page.getByTestId('stack-select')).toHaveText('Frames');
      await page.getByTestId('scrubber').fill('53');
      await expectFrame(page, 53);
    });
  }

  await test.step('a new drop during playback replaces it', async () => {
    await play(page);
    await stria.dragFiles(names);
    await expect(page.getByTestId('drop-overlay')).toHaveText(`Drop to play ${frameCount} frames`);
    await stria.dropFiles(names);
    await expectStack(page, 'frame1-stack.png');
    await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'true');
    const frames = await recordFrames(page);
    await expect.poll(() => frames.count()).toBeGreaterThan(3);
  });

  await test.step('a device lost during playback comes back at its frame', async () => {
    await loseDevice(page);
    await expect(page.getByTestId('transport')).toBeHidden();
    await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'false');
    await showExactly(page);
    await page.getByTestId('scrubber').fill('7');
    await expectFrame(page, 7);
  });

  await test.step('closing during playback leaves nothing', async () => {
    await play(page);
    await page.getByTestId('close-button').click();
    await expect(page.getByTestId('empty-state')).toBeVisible();
    await expect(page.getByTestId('transport')).toBeHidden();
  });
});

test('a time series plays in slices and in 3D; the slices of a volume play on request', async ({ stria }) => {
  test.setTimeout(180_000);
  const { page } = stria;
  await page.emulateMedia(settled);
  // Its views are beside each other, and have to show each voxel.
  await page.setViewportSize({ width: 840, height: 640 });
  const series = timeSeries(6, 30);
  await stria.dropFiles([stria.write('series.nii', niftiSeries(series, 30))]);
  await expectOpen(page, 'series.nii');

  await test.step('it plays time, in every view', async () => {
    await expect(page.getByTestId('stack-select')).toHaveText('Time');
    await expect(page.getByTestId('frame-number')).toHaveText(/^1\s\/\s30$/);
    const before = { volume: await settledPicture(page, '3d'), slice: await settledPicture(page, 'x') };
    await play(page);
    const frames = await recordFrames(page);
    await expect.poll(() => frames.count()).toBeGreaterThan(10);
    await pause(page);
    await page.keyboard.press('End');
    await expect(page.getByTestId('frame-number')).toHaveText(/^30\s/);
    await expect.poll(async () => differingPart(before.volume, await pictureOf(page, '3d'))).toBeGreaterThan(0.02);
    await expect.poll(async () => differingPart(before.slice, await pictureOf(page, 'x'))).toBeGreaterThan(0.02);
  });

  await test.step('at each time point the pixels are those of the source', async () => {
    await showExactly(page, 3);
    for (const timePoint of [0, 17, 29]) {
      await page.getByTestId('scrubber').fill(String(timePoint));
      await expect.poll(() => shownFrame(page, 30)).toBe(timePoint);
    }
  });

  await test.step('its slices can be played too', async () => {
    await page.getByTestId('stack-select').click();
    await page.getByRole('option', { name: 'z slices', exact: true }).click();
    await expect(page.getByTestId('frame-number')).toHaveText(/^4\s\/\s6$/);
    await page.keyboard.press('End');
    await expect(page.getByTestId('slider-z')).toHaveValue('5');
  });

  await test.step('a volume has no transport bar until it is played', async () => {
    await stria.dropFiles([stria.write('scan.nii', nifti(shapes(32)))]);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('scan.nii');
    await expect(page.getByTestId('transport')).toBeHidden();
    // Its shortcuts have no effect either.
    await page.keyboard.press('End');
    await expect(page.getByTestId('slider-z')).toHaveValue('16');
    await page.getByTestId('layout-quad').click();
    await page.getByTestId('play-y').click();
    await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'true');
    await expect(page.getByTestId('slider-y')).not.toHaveValue('16');
    await page.getByTestId('transport-close').click();
    await expect(page.getByTestId('transport')).toBeHidden();
    await page.getByTestId('canvas-z').click();
    await page.keyboard.press('Space');
    await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'true');
    await page.keyboard.press('Space');
    await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'false');
  });
});

/** Waits until a stack is open, in any layout. */
async function expectStack(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
  await expect(page.getByTestId('transport')).toBeVisible();
}

/** Writes the pictures to a separate folder. */
function writeFrames(stria: Stria, isNew = true): string {
  const folder = join(stria.folder, 'frames');
  if (!isNew) return folder;
  mkdirSync(folder);
  for (let index = 0; index < frameCount; index++) stria.write(`frames/frame${index + 1}.png`, framePng(index));
  return folder;
}

/**
 * Volumes of `depth` planes that all equal the frame of their time point, so that any slice across z identifies it. They are
 * upside down, since y of a NIfTI file points up on the screen.
 */
function timeSeries(depth: number, count: number): TestVolume {
  const { width, height } = frameDims;
  const planes = Array.from({ length: count }, (_, time) =>
    Array.from({ length: depth }, () => upsideDown(framePixels(time))),
  ).flat();
  return {
    dims: [width, height, depth],
    type: 'u8',
    bytes: Buffer.concat(planes),
    voxel: (x, y) => framePixels(0)[y * width + x] ?? 0,
  };
}

function upsideDown(pixels: Uint8Array): Buffer {
  const { width, height } = frameDims;
  return Buffer.concat(
    Array.from({ length: height }, (_, row) => pixels.subarray((height - 1 - row) * width, (height - row) * width)),
  );
}

function niftiSeries(series: TestVolume, count: number): Buffer {
  const file = nifti(series);
  // These are dim[0] and dim[4] of nifti1.h.
  file.writeInt16LE(4, 40);
  file.writeInt16LE(count, 48);
  return file;
}

/** Shows only the slice across z, in grey from 0 to 255, so that each pixel is the voxel's value. */
async function showExactly(page: Page, z?: number): Promise<void> {
  await page.keyboard.press('2');
  await expect(page.getByTestId('canvas-3d')).toBeHidden();
  await page.getByRole('button', { name: 'Auto', exact: true }).click();
  await fillNumber(page, 'Window', '255');
  await fillNumber(page, 'Level', '127.5');
  if (z !== undefined) await page.getByTestId('slider-z').fill(String(z));
}

async function fillNumber(page: Page, label: 'Window' | 'Level', value: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await field.fill(value);
  await field.press('Enter');
  await field.blur();
}

async function setRate(page: Page, rate: number): Promise<void> {
  const field = page.getByTestId('rate');
  await field.fill(String(rate));
  await field.press('Enter');
  await field.blur();
}

async function play(page: Page): Promise<void> {
  await page.getByTestId('play-button').click();
  await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'true');
}

async function pause(page: Page): Promise<void> {
  await page.getByTestId('play-button').click();
  await expect(page.getByTestId('transport')).toHaveAttribute('data-playing', 'false');
}

interface Played {
  readonly frames: readonly PresentedFrame[];
  /** The facts of the transport bar, once paused. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Plays until this many frames have been presented. */
async function playFor(page: Page, count: number): Promise<Played> {
  const recorded = await recordFrames(page);
  await play(page);
  await expect.poll(() => recorded.count(), { timeout: 120_000 }).toBeGreaterThanOrEqual(count);
  await pause(page);
  return { frames: await recorded.all(), facts: await playbackFacts(page) };
}

async function playbackFacts(page: Page): Promise<Record<string, string>> {
  const rows = await page.getByTestId('playback-facts').locator('dt, dd').allTextContents();
  return Object.fromEntries(rows.flatMap((text, at) => (at % 2 === 0 ? [[text, plain(rows[at + 1] ?? '')]] : [])));
}

async function recordFrames(page: Page): Promise<{ count(): Promise<number>; all(): Promise<readonly PresentedFrame[]> }> {
  const frames = await (await testHook(page)).evaluateHandle((hook) => hook.recordFrames());
  return { count: () => frames.evaluate(({ length }) => length), all: () => frames.evaluate((all) => all) };
}

/** Counts every way in which bytes get from the page to the GPU. */
async function countUploads(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const counts: Record<string, number> = {};
    Object.assign(window, { striaUploads: counts });
    const count = (prototype: object, name: string, counted: (args: unknown[]) => boolean): void => {
      const method = Reflect.get(prototype, name) as (...args: unknown[]) => unknown;
      Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]) {
        if (counted(args)) counts[name] = (counts[name] ?? 0) + 1;
        return method.apply(this, args);
      });
    };
    for (const name of ['writeBuffer', 'writeTexture', 'copyExternalImageToTexture']) count(GPUQueue.prototype, name, () => true);
    count(GPUDevice.prototype, 'createBuffer', ([descriptor]) => (descriptor as GPUBufferDescriptor).mappedAtCreation === true);
    count(GPUBuffer.prototype, 'mapAsync', ([mode]) => mode === GPUMapMode.WRITE);
  });
}

function uploads(page: Page): Promise<Record<string, number>> {
  return page.evaluate(() => (window as unknown as { striaUploads: Record<string, number> }).striaUploads);
}

/** Expects both the frame number and every pixel on screen to match the frame. */
async function expectFrame(page: Page, index: number): Promise<void> {
  await expect(page.getByTestId('frame-number')).toHaveText(new RegExp(`^${index + 1}\\s/`));
  const soon = { message: `the picture is frame ${index}`, intervals: [50, 100, 200] };
  await expect.poll(() => shownFrame(page, frameCount), soon).toBe(index);
}
