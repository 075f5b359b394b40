import { expect, test } from 'vitest';
import { ErrorLog } from './error-log.ts';

test('the last uncaught errors are kept', () => {
  const listeners = new Map<string, (event: unknown) => void>();
  const log = new ErrorLog();
  log.watch({ addEventListener: (name: string, listener: never) => void listeners.set(name, listener) } as never);
  listeners.get('error')?.({ error: undefined, message: 'Script error.' });
  for (let count = 0; count < 30; count++) listeners.get('unhandledrejection')?.({ reason: new Error(`number ${count}`) });
  listeners.get('error')?.({ error: 'x'.repeat(10_000), message: '' });
  expect(log.entries).toHaveLength(20);
  expect(log.entries.at(-2)?.text).toContain('number 29');
  expect(log.entries.at(-1)?.text).toHaveLength(2000);
});
