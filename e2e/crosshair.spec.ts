import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { boxOf, canvasOf, expectOpen, isSettled, openTab, plain, probeAt } from './support/app.ts';
import { expect, test } from './support/test.ts';

test.use({ viewport: { width: 960, height: 520 } });

const dims = [17, 13, 11] as const;
const [slope, intercept] = [0.5, -100];
const spacing = [0.8, 1.1, 2.6] as const;
// x runs to the patient's left, y to the front and z to the head; then the axes are rotated about two of them.
const [a, b] = [0.35, -0.25];
const turned = [
  [-Math.cos(a), -Math.sin(a), 0],
  [-Math.sin(a) * Math.cos(b), Math.cos(a) * Math.cos(b), -Math.sin(b)],
  [-Math.sin(a) * Math.sin(b), Math.cos(a) * Math.sin(b), Math.cos(b)],
] as const;
const origin = [21.5, -13.25, 40] as const;
/** The affine as 32-bit floats, as in the file. */
const rows = turned.map((row, at) => [
  ...row.map((part, axis) => Math.fround(part * (spacing[axis] as number))),
  origin[at] as number,
]);

type Voxel = readonly [x: number, y: number, z: number];
const stored = (x: number, y: number, z: number) => ((x * 31 + y * 57 + z * 101) % 1999) - 700;
const valueAt = (voxel: Voxel) => slope * stored(...voxel) + intercept;
const worldAt = (voxel: Voxel) =>
  rows.map((row) => voxel.reduce((sum, place, axis) => sum + place * (row[axis] as number), row[3] as number));

/** NIfTI-1 with big-endian numbers. Fields and offsets are those of nifti1.h. */
function bigEndianNifti(): Buffer {
  const file = Buffer.alloc(352 + 2 * dims[0] * dims[1] * dims[2]);
  file.writeInt32BE(348, 0);
  for (const [index, length] of [3, ...dims, 1, 1, 1, 1].entries()) file.writeInt16BE(length, 40 + 2 * index);
  file.writeInt16BE(4, 70);
  file.writeInt16BE(16, 72);
  for (const [index, length] of [1, ...spacing].entries()) file.writeFloatBE(length, 76 + 4 * index);
  for (const [offset, number] of [
    [108, 352],
    [112, slope],
    [116, intercept],
  ] as const)
    file.writeFloatBE(number, offset);
  file.writeUInt8(2, 123);
  file.writeInt16BE(1, 254);
  for (const [index, number] of rows.flat().entries()) file.writeFloatBE(number, 280 + 4 * index);
  file.write('n+1', 344, 'latin1');
  let offset = 352;
  for (let z = 0; z < dims[2]; z++) {
    for (let y = 0; y < dims[1]; y++) for (let x = 0; x < dims[0]; x++, offset += 2) file.writeInt16BE(stored(x, y, z), offset);
  }
  return file;
}

/** The axes that run right and down on each slice, and their directions, as seen from the feet, the front and the left. */
const frames = {
  z: { right: [0, 1], down: [1, -1] },
  y: { right: [0, 1], down: [2, -1] },
  x: { right: [1, -1], down: [2, -1] },
} as const;
type Pane = keyof typeof frames;
const panes = Object.keys(frames) as Pane[];

interface Place {
  readonly pixelsPerUnit: number;
  at(voxel: Voxel): { readonly x: number; readonly y: number };
}

/** The place of a fitted slice on the screen. */
async function placeOf(page: Page, pane: Pane): Promise<Place> {
  await expect.poll(() => isSettled(page, pane)).toBe(true);
  const box = await boxOf(page, pane);
  const { right, down } = frames[pane];
  const margin = Math.min(24, 0.1 * Math.min(box.width, box.height));
  const length = (axis: 0 | 1 | 2) => dims[axis] * spacing[axis];
  const pixelsPerUnit = Math.min((box.width - 2 * margin) / length(right[0]), (box.height - 2 * margin) / length(down[0]));
  const along = (voxel: Voxel, [axis, sign]: readonly [0 | 1 | 2, 1 | -1]) =>
    sign * (voxel[axis] + 0.5 - dims[axis] / 2) * spacing[axis] * pixelsPerUnit;
  return {
    pixelsPerUnit,
    at: (voxel) => ({
      x: box.x + box.width / 2 + along(voxel, right),
      y: box.y + box.height / 2 + along(voxel, down),
    }),
  };
}

