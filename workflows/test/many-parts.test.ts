import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measured, testFolders } from '../../src/cli/cli-testing.ts';
import { createCpuBackend } from '../../src/core/cpu/cpu-backend.ts';
import { inlinePool } from '../../src/core/cpu/inline-pool.ts';
import type { OpenVolume } from '../../src/core/io/common/volume-reader.ts';
import { memorySink } from '../../src/core/shared/bytes.ts';
import type { PartChoice } from '../../src/core/shared/part-choice.ts';
import { compressVolume } from '../../src/core/stream/compress/compress.ts';
import { auto, infoOf } from '../../src/core/stream/engine-testing.ts';
import { rawSource } from '../../src/core/stream/memory-volume.ts';

const { at } = testFolders();
const backend = createCpuBackend(inlinePool());

/** Number of parts. More of them, for docs/SCALE.md: STRIA_PARTS=100000. */
const partCount = Number(process.env.STRIA_PARTS ?? 10_000);
const side = 64;

/** A volume with a layer of one chunk for each part, made when it is read. */
const volume: OpenVolume = {
  info: infoOf([side, side, partCount, 1], 'u8'),
  format: 'raw',
  voxels() {
    throw new Error('it is read at random');
  },
  async fill(target, start) {
    for (let at = 0; at < target.length; at++)
      target[at] = (((start + at) * 2654435761) >>> 28) + (Math.floor((start + at) / 4096) % 100);
  },
  source: async () => rawSource('many.raw'),
};

async function compressed(part?: PartChoice): Promise<Uint8Array> {
  const sink = memorySink();
  await compressVolume(volume, sink, { backend, choice: auto, chunkShape: [side, side, 1], part });
  return sink.bytes();
}

test(`${partCount} parts are merged within 1 GiB`, async () => {
  mkdirSync(at('parts'));
  for (let number = 1; number <= partCount; number++) {
    writeFileSync(join(at('parts'), `${String(number).padStart(6, '0')}.stria`), await compressed({ number, of: partCount }));
  }
  const { code, stdout, stderr, peakMiB } = await measured('merge', at('parts'), '-o', at('merged.stria'), '--json');
  expect(code, stderr).toBe(0);
  const whole = await compressed();
  expect(readFileSync(at('merged.stria')).equals(whole)).toBe(true);
  const { bytesOut, timesMs } = JSON.parse(stdout);
  console.log(`${partCount} parts, ${bytesOut} bytes: ${Math.round(peakMiB)} MiB,`, timesMs);
  expect(peakMiB).toBeLessThan(1024);
});
