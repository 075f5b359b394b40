// Finds tools that are no npm packages. On Debian and its derivatives it installs what is missing, if it may.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const hasCommand = (...names) =>
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
export const hasLibrary = (name) =>
  libraryFolders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [
      folder,
      ...readdirSync(folder)
        .filter((entry) => entry.endsWith('-linux-gnu'))
        .map((entry) => join(folder, entry)),
    ])
    .some((folder) => existsSync(join(folder, name)));

function run(name, command, args) {
  console.log(`${name}: ${[command, ...args].join(' ')}`);
  return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0;
}

/** How to run apt-get: as root, or by sudo without a password; undefined if neither works. */
function aptPrefix() {
  if (!hasCommand('apt-get')) return undefined;
  if (process.getuid?.() === 0) return [];
  const free = hasCommand('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0;
  return free ? ['sudo', '-n', 'DEBIAN_FRONTEND=noninteractive'] : undefined;
}

function install(name, missing) {
  const prefix = aptPrefix();
  if (!prefix) return;
  const packages = [...new Set(missing.flatMap((tool) => tool.packages))];
  console.log(`${name}: installing ${packages.join(', ')}, which the tests need`);
  const apt = (...args) => {
    const [command, ...rest] = [...prefix, 'apt-get', ...args];
    return run(name, command, rest);
  };
  apt('update', '-qq');
  apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
}

/**
 * Installs the tools that are missing, where it can.
 * @param name of the calling script
 * @param tools what each is called, its Debian packages, and a function that tells whether it is there
 * @returns the tools that are still missing
 */
export function installTools(name, tools) {
  const missingTools = () => tools.filter((tool) => !tool.found());
  const missing = missingTools();
  if (missing.length > 0) install(name, missing);
  return missingTools();
}

/** Installs the tools that are missing, or ends the process with a list of them. Parameters as for `installTools`. */
export function ensureTools(name, tools) {
  const still = installTools(name, tools);
  if (still.length === 0) return;
  console.error(`${name}: the tests need what is not here:`);
  for (const tool of still) console.error(`  ${tool.what} (Debian: ${tool.packages.join(', ')})`);
  const packages = [...new Set(still.flatMap((tool) => tool.packages))].join(' ');
  console.error(`Install it, on Debian by \`sudo apt-get install ${packages}\`, and run the tests again.`);
  process.exit(1);
}