/** Parses `x 1  y 2  z 3 · 4.5 (stored 209)` and, below, `R 1  P 2  S 3 mm`. */
function parsed(text: string) {
  const found = /x (\d+)\s+y (\d+)\s+z (\d+)\s+·\s+(\S+) \(stored (\S+)\)\n([RL]) (\S+)\s+([AP]) (\S+)\s+([SI]) (\S+?)mm$/.exec(
    plain(text),
  );
  if (!found) throw new Error(`'${text}' is no readout`);
  const [x = 0, y = 0, z = 0, value, was] = found.slice(1, 6).map(Number);
  const world = [6, 8, 10].map((at) => Number(found[at + 1]) * ('LPI'.includes(found[at] as string) ? -1 : 1));
  return { voxel: [x - 1, y - 1, z - 1], value, stored: was, world };
}

test('the readout gives the source’s voxel, its value and its world position, wherever the crosshair is', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('oblique.nii', bigEndianNifti())]);
  await expectOpen(page, 'oblique.nii');
  await page.keyboard.press('3');
  await expect(canvasOf(page, '3d')).toBeHidden();
  const places = Object.fromEntries(await Promise.all(panes.map(async (pane) => [pane, await placeOf(page, pane)])));

  await test.step('at 50 random voxels, in the three slices in turn', async () => {
    let seed = 7;
    const below = (end: number) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * end);
    };
    const points = Array.from({ length: 50 }, (_, index) => {
      const voxel = [below(dims[0]), below(dims[1]), below(dims[2])] as const;
      const pane = panes[index % 3] as Pane;
      return { voxel, pane, ...(places[pane] as Place).at(voxel) };
    });
    // Runs in the page, since it would be thousands of messages over the test's connection.
    const texts = await page.evaluate(async (wanted) => {
      const element = <T extends Element>(id: string) =>
        document.querySelector<T & HTMLElement>(`[data-testid="${id}"]`) as T & HTMLElement;
      const readout = element('probe');
      const shown = () =>
        new Promise<void>((resolve) => {
          const observer = new MutationObserver(() => {
            if (readout.hidden) return;
            observer.disconnect();
            resolve();
          });
          observer.observe(readout, { attributes: true });
        });
      const found: string[] = [];
      for (const { voxel, pane, x, y } of wanted) {
        for (const [axis, name] of ['x', 'y', 'z'].entries()) {
          const slider = element<HTMLInputElement>(`slider-${name}`);
          slider.value = String(voxel[axis]);
          slider.dispatchEvent(new Event('input', { bubbles: true }));
        }
        const canvas = element(`canvas-${pane}`);
        canvas.dispatchEvent(new PointerEvent('pointerleave'));
        const read = shown();
        canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y, bubbles: true }));
        await read;
        found.push(readout.textContent ?? '');
      }
      return found;
    }, points);
    for (const [index, { voxel }] of points.entries()) {
      const read = parsed(texts[index] ?? '');
      expect(read).toMatchObject({ voxel: [...voxel], value: valueAt(voxel), stored: stored(...voxel) });
      for (const [axis, place] of worldAt(voxel).entries()) expect(read.world[axis]).toBeCloseTo(place, 3);
    }
  });

  await test.step('a click moves the crosshair there, in every slice', async () => {
    const voxel = [3, 9, 2] as const;
    await page.getByTestId('slider-z').fill('2');
    const { x, y } = (places.z as Place).at(voxel);
    await page.mouse.click(x, y);
    for (const [axis, name] of (['x', 'y', 'z'] as const).entries())
      await expect(page.getByTestId(`slider-${name}`)).toHaveValue(String(voxel[axis]));
    await expect.poll(async () => parsed((await page.getByTestId('probe').textContent()) ?? '').voxel).toEqual([...voxel]);
  });

  await test.step('keys move it, and the readout follows', async () => {
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    await expect.poll(async () => parsed((await page.getByTestId('probe').textContent()) ?? '').voxel).toEqual([4, 10, 2]);
    expect(parsed((await page.getByTestId('probe').textContent()) ?? '').value).toBe(valueAt([4, 10, 2]));
  });

  await test.step('the wheel moves through slices; with Ctrl it zooms, and the voxel under the pointer stays', async () => {
    const { x, y } = (places.z as Place).at([5, 8, 2]);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -200);
    await expect(page.getByTestId('slider-z')).toHaveValue('4');
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    const box = await boxOf(page, 'z');
    const at = (byX: number) => probeAt(page, 'z', (x + byX - box.x) / box.width, (y - box.y) / box.height);
    expect((await at(0)).voxel).toEqual([5, 8, 4]);
    // The slice is now e times as large, so this many pixels are two voxels.
    const pixels = 2 * spacing[0] * (places.z as Place).pixelsPerUnit * Math.E;
    expect((await at(pixels)).voxel).toEqual([7, 8, 4]);
    await page.keyboard.press('r');
  });

  await test.step('a double click shows one slice only, and another shows all views again', async () => {
    const slice = canvasOf(page, 'x');
    await slice.dblclick();
    await expect(canvasOf(page, 'z')).toBeHidden();
    await expect(slice).toBeVisible();
    await slice.dblclick();
    await expect(canvasOf(page, 'z')).toBeVisible();
  });
});

