import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { repeatProgram, runProgram } from './run-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const { signal } = new AbortController();

test.skipIf(process.platform === 'win32')('a program has no result if a later run exceeds the limit', async () => {
  const mark = join(folder, 'mark');
  const call = { args: ['-c', 'if [ -e "$0" ]; then exec sleep 600; fi; : >"$0"', mark] };
  expect(await repeatProgram('sh', call, { signal, limitMs: 2000, mostRuns: 15 })).toBeUndefined();
  expect(existsSync(mark)).toBe(true);
});

test.skipIf(process.platform === 'win32')(
  'a program that ignores SIGTERM is killed at the limit',
  { timeout: 20_000 },
  async () => {
    const call = { args: ['-c', 'trap "" TERM; sleep 600'] };
    expect(await runProgram('sh', call, signal, 300)).toBeUndefined();
  },
);

test.skipIf(process.platform === 'win32')('nothing is killed after a program that was stopped twice has ended', async () => {
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  try {
    const stopped = join(folder, 'stopped');
    const call = { args: ['-c', 'trap ": >$0; sleep 0.6; exit" TERM; sleep 600 & wait', stopped] };
    const cancel = new AbortController();
    const watch = setInterval(() => existsSync(stopped) && cancel.abort(), 5);
    await expect(runProgram('sh', call, cancel.signal, 1500)).rejects.toThrow();
    clearInterval(watch);
    const graces = set.mock.results.filter((_, at) => set.mock.calls[at]?.[1] === 1000).map(({ value }) => value);
    expect(graces.length).toBeGreaterThan(0);
    for (const timer of graces) expect(clear).toHaveBeenCalledWith(timer);
  } finally {
    vi.restoreAllMocks();
  }
});

test.runIf(process.platform === 'linux')('at the limit, a child in a group of its own is not waited for', async () => {
  const child = join(folder, 'child');
  const call = { args: ['-c', 'trap "" TERM; setsid sh -c \'echo $$ >"$0"; exec sleep 600\' "$0"; true', child] };
  expect(await runProgram('sh', call, signal, 1500)).toBeUndefined();
  // Throws if the child has ended.
  process.kill(Number(readFileSync(child, 'utf8')), 'SIGKILL');
});

test.runIf(process.platform === 'linux')(
  'at the limit, a program may have ended and left a child in a group of its own',
  async () => {
    const call = { args: ['-c', 'setsid sleep 20 &'] };
    expect(await runProgram('sh', call, signal, 300)).toBeUndefined();
  },
);

test.skipIf(process.platform === 'win32')('the time includes the sync of all that a program writes', async () => {
  const output = join(folder, 'output');
  mkdirSync(output);
  const probe = await open(join(folder, 'probe'), 'w');
  const sync = vi.spyOn(Object.getPrototypeOf(probe), 'sync').mockImplementation(() => {
    return new Promise((resolve) => setTimeout(resolve, 200));
  });
  await probe.close();
  try {
    const run = await runProgram('sh', { args: ['-c', ': >"$0/a"; : >"$0/b"', output], output }, signal);
    expect(sync).toHaveBeenCalledTimes(2);
    expect(run?.wallMs).toBeGreaterThan(390);
  } finally {
    vi.restoreAllMocks();
  }
});
