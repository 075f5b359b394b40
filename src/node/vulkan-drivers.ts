import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** SwiftShader in Debian's chromium package: the software Vulkan driver for tests. */
const swiftshaderIcd = '/usr/lib/chromium/vk_swiftshader_icd.json';

/** The loader's filters, unless the user has set them. */
const loaderVariables = ['VK_ICD_FILENAMES', 'VK_DRIVER_FILES', 'VK_LOADER_DRIVERS_DISABLE', 'VK_LOADER_DRIVERS_SELECT'];
const isByPerson = loaderVariables.some((name) => process.env[name]);

const namedDrivers = () => process.env.VK_DRIVER_FILES ?? process.env.VK_ICD_FILENAMES ?? '';

/**
 * Tells the Vulkan loader which drivers to load, unless the environment does. For hardware: all but Mesa's software driver. For
 * software: SwiftShader if it is installed, otherwise all.
 */
export function chooseDrivers(kind: 'hardware' | 'software'): void {
  // Without it Mesa's drivers print an error line for each instance.
  process.env.XDG_RUNTIME_DIR ??= tmpdir();
  if (isByPerson) return;
  if (kind === 'hardware') {
    process.env.VK_LOADER_DRIVERS_DISABLE = '*lvp*';
    return;
  }
  delete process.env.VK_LOADER_DRIVERS_DISABLE;
  if (existsSync(swiftshaderIcd)) process.env.VK_ICD_FILENAMES = swiftshaderIcd;
}

export function isSwiftshader(): boolean {
  return namedDrivers().includes('swiftshader');
}

/**
 * Whether Dawn may print about rejected drivers. NVIDIA's own driver and SwiftShader are known to be accepted; only Linux uses
 * a Vulkan loader.
 */
export function mayPrint(): boolean {
  if (process.platform !== 'linux') return false;
  const named = namedDrivers();
  if (named !== '') return !named.split(':').every((path) => /swiftshader|nvidia/.test(path));
  return isByPerson || !existsSync('/dev/nvidiactl');
}

/** Device files of hardware drivers: Mesa, NVIDIA, WSL, and Arm and Qualcomm chips. */
const deviceFiles = ['nvidiactl', 'nvgpu', 'nvhost-gpu', 'dxg', 'kgsl-3d0', 'mali0'];

/** Whether this machine can have a graphics adapter at all. Quicker than probing the drivers. */
export function mayHaveHardware(): boolean {
  if (process.platform !== 'linux' || isByPerson) return true;
  return deviceFiles.some((name) => existsSync(`/dev/${name}`)) || filesIn('/dev/dri').some((name) => name.startsWith('render'));
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
