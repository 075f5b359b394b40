// Ranks surveys by src/core/chunks/auto.ts. Reads them as JSON from standard input, and writes names and costs.

import { dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const load = async (path, plugins = []) =>
  (await runnerImport(resolve(root, path), { root, configFile: false, logLevel: 'error', plugins })).module;
const { assemblyModules } = await load('assembly.config.ts');
const { rank } = await load('src/core/chunks/auto.ts', [assemblyModules()]);

const found = JSON.parse(await text(process.stdin)).map(({ surveyed, chunk, options, arguments: numbers }) => ({
  ranked: rank(surveyed, chunk, options).map(({ codec, second, cost }) => [codec.name, second?.name ?? null, cost]),
  expm1: numbers.map(Math.expm1),
}));
process.stdout.write(JSON.stringify(found));
