// Finds what the tests need besides npm packages: Chromium, Xvfb, the Vulkan loader, and SwiftShader (a Vulkan driver that runs
// on the CPU, part of Debian's chromium). On Debian and its derivatives it installs what is missing, if it may.
import { existsSync, readdirSync } from 'node:fs';
import { ensureTools, hasCommand, hasLibrary } from './tools.mjs';

const tools = [
  {
    what: 'Chromium',
    packages: ['chromium', 'fonts-liberation'],
    found: () => hasCommand('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'),
  },
  { what: 'Xvfb', packages: ['xvfb', 'xauth'], found: () => hasCommand('xvfb-run', 'Xvfb') },
  { what: 'the Vulkan loader (libvulkan.so.1)', packages: ['libvulkan1'], found: () => hasLibrary('libvulkan.so.1') },
  {
    what: 'a Vulkan driver: SwiftShader (/usr/lib/chromium/vk_swiftshader_icd.json), or one named by VK_ICD_FILENAMES',
    packages: ['chromium'],
    found: () =>
      existsSync('/usr/lib/chromium/vk_swiftshader_icd.json') ||
      [process.env.VK_ICD_FILENAMES, process.env.VK_DRIVER_FILES].some((path) => path && existsSync(path.split(':')[0])),
  },
  {
    // Without it Chromium computes on SwiftShader, but loses the device when it presents the first picture.
    what: 'a Vulkan driver of the system (/usr/share/vulkan/icd.d)',
    packages: ['mesa-vulkan-drivers'],
    found: () =>
      ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d'].some((folder) => existsSync(folder) && readdirSync(folder).length > 0),
  },
];
if (process.platform !== 'linux') {
  const browser =
    process.platform === 'darwin'
      ? '/Applications/Google Chrome.app'
      : 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe';
  if (!existsSync(browser)) {
    console.error(`ensure-test-tools: install Google Chrome (looked for ${browser}): the browser tests run in it.`);
    process.exit(1);
  }
} else {
  ensureTools('ensure-test-tools', tools);
}
