// Runs several npm scripts at once, so that no core is idle: `node scripts/side-by-side.mjs types "test:python -- --if-possible"`.
// Prints the output of each when it ends. Fails if one of them fails, after all have ended.
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';

const run = async (words) => {
  const started = performance.now();
  // The shell joins both streams, which keeps the order of their lines.
  const child = spawn(`npm run --silent ${words} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  const [output, code] = await Promise.all([buffer(child.stdout), ended]);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  process.stdout.write(`\n> npm run ${words}\n${output}`);
  console.log(code === 0 ? `> passed after ${seconds} s` : `> FAILED with exit code ${code} after ${seconds} s: ${words}`);
  return { words, code };
};
const failed = (await Promise.all(process.argv.slice(2).map(run))).filter(({ code }) => code !== 0);
if (failed.length > 0) {
  console.error(`side-by-side: failed: ${failed.map(({ words }) => words).join(', ')}`);
  process.exit(1);
}
