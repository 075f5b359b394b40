import { existsSync } from 'node:fs';
import type { LaunchOptions } from '@playwright/test';

/**
 * WebGPU on SwiftShader, Chromium's software GPU, on every machine alike: pixels and limits are then the same everywhere.
 * Headed, because headless Chromium does not present a WebGPU canvas.
 */
export const gpuSwitches: readonly string[] = [
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-angle=vulkan',
  '--use-vulkan=swiftshader',
  '--use-webgpu-adapter=swiftshader',
  '--disable-vulkan-surface',
  // Kernels are compiled in less than half of the time: see src/node/node-gpu.ts.
  '--disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension',
  // Words and buttons are painted by the CPU at once, not by the CPU as a GPU: a fifth of all that a spec computed.
  '--disable-gpu-rasterization',
];

const quietSwitches = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
const installed = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path && existsSync(path),
);

export const launchOptions: LaunchOptions = {
  headless: false,
  args: [...gpuSwitches, ...quietSwitches],
  ...(installed === undefined ? { channel: 'chrome' } : { executablePath: installed }),
};
