// The unit tests run the built command, its threads and the library. Says so if there is no build.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const needed = [
  'main/cli.js',
  'main/cpu-worker.js',
  'main/gpu-probe.js',
  'main/sample-worker.js',
  'preload/index.cjs',
  'renderer/index.html',
  'lib/index.js',
];
const missing = needed.filter((name) => !existsSync(fileURLToPath(new URL(`../out/${name}`, import.meta.url))));
if (missing.length > 0) {
  console.error('The unit tests run what is built: run `npm run build` first.');
  process.exit(1);
}
