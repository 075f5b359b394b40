import { defineConfig } from 'playwright/test';
import { launchOptions } from './e2e/support/chromium.ts';

/** Specs about what the renderer draws, not about the shell: running them once, in the browser, is enough on a software GPU. */
const drawnAlike = [
  'access',
  'align',
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
  'large-volume',
  'layers',
  'mesh-files',
  'numbers',
  'ome-tiff',
  'output',
  'pacing',
  'picture-command',
  'playback',
  'session',
  'settings',
  'sharpness',
  'small-files',
  'soak',
  'space',
  'surface',
  'tools',
  'undo',
  'values',
  'view3d',
  'views',
  'zoom',
].map((name) => `${name}.spec.ts`);

/** Takes screenshots for review without comparing them: `npm run screenshots`. */
const pictures = 'screenshots.spec.ts';

// A small window, because the software GPU draws it; below 860 × 560 the app has another layout. Two workers, each with a virtual
// display (support/test.ts), because a test waits for much of its time; on the user's own display one, because windows on one
// display disturb each other's drags.
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  globalSetup: './e2e/support/say-shell.ts',
  workers: process.env.STRIA_VIRTUAL_DISPLAY ? 2 : 1,
  fullyParallel: false,
  timeout: 300_000,
  expect: { timeout: 60_000 },
  forbidOnly: true,
  reporter: [['list'], ['html', { open: 'never', outputFolder: 'playwright-report' }]],
  use: {
    launchOptions,
    viewport: { width: 864, height: 600 },
    screenshot: 'only-on-failure',
    // Traces of actions, console and network. Pictures and pages of each step would add an eighth of the work: `--trace on`.
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
  },
  // Specs in e2e/ run in both shells, except those listed above; specs in a subfolder concern one shell.
  projects: [
    { name: 'web', testIgnore: ['desktop/**', 'electron/**', pictures] },
    { name: 'desktop', testIgnore: ['web/**', 'electron/**', pictures, ...drawnAlike] },
    { name: 'electron', testMatch: 'electron/**' },
    { name: 'pictures', testMatch: pictures, use: { viewport: { width: 960, height: 640 } } },
  ],
});
