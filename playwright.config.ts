import { defineConfig } from '@playwright/test';
import { launchOptions } from './e2e/support/chromium.ts';

/** About what the renderer draws and nothing of the shell: once, in the browser, is enough on a software GPU. */
const drawnAlike = ['chunks', 'compressed-volume', 'lab', 'playback', 'undo', 'view3d'].map((name) => `${name}.spec.ts`);

// One worker: the software GPU takes all the cores that there are.
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  globalSetup: './e2e/support/say-shell.ts',
  workers: 1,
  fullyParallel: false,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  forbidOnly: true,
  reporter: [['list'], ['html', { open: 'never', outputFolder: 'playwright-report' }]],
  use: { launchOptions, viewport: { width: 1440, height: 900 }, screenshot: 'only-on-failure', trace: 'retain-on-failure' },
  // Specs in e2e/ run in both shells, but for those above; those in a folder are about one of them.
  projects: [
    { name: 'web', testIgnore: 'desktop/**' },
    { name: 'desktop', testIgnore: ['web/**', ...drawnAlike] },
  ],
});
