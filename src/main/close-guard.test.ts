import { expect, test, vi } from 'vitest';
import type { UnfinishedKind } from '../core/shared/ipc.ts';
import { createCloseGuard } from './close-guard.ts';

function guarded(kinds: UnfinishedKind[]) {
  const answers: ((leaves: boolean) => void)[] = [];
  const ask = vi.fn(() => new Promise<boolean>((answer) => answers.push(answer)));
  const [leave, stay] = [vi.fn(), vi.fn()];
  const onClose = createCloseGuard({ unfinished: () => kinds, ask, leave, stay });
  const close = () => {
    const event = { preventDefault: vi.fn() };
    onClose(event);
    return event.preventDefault.mock.calls.length > 0 ? 'kept' : 'closed';
  };
  return { ask, leave, stay, close, answer: (leaves: boolean) => answers.shift()?.(leaves) };
}

test('a window with nothing unfinished closes without a question', () => {
  const { ask, close } = guarded([]);
  expect(close()).toBe('closed');
  expect(ask).not.toHaveBeenCalled();
});

test('it stays open while the user is asked once, and after a refusal; the next close asks again', async () => {
  const { ask, leave, stay, close, answer } = guarded(['saving']);
  expect([close(), close()]).toEqual(['kept', 'kept']);
  expect(ask).toHaveBeenCalledExactlyOnceWith(['saving']);
  answer(false);
  await vi.waitFor(() => expect(stay).toHaveBeenCalledOnce());
  expect(close()).toBe('kept');
  expect(ask).toHaveBeenCalledTimes(2);
  answer(true);
  await vi.waitFor(() => expect(leave).toHaveBeenCalledOnce());
});

test('work that ends while the question is open no longer keeps the window', () => {
  const kinds: UnfinishedKind[] = ['saving'];
  const { close } = guarded(kinds);
  expect(close()).toBe('kept');
  kinds.pop();
  expect(close()).toBe('closed');
});
