import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { watchHang } from './window-hang.ts';

function hangingPage() {
  const contents = Object.assign(new EventEmitter(), { forcefullyCrashRenderer: vi.fn(), isDestroyed: () => false });
  const questions: { readonly signal: AbortSignal; readonly answer: (ends: boolean) => void }[] = [];
  const wasEnded = watchHang(contents, (signal) => new Promise((answer) => questions.push({ signal, answer })));
  const answer = async (at: number, ends: boolean) => {
    questions[at]?.answer(ends);
    await new Promise((done) => setTimeout(done));
  };
  return { contents, questions, answer, wasEnded };
}

test('a page that hangs is ended if the user says so, and counts as a new page after it was reloaded', async () => {
  const { contents, questions, answer, wasEnded } = hangingPage();
  contents.emit('unresponsive');
  contents.emit('unresponsive');
  expect(questions).toHaveLength(1);
  await answer(0, true);
  expect(contents.forcefullyCrashRenderer).toHaveBeenCalledOnce();
  expect(wasEnded()).toBe(true);
  contents.emit('did-finish-load');
  expect(wasEnded()).toBe(false);
});

test('a user who chose to wait is asked again when the page hangs again', async () => {
  const { contents, questions, answer } = hangingPage();
  contents.emit('unresponsive');
  await answer(0, false);
  contents.emit('unresponsive');
  expect(questions).toHaveLength(2);
  expect(contents.forcefullyCrashRenderer).not.toHaveBeenCalled();
});

test.each(['responsive', 'render-process-gone', 'destroyed'])(
  'the question goes with %s, and its answer counts no more',
  async (event) => {
    const { contents, questions, answer, wasEnded } = hangingPage();
    contents.emit('unresponsive');
    contents.emit(event);
    expect(questions[0]?.signal.aborted).toBe(true);
    await answer(0, true);
    expect(contents.forcefullyCrashRenderer).not.toHaveBeenCalled();
    expect(wasEnded()).toBe(false);
  },
);
