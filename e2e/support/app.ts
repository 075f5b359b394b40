import { createHash } from 'node:crypto';
import { type DecodedPng, decode } from 'fast-png';
import { expect, type JSHandle, type Locator, type Page } from 'playwright/test';
import type { StriaTest } from '../../src/renderer/app/test-hook.ts';

// Actions of specs in the app, and readers of its state.

/** A rectangle in pixels of the page. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type OwnView = '3d' | 'x' | 'y' | 'z';

/** A view of the open volume, or of the second one while two are compared. */
export type View = OwnView | `second-${OwnView}`;

/** A part of the window on the screen, as the mean red, green and blue of squares of pixels. */
export type Picture = readonly (readonly [red: number, green: number, blue: number])[];

/**
 * The side of a square in pixels. The 3D view draws coarsely while things move, and for longer on a slow machine. Squares of
 * this size look the same in a coarse picture and in a fine one.
 */
const squareSide = 8;

export function canvasOf(page: Page, view: View): Locator {
  return page.getByTestId(view.replace(/^(second-)?/, '$1canvas-'));
}

/** Draws the 3D view coarsely and deterministically, so that pictures of it are fast and can be compared. */
export function drawCoarsely(page: Page): Promise<void> {
  return page.evaluate(() => (window as unknown as HookedWindow).striaTest.fixScale(0.25));
}

/** Opens files in place of the open volume, without asking. */
export function replaceWithoutAsking(page: Page): Promise<void> {
  return page.evaluate(() => (window as unknown as HookedWindow).striaTest.replaceWithoutAsking());
}

/** Waits until a volume with this name is open and shown in the 3D view. */
export async function expectOpen(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
  await expect(canvasOf(page, '3d')).toBeVisible();
}

/**
 * A view on the screen, without the notice that may cover it for a few seconds.
 * @param margin the part to leave out on each side, as a fraction of width and height
 * @param hidden a CSS selector of other elements to hide
 */
export async function screenOf(page: Page, view: View, { margin = 0, hidden = '' } = {}): Promise<DecodedPng> {
  const box = await boxOf(page, view);
  const part = 1 - 2 * margin;
  const clip = {
    x: box.x + margin * box.width,
    y: box.y + margin * box.height,
    width: part * box.width,
    height: part * box.height,
  };
  const style = `:is([data-testid=notice], ${hidden || 'no-element'}) { visibility: hidden }`;
  return decode(await page.screenshot({ clip, style }));
}

/** The place of a view on the screen. Waits for the view, which disappears while a volume is loaded again after a device loss. */
export async function boxOf(page: Page, view: View): Promise<Box> {
  let box: Box | null = null;
  await expect(async () => {
    box = await canvasOf(page, view).boundingBox();
    expect(box, `the ${view} view is on the screen`).not.toBeNull();
  }).toPass({ timeout: 60_000 });
  return box as unknown as Box;
}

/** The inner part of a view, without the texts and buttons at its edges. */
export async function pictureOf(page: Page, view: View): Promise<Picture> {
  return squaresOf(await screenOf(page, view, { margin: 0.2 }));
}

export function squaresOf({ width, height, channels, data }: DecodedPng): Picture {
  const squares: [number, number, number][] = [];
  for (let top = 0; top + squareSide <= height; top += squareSide) {
    for (let left = 0; left + squareSide <= width; left += squareSide) {
      const mean = (channel: number): number => {
        let sum = 0;
        for (let y = top; y < top + squareSide; y++) {
          for (let x = left; x < left + squareSide; x++) sum += data[(y * width + x) * channels + channel] ?? 0;
        }
        return sum / squareSide ** 2;
      };
      squares.push([mean(0), mean(1), mean(2)]);
    }
  }
  return squares;
}

/** A hash of the pixels in the inner part of a view. */
export async function pixelsOf(page: Page, view: View): Promise<string> {
  return createHash('sha256')
    .update((await screenOf(page, view, { margin: 0.2 })).data)
    .digest('hex');
}

/** The fraction of a picture, from 0 to 1, whose colour clearly differs in the second one. */
export function differingPart(a: Picture, b: Picture): number {
  return a.length === b.length ? part(a, (square, index) => isOther(square, b[index])) : 1;
}

/** The fraction of a picture, from 0 to 1, that clearly differs from the background, which is the most frequent colour. */
export function drawnPart(picture: Picture): number {
  const counts = new Map<string, number>();
  for (const square of picture) counts.set(square.join(), (counts.get(square.join()) ?? 0) + 1);
  const [most = ''] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  const background = most.split(',').map(Number);
  return part(picture, (square) => isOther(square, background));
}

function part(picture: Picture, counts: (square: readonly number[], index: number) => boolean): number {
  return picture.filter(counts).length / picture.length;
}

function isOther(a: readonly number[], b: readonly number[] = []): boolean {
  return a.some((value, channel) => Math.abs(value - (b[channel] ?? 0)) > 12);
}

/** Waits until everything requested is drawn at full quality and the view shows something. */
export async function settledPicture(page: Page, view: OwnView): Promise<Picture> {
  let picture: Picture = [];
  await expect
    .poll(
      async () => {
        // This check is cheap, and a screenshot is expensive.
        if (!(await isSettled(page, view))) return false;
        picture = await pictureOf(page, view);
        return (await isSettled(page, view)) && drawnPart(picture) > 0.02;
      },
      { message: `the ${view} view shows a picture that stands still`, timeout: 60_000, intervals: [50, 100, 100, 200] },
    )
    .toBe(true);
  return picture;
}

