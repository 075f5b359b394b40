// Writes the licences of everything that the bundles contain to third-party-notices.txt: in out/renderer for About, in out/share for the
// command. Fails if a package has no known licence.
//   The packages are those that rooms may import (scripts/rooms.mjs), with what they depend on in turn.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rooms } from './rooms.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const tools = new Set(['testing', 'fuzz', 'shaders/build']);
/** Not in any bundle: Electron brings its own notices, webgpu is installed beside the command. */
const apart = new Set(['electron', 'webgpu']);
/** Their licence is a text of their own, which was read. */
const ownText = new Set(['h5wasm']);
const accepted =
  /^\(?((MIT|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|MPL-2\.0|BlueOak-1\.0\.0|Unlicense|Zlib|Python-2\.0|CC0-1\.0)( AND | OR )?)+\)?$/;

/** The key in package-lock.json of a package that another one requires. */
function found(name, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const key = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[key]) return key;
    if (folder === '') return undefined;
  }
}

const own = rooms
  .filter(({ room }) => !tools.has(room))
  .flatMap(({ packages: names = '' }) => names.split(' '))
  .filter((name) => name && !name.startsWith('node:') && !apart.has(name));
const shipped = new Set(own.map((name) => found(name, '')));
for (const key of shipped) {
  for (const name of Object.keys(packages[key]?.dependencies ?? {})) {
    const next = found(name, key);
    if (next && !name.startsWith('@types/')) shipped.add(next);
  }
}

const notices = [...shipped]
  .filter(Boolean)
  .sort()
  .map((key) => {
    const folder = join(root, key);
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (typeof license !== 'string' || (!accepted.test(license) && !ownText.has(name))) {
      console.error(
        `notices: ${name} ${version} has the licence '${JSON.stringify(license)}', which is not in the list of scripts/notices.mjs`,
      );
      process.exitCode = 1;
    }
    const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
    return `${name} ${version}\nLicence: ${license}\n\n${texts.join('\n\n')}`.trim();
  });
const line = `\n\n${'-'.repeat(78)}\n\n`;
const head = 'Stria contains the packages below. Their authors hold the copyright.';
for (const folder of ['renderer', 'share']) {
  const out = join(root, 'out', folder);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'third-party-notices.txt'), `${[head, ...notices].join(line)}\n`);
}
console.log(`Licences of ${notices.length} packages are in third-party-notices.txt.`);
