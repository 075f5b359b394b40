import { expect, test } from 'vitest';
import { removed } from './browser-sinks.ts';

test('a file that the browser still holds is removed once it lets go; another fault ends it', async () => {
  const tries: string[] = [];
  const refusing = (...names: string[]) => {
    tries.length = 0;
    return async () => {
      const name = names.shift();
      tries.push(name ?? 'removed');
      if (name) throw new DOMException('', name);
    };
  };
  await removed(refusing('NoModificationAllowedError', 'NoModificationAllowedError'));
  expect(tries).toEqual(['NoModificationAllowedError', 'NoModificationAllowedError', 'removed']);
  await removed(refusing('NotFoundError'));
  expect(tries).toEqual(['NotFoundError']);
  await removed(refusing(...Array<string>(20).fill('NoModificationAllowedError')));
  expect(tries).toHaveLength(10);
});
