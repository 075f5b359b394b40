import { existsSync } from 'node:fs';
import type { LaunchOptions } from 'playwright/test';

/**
 * Switches for WebGPU on SwiftShader, Chromium's software GPU, so that pixels and limits are the same on every machine.
 * Tests run headed, because headless Chromium does not present a WebGPU canvas.
 */
export const gpuSwitches: readonly string[] = [
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-angle=vulkan',
  '--use-vulkan=swiftshader',
  '--use-webgpu-adapter=swiftshader',
  '--disable-vulkan-surface',
  // Halves the time to compile kernels; see src/node/node-gpu.ts.
  '--disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension',
  // Compiling a large kernel on two busy cores can take longer than the watchdog waits before it ends the GPU process.
  '--disable-gpu-watchdog',
  // The CPU paints the page directly instead of acting as a GPU, which saves a fifth of the work of a spec.
  '--disable-gpu-rasterization',
];

/** Each new window would load two pages for the address bar's popup, which takes half a second of processor time. */
const popupPages = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];

/** Playwright disables these. A switch given twice counts once, so they are listed again. */
const playwrightDisables = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

const quietSwitches = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${[...popupPages, ...playwrightDisables].join(',')}`,
];
const installed = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
);

export const launchOptions: LaunchOptions = {
  headless: false,
  args: [...gpuSwitches, ...quietSwitches],
  ...(installed === undefined ? { channel: 'chrome' } : { executablePath: installed }),
};
