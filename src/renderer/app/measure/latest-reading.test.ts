import { expect, test } from 'vitest';
import { createAppStore } from '../state/store.ts';
import { LatestReading } from './latest-reading.ts';

function setUp() {
  const store = createAppStore();
  const ends: ((found: string) => void)[] = [];
  const shown: (string | undefined)[] = [];
  new LatestReading<string>(store, {
    follows: ['secondName'],
    keyOf: (state) => state.secondName,
    read: () => new Promise((end) => ends.push(end)),
    show: (found) => shown.push(found),
  });
  const end = async (at: number, found: string) => {
    ends[at]?.(found);
    await new Promise((done) => setTimeout(done));
  };
  return { ends, shown, end, want: (secondName: string) => store.setState({ secondName }) };
}

test('while the key changes, what was read last is shown', async () => {
  const { ends, shown, end, want } = setUp();
  want('a');
  want('b');
  await end(0, 'A');
  await end(1, 'B');
  expect([shown, ends.length]).toEqual([['A', 'B'], 2]);
});

test('a result from before there was nothing to read is not shown, and the same key is read again', async () => {
  const { ends, shown, end, want } = setUp();
  want('a');
  want('');
  want('a');
  await end(0, 'of the closed volume');
  expect([shown, ends.length]).toEqual([[undefined], 2]);
  await end(1, 'of the new one');
  expect(shown).toEqual([undefined, 'of the new one']);
});