/** Whether everything requested is drawn in a view, or in all views; see `Viewer.isSettled`. */
export function isSettled(page: Page, view?: OwnView): Promise<boolean> {
  return page.evaluate((name) => (window as unknown as HookedWindow).striaTest.isSettled(name), view);
}

/** The rows of a list of facts, such as the volume's. */
export async function factsOf(list: Locator): Promise<Record<string, string>> {
  const rows = await list.locator('dt, dd').allInnerTexts();
  return Object.fromEntries(rows.flatMap((text, index) => (index % 2 === 0 ? [[text, plain(rows[index + 1] ?? '')]] : [])));
}

/** Text with ordinary spaces and minus signs, so that its numbers can be parsed. */
export function plain(text: string): string {
  return text.replaceAll('\u202f', '').replaceAll('−', '-').trim();
}

export type InspectorTab = 'display' | 'layers' | 'measure' | 'volume' | 'gpu';

/** Opens a tab of the inspector. */
export async function openTab(page: Page, tab: InspectorTab): Promise<void> {
  await page.getByTestId(`tab-${tab}`).click();
  await expect(page.getByTestId(`tab-${tab}`)).toHaveAttribute('aria-selected', 'true');
}

/** Unfolds the details of the compression: times, timeline and chunks. */
export async function openDetails(page: Page): Promise<void> {
  await page.getByTestId('compression-details').getByRole('button', { name: 'Details' }).click();
  await expect(page.getByTestId('chunk-table')).toBeVisible();
}

/** The facts of the open volume, from their tab. Afterwards, the display tab is open as before. */
export async function volumeFacts(page: Page): Promise<Record<string, string>> {
  await openTab(page, 'volume');
  const facts = await factsOf(page.getByTestId('volume-facts'));
  await openTab(page, 'display');
  return facts;
}

export interface ShownProbe {
  /** Counted from 0, like voxels in tests. */
  readonly voxel: readonly [x: number, y: number, z: number];
  readonly value: number;
  readonly stored: number;
}

/** Points at a position in a view, given as fractions of its width and height, and reads the voxel there. */
export async function probeAt(page: Page, view: View, across: number, down: number): Promise<ShownProbe> {
  const box = await boxOf(page, view);
  const readout = page.getByTestId('probe');
  // Move away first, so that the next readout belongs to this position.
  await page.mouse.move(box.x + box.width / 2, 5);
  await expect(readout).toBeHidden();
  await page.mouse.move(box.x + across * box.width, box.y + down * box.height);
  await expect(readout).toBeVisible();
  const text = plain((await readout.textContent()) ?? '');
  const [, x, y, z, value, stored] = /x (\d+)\s+y (\d+)\s+z (\d+)\s+·\s+(\S+)(?: \(stored (\S+)\))?/.exec(text) ?? [];
  if (value === undefined) throw new Error(`'${text}' is no probe`);
  return { voxel: [Number(x) - 1, Number(y) - 1, Number(z) - 1], value: Number(value), stored: Number(stored ?? value) };
}

/** Chooses from one of the inspector's lists. */
export async function choose(page: Page, list: 'codec-select' | 'axis-select' | 'prefer-select', option: string): Promise<void> {
  await page.getByTestId(list).click();
  await page.getByRole('option', { name: option, exact: true }).click();
  await expect(page.getByTestId(list)).toHaveText(option);
}

/** Drags a handle by a number of pixels, as one gesture. */
export async function dragHandle(page: Page, handle: string, x: number, y: number): Promise<void> {
  const box = await page.getByTestId(handle).boundingBox();
  if (!box) throw new Error(`${handle} is not on the screen`);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + x, box.y + box.height / 2 + y, { steps: 3 });
  await page.mouse.up();
}

export async function numberIn(page: Page, slider: string): Promise<number> {
  return Number(await page.getByTestId(slider).inputValue());
}

interface HookedWindow {
  readonly striaTest: StriaTest;
}

/** The voxels in GPU memory, in the byte order of a file. */
export async function voxelsInGpu(page: Page): Promise<Buffer> {
  return Buffer.from(await page.evaluate(() => (window as unknown as HookedWindow).striaTest.readVoxels()));
}

/** GPU memory whose label starts with a prefix, in bytes. */
export async function gpuMemory(page: Page, prefix: string): Promise<number> {
  const byLabel = await page.evaluate(() => (window as unknown as HookedWindow).striaTest.gpuMemory());
  return Object.entries(byLabel).reduce((sum, [label, bytes]) => (label.startsWith(prefix) ? sum + bytes : sum), 0);
}

/** Loses the graphics device and waits until the app has noticed, before which the page does not change. @returns the app's message */
export function loseDevice(page: Page): Promise<string> {
  return page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const look = () => {
          const text = document.querySelector('[data-testid="gpu-banner"]')?.textContent;
          if (!text) return;
          observer.disconnect();
          resolve(text);
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { childList: true, subtree: true, characterData: true });
        (window as unknown as HookedWindow).striaTest.loseDevice();
      }),
  );
}

/** The app's hook for tests. */
export function testHook(page: Page): Promise<JSHandle<StriaTest>> {
  return page.evaluateHandle(() => (window as unknown as HookedWindow).striaTest);
}
