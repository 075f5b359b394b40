import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createTerminal } from './terminal.ts';

/** Asks on a terminal on which the user types `typed`. Ctrl-D ends the input. */
async function asked(typed: string): Promise<boolean | undefined> {
  const [given, shown] = [new PassThrough(), new PassThrough()].map((stream) => Object.assign(stream, { isTTY: true }));
  const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(given as never);
  const stderr = vi.spyOn(process, 'stderr', 'get').mockReturnValue(shown as never);
  try {
    const answer = createTerminal({ json: false, quiet: false }).ask('Remove it?', AbortSignal.timeout(2000));
    given?.end(typed);
    return await answer;
  } finally {
    stdin.mockRestore();
    stderr.mockRestore();
  }
}

test.each([
  ['y\n', true],
  ['Yes\n', true],
  ['n\n', false],
  ['\n', false],
  ['', false],
])('the answer %j means %s', async (typed, answer) => {
  expect(await asked(typed)).toBe(answer);
});
