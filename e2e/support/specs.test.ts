import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('Node can load every browser test: none imports a shader, which only the build reads', () => {
  const list = execFileSync(
    process.execPath,
    ['node_modules/playwright/cli.js', 'test', '--list', '--project=web', '--project=desktop'],
    {
      encoding: 'utf8',
    },
  );
  expect(Number(/Total: (\d+) tests/.exec(list)?.[1])).toBeGreaterThan(100);
});
