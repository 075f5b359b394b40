// Makes out/ self-contained: makes the command executable, marks the files as modules, and fails the build if a bundle needs
// node_modules (except `webgpu` and `electron`).
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const out = fileURLToPath(new URL('../out', import.meta.url));
const cli = join(out, 'main', 'cli.js');

if (!readFileSync(cli, 'utf8').startsWith('#!/usr/bin/env node\n')) throw new Error(`${cli} lost its first line in the build`);
chmodSync(cli, 0o755);
writeFileSync(join(out, 'package.json'), `${JSON.stringify({ private: true, type: 'module' }, null, 2)}\n`);

const allowed = new Set(['webgpu', 'electron', ...builtinModules]);
const imports = /(?:^|[;\s}])(?:import|export)\s*(?:[\w*{][^'";]*?from\s*)?["']([^"'\n]+)["']|\bimport\(\s*["']([^"'\n]+)["']/g;
for (const name of readdirSync(join(out, 'main'), { recursive: true })) {
  const path = join(out, 'main', String(name));
  if (!path.endsWith('.js')) continue;
  for (const [, fromStatement, fromCall] of readFileSync(path, 'utf8').matchAll(imports)) {
    const specifier = fromStatement ?? fromCall;
    if (!specifier.startsWith('.') && !specifier.startsWith('node:') && !allowed.has(specifier)) {
      console.error(`finish-build: ${path} imports '${specifier}', which is not in out/. Bundle it: see electron.vite.config.ts`);
      process.exitCode = 1;
    }
  }
}
