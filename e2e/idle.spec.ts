import type { Page } from 'playwright/test';
import { canvasOf, expectOpen, isSettled, testHook } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, series } from './support/volumes.ts';

const restMs = 1500;

test('at rest nothing is drawn, no animation frame is requested, and the CPU is idle', async ({ stria }) => {
  const { page } = stria;
  await page.evaluate(() => {
    const { requestAnimationFrame: ask } = window;
    const counting = window as unknown as { asked: number };
    counting.asked = 0;
    window.requestAnimationFrame = (callback) => {
      counting.asked++;
      return ask.call(window, callback);
    };
  });
  await stria.dropFiles([stria.write('series.nii', nifti(series(16, 3)))]);
  await expectOpen(page, 'series.nii');
  await expectRest(page, 'an open series');

  await page.getByTestId('play-button').click();
  await expect(page.getByTestId('playback-facts')).toContainText(/\d\sfps/);
  await page.getByTestId('play-button').click();
  await canvasOf(page, 'z').hover();
  await expect(page.getByTestId('probe')).toBeVisible();
  await expectRest(page, 'played and paused, the pointer on a slice');
});

/** Work that ends by itself may still be running, so one of several checks must find it idle. */
async function expectRest(page: Page, what: string): Promise<void> {
  await expect.poll(() => isSettled(page), { message: what }).toBe(true);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await expect
    .poll(
      async () => {
        const before = await workOf(page);
        const busyMs = await busy(session);
        await new Promise((resolve) => setTimeout(resolve, restMs));
        const part = ((await busy(session)) - busyMs) / restMs;
        const after = await workOf(page);
        return { asked: after.asked - before.asked, drawn: after.drawn - before.drawn, isBusy: part > 0.03 };
      },
      { message: what, timeout: 20_000 },
    )
    .toEqual({ asked: 0, drawn: 0, isBusy: false });
  await session.detach();
}

async function workOf(page: Page): Promise<{ asked: number; drawn: number }> {
  const drawn = await (await testHook(page)).evaluate((striaTest) => striaTest.drawnFrames());
  return { asked: await page.evaluate(() => (window as unknown as { asked: number }).asked), drawn };
}

/** The time that the page's main thread has worked so far, in milliseconds. */
async function busy(session: Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}
