// Builds the library into out/lib, with the types that its doors refer to and no others.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('out/lib', { recursive: true, force: true });
await build({ configFile: 'lib.config.ts' });

const made = 'node_modules/.cache/lib-types';
rmSync(made, { recursive: true, force: true });
rmSync('node_modules/.cache/tsconfig.lib.tsbuildinfo', { force: true });
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.lib.json'], { stdio: 'inherit' });
const found = new Set(['lib/index.d.ts', 'lib/zarr.d.ts']);
for (const path of found) {
  const text = readFileSync(join(made, path), 'utf8');
  for (const [, to] of text.matchAll(/(?:from |import\()["'](\.[^"']+)\.ts["']/g))
    found.add(`${normalize(join(dirname(path), to))}.d.ts`);
  const target = join('out/lib/types', path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text.replace(/(["']\.[^"']+)\.ts(["'])/g, '$1.js$2'));
}
