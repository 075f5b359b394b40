// Finds what the tests need besides npm packages: Chromium, Xvfb, the Vulkan loader, and SwiftShader (a Vulkan driver that runs
// on the CPU, part of Debian's chromium). On Debian and its derivatives it installs what is missing, if it may.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const hasCommand = (...names) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) =>
    names.some((name) => {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }),
  );

const libraryFolders = ['/usr/lib', '/usr/lib64', '/usr/local/lib', '/lib', '/lib64'];
const hasLibrary = (name) =>
  libraryFolders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [
      folder,
      ...readdirSync(folder)
        .filter((entry) => entry.endsWith('-linux-gnu'))
        .map((entry) => join(folder, entry)),
    ])
    .some((folder) => existsSync(join(folder, name)));

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
const missingTools = () => tools.filter((tool) => !tool.found());

function run(command, args) {
  console.log(`ensure-test-tools: ${[command, ...args].join(' ')}`);
  return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0;
}

/** How to run apt-get: as root, or by sudo without a password; undefined if neither works. */
function aptPrefix() {
  if (!hasCommand('apt-get')) return undefined;
  if (process.getuid?.() === 0) return [];
  const free = hasCommand('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0;
  return free ? ['sudo', '-n', 'DEBIAN_FRONTEND=noninteractive'] : undefined;
}

function install(missing) {
  const prefix = aptPrefix();
  if (!prefix) return;
  const packages = [...new Set(missing.flatMap((tool) => tool.packages))];
  console.log(`ensure-test-tools: installing ${packages.join(', ')}, which the tests need`);
  const apt = (...args) => {
    const [command, ...rest] = [...prefix, 'apt-get', ...args];
    return run(command, rest);
  };
  apt('update', '-qq');
  apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
}

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
  const missing = missingTools();
  if (missing.length > 0) install(missing);
  const still = missingTools();
  if (still.length > 0) {
    console.error('ensure-test-tools: the tests need what is not here:');
    for (const tool of still) console.error(`  ${tool.what} (Debian: ${tool.packages.join(', ')})`);
    console.error('Install it, on Debian by `sudo apt-get install chromium xvfb libvulkan1`, and run the tests again.');
    process.exit(1);
  }
}
