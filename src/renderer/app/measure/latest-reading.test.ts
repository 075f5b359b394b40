import { expect, test } from 'vitest';
import { createAppStore } from '../state/store.ts';
import { LatestReading } from './latest-reading.ts';

function setUp() {
  const store = createAppStore();
  const ends: ((found: string | Promise<string>) => void)[] = [];
  const shown: (string | undefined)[] = [];
  const faults: (string | undefined)[] = [];
  new LatestReading<string>(store, {
    follows: ['secondName'],
    keyOf: (state) => state.secondName,
    read: () => new Promise((end) => ends.push(end)),
    show: (found, fault) => {
      shown.push(found);
      faults.push(fault?.message);
    },
  });
  const end = async (at: number, found: string | Promise<string>) => {
    ends[at]?.(found);
    await new Promise((done) => setTimeout(done));
  };
  return { ends, shown, faults, end, want: (secondName: string) => store.setState({ secondName }) };
}

test('while the key keeps changing, the last result is shown', async () => {
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

test('a failure is shown unless the key has changed since, and the next result replaces it', async () => {
  const { shown, faults, end, want } = setUp();
  want('a');
  await end(0, Promise.reject(new Error('the file is gone')));
  expect([shown, faults]).toEqual([[undefined], ['the file is gone']]);
  want('b');
  want('c');
  await end(1, Promise.reject(new Error('nobody waits for it')));
  expect(shown).toHaveLength(1);
  await end(2, 'C');
  expect([shown, faults]).toEqual([
    [undefined, 'C'],
    ['the file is gone', undefined],
  ]);
});
