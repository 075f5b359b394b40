import { afterEach, expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { StriaError } from '../shared/errors.ts';
import { finished } from './bricks-testing.ts';
import { ComputedBricks } from './computed-bricks.ts';
import { lookAround } from './looking-around.ts';

const gpu = await openTestGpu();
afterEach(() => finished(gpu));

/** For an hour: STRIA_WALK_FRAMES=216000 npx vitest run --project gpu src/core/bricks/looking-around.gpu.test.ts */
const frames = Number(process.env.STRIA_WALK_FRAMES ?? 120);

test(
  'a walk through 1 TiB keeps within its budgets although reads fail, and leaves nothing behind',
  async () => {
    let reads = 0;
    const source = new ComputedBricks(10_322, 64, async () => {
      if (++reads % 10 === 0) throw new StriaError('not-readable', 'the server dropped it');
    });
    const report = await lookAround(gpu, source, {
      frames,
      reach: 2,
      host: { bytes: 2 ** 22, retryMs: 1 },
      gpu: { payloadBytes: 2 ** 22, atlasBytes: 80 * 2 ** 18, bricksPerUpdate: 16 },
    });
    expect(report.decoded).toBeGreaterThan(20);
    expect(report.failed).toBe(0);
    expect(report.hostBytes).toBeLessThanOrEqual(2 ** 22);
    expect(report.hostBytes).toBeGreaterThan(2 ** 20);
    // The table of 4.8 million bricks takes 18 MiB.
    expect(report.gpuBytes).toBeLessThan(2 ** 22 + 80 * 2 ** 18 + 40 * 2 ** 20);
  },
  Math.max(120_000, 250 * frames),
);
