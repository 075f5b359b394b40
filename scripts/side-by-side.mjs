// Runs several npm scripts at once, so that no core is idle: `node scripts/side-by-side.mjs lint "test:python -- --if-possible"`.
// An argument such as "types && npm run fuzz" is two scripts, one after the other. Prints the output of each argument when it ends.
// Fails if one of them fails, after all have ended. A signal that would end this process ends them.
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';

const isWindows = process.platform === 'win32';
const children = new Set();

const run = async (words) => {
  const started = performance.now();
  // The shell joins both streams, which keeps the order of their lines. Its process group holds all that the script starts.
  const options = { shell: true, stdio: ['ignore', 'pipe', 'inherit'], detached: !isWindows };
  const child = spawn(`(npm run --silent ${words}) 2>&1`, options);
  children.add(child);
  const ended = new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  const [output, code] = await Promise.all([buffer(child.stdout), ended]);
  children.delete(child);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  process.stdout.write(`\n> npm run ${words}\n${output}`);
  console.log(code === 0 ? `> passed after ${seconds} s` : `> FAILED with exit code ${code} after ${seconds} s: ${words}`);
  return { words, code };
};

let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    // A second signal ends also what ignores the first.
    const sent = isEnding ? 'SIGKILL' : signal;
    isEnding = true;
    for (const child of children) {
      try {
        if (isWindows) child.kill();
        else process.kill(-child.pid, sent);
      } catch {
        // It has ended meanwhile.
      }
    }
  });

const failed = (await Promise.all(process.argv.slice(2).map(run))).filter(({ code }) => code !== 0);
if (failed.length > 0) console.error(`side-by-side: failed: ${failed.map(({ words }) => words).join(', ')}`);
// Not `exit`, which may cut off output into a pipe. What was ended by a signal has failed, whatever its exit code.
if (failed.length > 0 || isEnding) process.exitCode = 1;
