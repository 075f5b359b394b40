import { boxOf, expectOpen, isSettled, testHook } from './support/app.ts';
import { expect, test } from './support/test.ts';
import { nifti, shapes } from './support/volumes.ts';

test.use({ sharp: true });

const dragMs = 2000;
/** The pacing needs this many frames to learn the device's speed. */
const firstFrames = 3;
/** The lowest quality that the pacing uses; see frame-pacing.ts. */
const least = { scale: 0.1, step: 8 };

test('while the view is rotated, frames stay under 50 ms or have the lowest quality', async ({ stria }) => {
  const { page } = stria;
  await stria.dropFiles([stria.write('shapes.nii', nifti(shapes(32)))]);
  await expectOpen(page, 'shapes.nii');
  await page.keyboard.press('1');
  await expect.poll(() => isSettled(page)).toBe(true);
  const box = await boxOf(page, '3d');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const layouts = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'LayoutCount')?.value ?? Number.NaN;
  const times = await (await testHook(page)).evaluateHandle((striaTest) => striaTest.recordFrameTimes());
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 1, y + 1);
  const layoutsBefore = await layouts();
  const start = Date.now();
  const drawn = () => times.evaluate((frames) => frames.length);
  for (let turn = 0; Date.now() - start < dragMs || (await drawn()) < firstFrames + 5; turn++) {
    await page.mouse.move(x + 80 * Math.sin(turn / 8), y + 20 * Math.sin(turn / 5));
  }
  const laidOut = (await layouts()) - layoutsBefore;
  await page.mouse.up();
  const frames = (await times.jsonValue()).slice(firstFrames).toSorted((a, b) => a.ms - b.ms);
  const words = frames.map(({ ms, scale, step }) => `${Math.round(ms)} ms at ${scale}, ${step}`).join('; ');
  test.info().annotations.push({ type: 'frames', description: words });
  const median = frames[Math.floor(frames.length / 2)];
  const isLeast = frames.filter(({ scale, step }) => scale <= least.scale && step >= least.step).length > frames.length / 2;
  // Overlays follow the view without a layout.
  expect(laidOut).toBeLessThan(frames.length / 2);
  expect(isLeast || (median?.ms ?? Number.NaN) < 50, words).toBe(true);
});
