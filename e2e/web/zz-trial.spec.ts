import { spawn } from 'node:child_process';
import { openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { canvasOf, expectOpen, isSettled, openTab, probeAt, testHook, volumeFacts } from '../support/app.ts';
import { expect, test } from '../support/test.ts';

const raw = openSync('/tmp/trial/big.raw', 'r');
const value = ([x, y, z]: readonly number[]) => {
  const b = new Uint8Array(1);
  readSync(raw, b, 0, 1, ((z as number) * 2768 + (y as number)) * 2768 + (x as number));
  return b[0];
};

test('trial', async ({ stria }) => {
  test.setTimeout(560_000);
  const child = spawn(process.execPath, [resolve('out/main/cli.js'), 'serve', '/tmp/trial', '--port', '0', '--app', '/tmp/trialweb'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise<string>((found) => child.stdout.on('data', (text) => { const [url] = /http:\/\/127\.0\.0\.1:\d+\//.exec(String(text)) ?? []; if (url) found(url); }));
  const { page } = stria;
  const say = (...words: unknown[]) => console.log(((performance.now() - t0) / 1000).toFixed(1), 's', ...words);
  let t0 = performance.now();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.addInitScript(() => localStorage.setItem('stria.debug', '1'));
  await page.goto(address);
  await page.screenshot({ path: '/tmp/trialb-1.png' });
  t0 = performance.now();
  await page.getByRole('link', { name: 'big.stria' }).click();
  await expectOpen(page, 'big.stria');
  say('open');
  await page.screenshot({ path: '/tmp/trialb-2.png' });
  const hook = await testHook(page);
  await hook.evaluate((each) => each.setBudget(96));
  await openTab(page, 'volume');
  say(JSON.stringify(await volumeFacts(page)));
  const checkAll = async (what: string) => {
    let [good, bad] = [0, 0];
    for (const view of ['x', 'y', 'z'] as const)
      for (const [a, d] of [[0.41, 0.37], [0.6, 0.52], [0.5, 0.7]] as const) {
        const { voxel, stored } = await probeAt(page, view, a, d);
        if (value(voxel) === stored) good++; else { bad++; say('BAD', view, voxel, stored, value(voxel)); }
      }
    say(what, 'values good', good, 'bad', bad);
    expect(bad).toBe(0);
  };
  await checkAll('at rest');
  await page.screenshot({ path: '/tmp/trialb-3.png' });
  const wheel = async (view: 'x' | 'y' | 'z' | '3d', dy: number, times: number) => {
    const box = await canvasOf(page, view as never).boundingBox();
    if (!box) throw new Error(view);
    await page.mouse.move(box.x + box.width * 0.55, box.y + box.height * 0.45);
    for (let i = 0; i < times; i++) { await page.mouse.wheel(0, dy); await page.waitForTimeout(60); }
  };
  await page.keyboard.down('Control'); await wheel('z', -240, 8); await wheel('x', -240, 5); await page.keyboard.up('Control');
  await page.waitForTimeout(4000);
  await checkAll('zoomed in');
  await page.screenshot({ path: '/tmp/trialb-4.png' });
  const box = await canvasOf(page, '3d' as never).boundingBox();
  if (!box) throw new Error('3d');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 0; i < 20; i++) { await page.mouse.move(box.x + box.width / 2 + 8 * i, box.y + box.height / 2 + 3 * i); await page.waitForTimeout(100); }
  await page.mouse.up();
  await wheel('3d', -240, 4);
  await page.waitForTimeout(2000);
  await page.screenshot({ path: '/tmp/trialb-5.png' });
  say('flown');
  await expect.poll(() => isSettled(page), { timeout: 150_000 }).toBe(true).catch(() => {});
  await page.screenshot({ path: '/tmp/trialb-6.png' });
  say('settled', await isSettled(page));
  say('problems', stria.problems);
  child.kill('SIGINT');
});
