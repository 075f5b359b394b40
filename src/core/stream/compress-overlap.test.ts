import { expect, test } from 'vitest';
import type { Backend } from '../chunks/backend.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { memorySink } from '../shared/bytes.ts';
import { nextTurn } from '../shared/turn.ts';
import { compressVolume } from './compress.ts';
import { infoOf, only, voxelsOf } from './engine-testing.ts';
import { memoryVolume } from './memory-volume.ts';

/** Eight layers of one slab each. */
const info = infoOf([64, 64, 512, 1], 'u8');
const voxels = voxelsOf(info, 'blobs');
const cpu = createCpuBackend(inlinePool());

/** Waits for a condition for a while, and returns whether it became true. */
async function comes(condition: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 200 && !condition(); turn++) await nextTurn();
  return condition();
}

test.each([true, false])(
  'the next slab is read during an encode, by a random-access reader (%s) or from a stream',
  async (isDirect) => {
    let readBytes = 0;
    const inMemory = memoryVolume(info, voxels);
    const volume = {
      ...inMemory,
      async *voxels() {
        for await (const piece of inMemory.voxels()) {
          for (let at = 0; at < piece.byteLength; at += 2 ** 18) {
            const part = piece.slice(at, at + 2 ** 18);
            readBytes += part.byteLength;
            yield part;
          }
        }
      },
      ...(isDirect && {
        async fill(target: Uint8Array<ArrayBuffer>, start: number) {
          target.set(voxels.subarray(start, start + target.byteLength));
          readBytes = start + target.byteLength;
        },
      }),
    };
    let encodedBytes = 0;
    const early: boolean[] = [];
    const backend: Backend = {
      ...cpu,
      maxBoxBytes: 2 ** 18,
      async encode(box, ...others) {
        encodedBytes += box.bytes.byteLength;
        early.push(await comes(() => readBytes > encodedBytes));
        return cpu.encode(box, ...others);
      },
    };
    await compressVolume(volume, memorySink(), { backend, choice: only('rle') });
    expect(early).toEqual([...Array(7).fill(true), false]);
  },
);

test('chunks are written while the next ones are encoded', async () => {
  let encodings = 0;
  let isEarly: boolean | undefined;
  const backend: Backend = {
    ...cpu,
    maxBoxBytes: 2 ** 18,
    encode(...given) {
      encodings++;
      return cpu.encode(...given);
    },
  };
  const sink = memorySink();
  const slow = {
    ...sink,
    async write(bytes: Uint8Array) {
      // The sink blocks on the first chunk until the second slab is being encoded.
      if (encodings > 0) isEarly ??= await comes(() => encodings > 1);
      await sink.write(bytes);
    },
  };
  await compressVolume(memoryVolume(info, voxels), slow, { backend, choice: only('rle') });
  expect(isEarly).toBe(true);
});
