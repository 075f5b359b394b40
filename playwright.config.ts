import { defineConfig } from '@playwright/test';
import { launchOptions } from './e2e/support/chromium.ts';

/** About what the renderer draws and nothing of the shell: once, in the browser, is enough on a software GPU. */
const drawnAlike = [
  'access',
  'cancel',
  'chunks',
  'compare',
  'compressed-volume',
  'crosshair',
  'device-loss',
  'handles',
  'hard-values',
  'idle',
  'inspector',
  'lab',
  'lab-figures',
  'numbers',
  'output',
  'pacing',
  'playback',
  'session',
  'settings',
  'sharpness',
  'space',
  'tools',
  'undo',
  'values',
  'view3d',
  'views',
  'zoom',
].map((name) => `${name}.spec.ts`);

/** Takes pictures to be looked at, and compares none: `npm run screenshots`. */
const pictures = 'screenshots.spec.ts';

// One worker, and a window that is not large: the software GPU takes all the cores that there are.
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  globalSetup: './e2e/support/say-shell.ts',
  workers: 1,
  fullyParallel: false,
  timeout: 300_000,
  expect: { timeout: 60_000 },
  forbidOnly: true,
  reporter: [['list'], ['html', { open: 'never', outputFolder: 'playwright-report' }]],
  use: {
    launchOptions,
    viewport: { width: 1120, height: 720 },
    screenshot: 'only-on-failure',
    // What was done, said and asked for. Pictures and pages of each step, an eighth of all that is computed: `--trace on`.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
  },
  // Specs in e2e/ run in both shells, but for those above; those in a folder are about one of them.
  projects: [
    { name: 'web', testIgnore: ['desktop/**', pictures] },
    { name: 'desktop', testIgnore: ['web/**', pictures, ...drawnAlike] },
    { name: 'pictures', testMatch: pictures },
  ],
});