test('measurements on a slice are right in the file’s units, and are exported as CSV', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('oblique.nii', bigEndianNifti())]);
  await expectOpen(page, 'oblique.nii');
  await page.keyboard.press('3');
  await expect(canvasOf(page, '3d')).toBeHidden();
  await openTab(page, 'measure');
  const list = page.getByTestId('measurements');
  const place = await placeOf(page, 'y');
  const drag = async (from: Voxel, to: Voxel, by = 0) => {
    const [start, end] = [place.at(from), place.at(to)];
    await page.mouse.move(start.x - by, start.y - by);
    await page.mouse.down();
    await page.mouse.move(end.x + by, end.y + by, { steps: 4 });
    await page.mouse.up();
  };

  await test.step('a distance, by its shortcut', async () => {
    await page.keyboard.press('m');
    await drag([2, 6, 9], [12, 6, 3]);
    const millimetres = Math.hypot(10 * spacing[0], 6 * spacing[2]);
    const shown = plain(await list.getByRole('listitem').innerText());
    expect(Math.abs(Number(/([\d.]+)mm/.exec(shown)?.[1]) - millimetres)).toBeLessThan(0.15);
  });

  await test.step('a rectangle contains the voxels that the file has there', async () => {
    await page.getByTestId('tool-rectangle').click();
    // From the upper left voxel's corner to the lower right one's, slightly more than half a voxel from their centres.
    await drag([4, 6, 8], [8, 6, 5], 0.5 * spacing[0] * place.pixelsPerUnit + 2);
    const values: number[] = [];
    for (let z = 5; z <= 8; z++) for (let x = 4; x <= 8; x++) values.push(valueAt([x, 6, z]));
    const mean = values.reduce((sum, value) => sum + value) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
    const row = list.getByRole('listitem').nth(1);
    await expect(row).toContainText('n 20');
    const words = plain(await row.innerText());
    expect(Number(/mean (\S+)/.exec(words)?.[1])).toBeCloseTo(mean, 1);
    expect(Number(/SD (\S+)/.exec(words)?.[1])).toBeCloseTo(deviation, 1);
  });

  await test.step('saved, named and deleted', async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Name of Rectangle 1' }).fill('Core, left');
    await page.keyboard.press('Enter');
    const target = join(stria.folder, 'oblique-measurements.csv');
    await stria.chooseSave(target);
    await page.getByTestId('export-measurements').click();
    const lines = readFileSync(await stria.savedFile(target), 'utf8').split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^name,kind,slice_axis,slice_index,time_index,/);
    expect(lines[2]).toMatch(/^"Core, left",rectangle,y,6,0,mm,/);
    await canvasOf(page, 'z').hover();
    await page.keyboard.press('Delete');
    await expect(list.getByRole('listitem')).toHaveCount(1);
    await page.keyboard.press('ControlOrMeta+z');
    await expect(list.getByRole('listitem')).toHaveCount(2);
  });
});
