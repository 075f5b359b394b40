// Runs a command so that WebGPU in Node finds a Vulkan driver: the machine's own, or SwiftShader from Debian's chromium. Set
// STRIA_GPU=hardware to use the machine's own driver if there are both.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const swiftshader = '/usr/lib/chromium/vk_swiftshader_icd.json';
const env = { ...process.env };
if (!env.VK_ICD_FILENAMES && !env.VK_DRIVER_FILES && env.STRIA_GPU !== 'hardware' && existsSync(swiftshader)) {
  env.VK_ICD_FILENAMES = swiftshader;
}
const [command, ...args] = process.argv.slice(2);
const { status, error } = spawnSync(command, args, { env, stdio: 'inherit', shell: process.platform === 'win32' });
if (error) console.error(`with-gpu: cannot run ${command}: ${error.message}`);
process.exit(status ?? 1);
