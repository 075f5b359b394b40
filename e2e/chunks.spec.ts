import { join } from 'node:path';
import type { DecodedPng } from 'fast-png';
import type { Page } from 'playwright/test';
import { formatBytes, formatCount } from '../src/renderer/app/words/units.ts';
import { describeWay, formatShare, reasonOf } from '../src/renderer/app/words/ways.ts';
import { wayLook } from '../src/renderer/viewer/colors/way-colors.ts';
import { expectOpen, openDetails, probeAt, screenOf, settledPicture } from './support/app.ts';
import { type FileInfo, fileInfo } from './support/cli.ts';
import { expect, test } from './support/test.ts';
import { nrrd, patchwork } from './support/volumes.ts';

// Fewer pixels to draw for a software GPU.
test.use({ viewport: { width: 780, height: 570 } });

// Chunks are 64 voxels long: two rows of three in each slice across z. The second row has the kinds in another order.
const kinds = ['constant', 'runs', 'noisy', 'constant', 'constant', 'runs'] as const;
const [columns, side] = [3, 64];
/** The margin around a fitted slice in CSS pixels; see viewer/draw/slice-drawing.ts. */
const margin = 24;
/** Opacity of a chunk's colour over the slice; see viewer/slices/chunk-painter.ts. */
const fillOpacity = 0.24;

test('the inspector says how each chunk was encoded, and the slices show it', async ({ stria }) => {
  const { page } = stria;
  const target = join(stria.folder, 'saved.stria');
  await stria.dropFiles([stria.write('patches.nrrd', nrrd(patchwork(columns, side, kinds)))]);
  await expectOpen(page, 'patches.nrrd');
  const table = page.getByTestId('chunk-table');
  await expect(table).toHaveCount(0);

  const { chunks } = await test.step('the table matches the index of the saved file', async () => {
    await page.getByTestId('compress-button').click();
    await expect(page.getByTestId('result-card')).toBeVisible();
    await stria.chooseSave(target);
    await page.getByTestId('save-button').click();
    await openDetails(page);
    await stria.savedFile(target);
    const info = await fileInfo(target);
    expect(info.chunks.reduce((sum, { count }) => sum + count, 0)).toBe(kinds.length);
    expect(info.chunks[0]).toMatchObject({ codec: 'constant', count: 3, bytes: 0 });
    expect(
      info.chunks.map(({ count }) => count),
      JSON.stringify(info.chunks),
    ).toEqual([3, 2, 1]);
    expect(await rowsOf(page)).toEqual(rowsFor(info));
    return info;
  });

  await page.keyboard.press('2');
  await settledPicture(page, 'z');
  const before = await sliceOf(page);
  /** The index of a chunk's way. Each kind of voxels is encoded in one way, and the table lists ways by number of chunks. */
  const wayOf = (chunk: number) => ['constant', 'runs', 'noisy'].indexOf(kinds[chunk] ?? '');

  await test.step('when shown, each chunk has the colour of its way, and nothing else changes', async () => {
    await page.getByTestId('show-chunks').click();
    await expect.poll(async () => differing(before, await sliceOf(page)).length).toBeGreaterThan(0);
    const shown = await sliceOf(page);
    const place = placeOn(shown);
    expect(differing(before, shown).filter(({ x, y }) => place.chunkAt(x, y) === undefined)).toEqual([]);
    for (const chunk of kinds.keys()) {
      const { color } = wayLook(wayOf(chunk));
      const wanted = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
      // Only the inner half of the chunk, without border and number. The crosshair is ignored.
      let [right, all] = [0, 0];
      for (const { x, y } of place.middleOf(chunk)) {
        all++;
        const [was, is] = [pixelOf(before, x, y), pixelOf(shown, x, y)];
        const isBlend = is.every(
          (value, channel) =>
            Math.abs(value - ((1 - fillOpacity) * (was[channel] ?? 0) + fillOpacity * (wanted[channel] ?? 0))) <= 2,
        );
        if (isBlend) right++;
      }
      expect(all).toBeGreaterThan(400);
      expect(right / all, `chunk ${chunk} in the colour of way ${wayOf(chunk) + 1}`).toBeGreaterThan(0.93);
    }
  });

  await test.step('the readout names the chunk under the pointer', async () => {
    const { voxel } = await probeAt(page, 'z', 0.7, 0.3);
    expect(voxel).toEqual([expect.any(Number), expect.any(Number), side / 2]);
    const chunk = Math.floor(voxel[1] / side) * columns + Math.floor(voxel[0] / side);
    const share = chunks[wayOf(chunk)];
    if (!share) throw new Error(`there is no way ${wayOf(chunk)}`);
    const size = `${formatBytes(share.bytes / share.count)}, `;
    const named = `chunk ${chunk + 1}: ${wayOf(chunk) + 1} ${describeWay(share as Parameters<typeof describeWay>[0])}`;
    expect(kinds[chunk]).toBe('noisy');
    await expect(page.getByTestId('probe')).toContainText(`${named}, ${size}`);
  });

  await test.step('hidden by its shortcut, every pixel is as before', async () => {
    await page.keyboard.press('k');
    await expect.poll(async () => differing(before, await sliceOf(page)).length).toBe(0);
  });

  await test.step('the saved file has the same table as soon as it is open', async () => {
    await page.keyboard.press('4');
    await stria.dropFiles([target]);
    await expectOpen(page, 'saved.stria');
    expect(await rowsOf(page)).toEqual(rowsFor({ chunks }));
    await page.keyboard.press('k');
    await expect(page.getByTestId('show-chunks').locator('input')).toBeChecked();
  });
});

