import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from 'fast-png';
import type { Page } from 'playwright/test';
import type { BenchResult } from '../src/core/bench/harness/result.ts';
import type { LabMessage } from '../src/renderer/app/lab/lab-protocol.ts';
import { expect, test } from './support/test.ts';

/** Runs the Lab with a fake worker that has all results ready. */
async function showFigures(page: Page, result: BenchResult): Promise<void> {
  await page.evaluate((result) => {
    class Answer {
      onmessage: ((event: { data: LabMessage }) => void) | undefined;
      postMessage(): void {
        const say = (data: LabMessage) => this.onmessage?.({ data });
        say({ kind: 'device', name: result.machine.adapter?.device ?? '', software: false });
        for (const found of result.cases) say({ kind: 'case', found });
        say({ kind: 'done', result, gpuBytes: 0 });
      }
      terminate(): void {}
    }
    (window as unknown as { Worker: unknown }).Worker = Answer;
  }, result);
  await page.getByTestId('lab-run').click();
  await expect(page.getByTestId('lab-row')).toHaveCount(result.cases.length);
}

test('results of a large GPU appear in plots, tables and a grid, and the grid is in the saved picture', async ({
  stria,
}, info) => {
  const { page } = stria;
  await page.getByTestId('lab-button').click();
  const file = new URL('../bench/results/2026-11-22-h200-seeds.json', import.meta.url);
  const seeds: BenchResult = JSON.parse(readFileSync(file, 'utf8'));
  const plane = seeds.cases.filter(({ table }) => table === 'cuvle-plane');
  await showFigures(page, seeds);
  await expect(page.getByTestId('lab-results').locator('canvas')).toHaveCount(6);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await page.screenshot({ path: join('test-results/screens', info.project.name, `lab-seeds-${colorScheme}-1280.png`) });
  }

  await showFigures(page, { ...seeds, cases: plane });
  await expect(page.getByTestId('lab-results').locator('canvas')).toHaveCount(0);
  const bounds = await page.getByTestId('lab-plane').boundingBox();
  const path = join(stria.folder, 'lab.png');
  await stria.chooseSave(path);
  await page.getByTestId('lab-save-png').click();
  const { width, data, channels } = decode(readFileSync(await stria.savedFile(path)));
  expect(width).toBeGreaterThan(bounds?.width ?? 0);
  // The text goes down to the last row, so some pixels there are not background.
  const tail = data.subarray(-60 * width * channels);
  const background = data.subarray(0, channels);
  expect(tail.filter((value, at) => value !== background[at % channels]).length).toBeGreaterThan(300);
});
