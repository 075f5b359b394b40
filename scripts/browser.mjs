// Finds an installed Chromium-family browser and opens the web shell in it.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const profile = fileURLToPath(new URL('../node_modules/.cache/stria-browser', import.meta.url));

/** The path of a browser: CHROMIUM_PATH, or else the first installed one; undefined if there is none. */
export function findBrowser() {
  const { CHROMIUM_PATH, PATH = '', PROGRAMFILES = '', LOCALAPPDATA = '' } = process.env;
  const onPath = [
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'microsoft-edge',
    'brave-browser',
    'vivaldi',
  ];
  const candidates = {
    darwin: ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser'].map(
      (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
    ),
    win32: [PROGRAMFILES, `${PROGRAMFILES} (x86)`, LOCALAPPDATA].flatMap((folder) =>
      ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'].map((path) => join(folder, path)),
    ),
  };
  const paths =
    candidates[process.platform] ?? PATH.split(delimiter).flatMap((folder) => onPath.map((name) => join(folder, name)));
  return [CHROMIUM_PATH, ...paths].find((path) => path && existsSync(path));
}

/** False on a Linux machine with neither an X nor a Wayland display. */
export function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** The switches that WebGPU needs here: a software GPU if there is no other, and what running as root requires. */
export function neededSwitches() {
  if (process.platform !== 'linux') return [];
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const hasGpu =
    existsSync('/dev/nvidia0') || (existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD')));
  if (hasGpu) return root;
  return [
    ...root,
    '--enable-unsafe-webgpu',
    '--enable-features=Vulkan',
    '--use-angle=vulkan',
    '--use-vulkan=swiftshader',
    '--use-webgpu-adapter=swiftshader',
    '--disable-vulkan-surface',
    // Halves the time to compile kernels on a software GPU: see src/node/node-gpu.ts.
    '--disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension',
    // Compiling a large kernel on a busy processor can take longer than the watchdog waits before it ends the GPU process.
    '--disable-gpu-watchdog',
  ];
}

/**
 * Opens a separate window with a separate profile, so that the switches apply and the process lives as long as the window.
 * @param {string} browser
 * @param {string} url
 * @param {string[]} switches The user's own come last and win.
 * @returns {Promise<void>} resolves when the window is closed
 */
export function openBrowser(browser, url, switches = []) {
  const args = [
    `--app=${url}`,
    `--user-data-dir=${profile}`,
    '--no-first-run',
    '--no-default-browser-check',
    ...neededSwitches(),
    ...switches,
  ];
  const child = spawn(browser, args, { stdio: 'ignore' });
  // This process ends after the window has closed, even if a signal closes it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill());
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
}