async function rowsOf(page: Page): Promise<string[][]> {
  const rows = await page.getByTestId('chunk-table').locator('tbody tr').all();
  return Promise.all(
    rows.map(async (row) => (await row.locator('td, th').allInnerTexts()).flatMap((cell) => cell.trim().split('\n'))),
  );
}

function rowsFor({ chunks }: Pick<FileInfo, 'chunks'>): string[][] {
  const sum = (of: 'count' | 'bytes') => chunks.reduce((total, share) => total + share[of], 0);
  return chunks.map((chunk, index) => {
    const share = chunk as Parameters<typeof describeWay>[0] & { count: number; bytes: number };
    return [
      String(index + 1),
      describeWay(share),
      reasonOf(share),
      formatCount(share.count),
      formatShare(share.count, sum('count')),
      formatBytes(share.bytes),
      formatShare(share.bytes, sum('bytes')),
    ];
  });
}

interface Pixel {
  readonly x: number;
  readonly y: number;
}

/** The slice across z, without the button and the readout that follow the pointer. */
function sliceOf(page: Page): Promise<DecodedPng> {
  return screenOf(page, 'z', { hidden: 'section > button, [data-testid=probe]' });
}

function pixelOf({ width, channels, data }: DecodedPng, x: number, y: number): readonly number[] {
  const start = (y * width + x) * channels;
  return [...data.subarray(start, start + 3)];
}

function differing(a: DecodedPng, b: DecodedPng): Pixel[] {
  const pixels: Pixel[] = [];
  for (let y = 0; y < a.height; y++) {
    for (let x = 0; x < a.width; x++) {
      const other = pixelOf(b, x, y);
      if (pixelOf(a, x, y).some((value, channel) => value !== other[channel])) pixels.push({ x, y });
    }
  }
  return pixels;
}

/** The positions of the middle slice's chunks on the screen. */
function placeOn({ width, height }: DecodedPng) {
  const [across, down] = [columns * side, (kinds.length / columns) * side];
  const scale = Math.min((width - 2 * margin) / across, (height - 2 * margin) / down);
  const [left, top] = [(width - across * scale) / 2, (height - down * scale) / 2];
  return {
    chunkAt(x: number, y: number): number | undefined {
      const [column, row] = [Math.floor((x + 0.5 - left) / (side * scale)), Math.floor((y + 0.5 - top) / (side * scale))];
      const isInside = column >= 0 && column < columns && row >= 0 && row < kinds.length / columns;
      return isInside ? row * columns + column : undefined;
    },
    middleOf(chunk: number): Pixel[] {
      const [column, row] = [chunk % columns, Math.floor(chunk / columns)];
      const start = [left + (column + 0.25) * side * scale, top + (row + 0.25) * side * scale].map(Math.ceil) as [number, number];
      const length = Math.floor((side * scale) / 2);
      return Array.from({ length: length * length }, (_, at) => ({
        x: start[0] + (at % length),
        y: start[1] + Math.floor(at / length),
      }));
    },
  };
}
