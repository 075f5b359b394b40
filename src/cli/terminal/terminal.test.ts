import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createTerminal } from './terminal.ts';

/** Asks questions on a terminal on which the user types `typed`. Ctrl-D ends the input. */
async function asked(typed: string, questions = 1): Promise<(boolean | undefined)[]> {
  const [given, shown] = [new PassThrough(), new PassThrough()].map((stream) => Object.assign(stream, { isTTY: true }));
  const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(given as never);
  const stderr = vi.spyOn(process, 'stderr', 'get').mockReturnValue(shown as never);
  try {
    const terminal = createTerminal({ json: false, quiet: false });
    const answers: (boolean | undefined)[] = [];
    for (let question = 0; question < questions; question++) {
      const answer = terminal.ask('Remove it?', new AbortController().signal);
      if (question === 0) given?.end(typed);
      answers.push(await answer);
    }
    return answers;
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
  expect(await asked(typed)).toEqual([answer]);
});

test('after Ctrl-D, further questions mean no, too', async () => {
  expect(await asked('', 2)).toEqual([false, false]);
});
