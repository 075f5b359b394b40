import { spawnSync } from 'node:child_process';
import { fail, root } from './tally.mjs';

/** Many losses in src/core/stream/device-loss.gpu.test.ts, which prints how they ended. */
export function devices({ count }) {
  const test = ['vitest', 'run', '--project', 'gpu', 'src/core/stream/device-loss.gpu.test.ts', '--testTimeout', '600000'];
  const { status } = spawnSync(process.execPath, ['scripts/with-gpu.mjs', 'npx', ...test], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, STRIA_SOAK_COUNT: String(count) },
  });
  if (status !== 0) fail('devices: the test failed');
}
