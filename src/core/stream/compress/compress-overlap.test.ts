import { expect, test } from 'vitest';
import type { Backend } from '../../chunks/backend.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { memorySink } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { nextTurn } from '../../shared/turn.ts';
import { infoOf, only, voxelsOf, watchedSink } from '../engine-testing.ts';
import { memoryVolume } from '../memory-volume.ts';
import { compressVolume } from './compress.ts';

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

test('a level is encoded beside the next box of the volume', async () => {
  // Five slabs of zeros. After four of them a run of the first level is complete.
  const long = infoOf([1024, 1024, 320, 1], 'u8');
  let volumeBoxes = 0;
  const early: boolean[] = [];
  const backend: Backend = {
    ...cpu,
    halves: () => true,
    async encode({ dims }, chunks, _, { halving } = {}) {
      if (dims[0] === 1024) volumeBoxes++;
      if (dims[0] === 512) early.push(await comes(() => volumeBoxes === 5));
      halving?.onHalved([8, 64, 512].map((factor) => new Uint8Array(2 ** 26 / factor)));
      return chunks.map(() => ({ kind: 'constant', element: new Uint8Array(1), decodedChecksum: { sum: 0, cross: 0 } }));
    },
  };
  await compressVolume(memoryVolume(long, new Uint8Array(2 ** 20 * 320)), memorySink(), {
    backend,
    choice: only('rle'),
    levels: 'mean',
  });
  expect(early).toEqual([true, true]);
});

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

/** A backend that lends memory and takes two boxes at once. */
function lendingBackend(encode: Backend['encode']) {
  const lent = new Set<Uint8Array>();
  let most = 0;
  let running = 0;
  const backend: Backend = {
    ...cpu,
    maxBoxBytes: 2 ** 18,
    boxesAtOnce: 2,
    async borrowBytes(byteLength) {
      const bytes = new Uint8Array(byteLength);
      lent.add(bytes);
      return { bytes, release: () => void lent.delete(bytes) };
    },
    async encode(box, chunks, choice, job) {
      most = Math.max(most, ++running);
      try {
        return await encode(box, chunks, choice, job);
      } finally {
        running--;
      }
    },
  };
  return { backend, lent, most: () => most };
}

test('two boxes are encoded at once, and written in order', async () => {
  const payloads = new Set<object>();
  const { backend, lent, most } = lendingBackend(async (box, chunks, choice, job = {}) => {
    const first = job.firstChunk ?? 0;
    // The even ones are slower.
    for (let turn = 0; turn < (first % 2 === 0 ? 40 : 2); turn++) await nextTurn();
    const payload = {};
    payloads.add(payload);
    job.lend?.(() => void payloads.delete(payload));
    return cpu.encode(box, chunks, choice, job);
  });
  const sink = memorySink();
  await compressVolume(memoryVolume(info, voxels), sink, { backend, choice: only('rle') });
  const expected = memorySink();
  await compressVolume(memoryVolume(info, voxels), expected, { backend: cpu, choice: only('rle') });
  expect(sink.bytes()).toEqual(expected.bytes());
  expect(most()).toBe(2);
  expect(lent.size).toBe(0);
  expect(payloads.size).toBe(0);
});

test('chunks of a box are not written before those of the box before it, however long that takes', async () => {
  const { backend } = lendingBackend(async (box, chunks, choice, job = {}) => {
    const wait = { 0: 800, 1: 600 }[job.firstChunk ?? 0];
    if (wait) await new Promise((done) => setTimeout(done, wait));
    return cpu.encode(box, chunks, choice, job);
  });
  const sink = memorySink();
  await compressVolume(memoryVolume(info, voxels), sink, { backend, choice: only('rle') });
  const expected = memorySink();
  await compressVolume(memoryVolume(info, voxels), expected, { backend: cpu, choice: only('rle') });
  expect(sink.bytes()).toEqual(expected.bytes());
});

test.each([0, 3, 7])('if box %i fails, all lent memory is given back, and nothing goes on', async (failing) => {
  let ended = 0;
  const { backend, lent } = lendingBackend(async (box, chunks, choice, job = {}) => {
    await nextTurn();
    if (job.firstChunk === failing) throw new StriaError('device-lost', 'gone');
    const encoded = await cpu.encode(box, chunks, choice, job);
    ended++;
    return encoded;
  });
  const sink = watchedSink();
  const work = compressVolume(memoryVolume(info, voxels), sink, { backend, choice: only('rle') });
  await expect(work).rejects.toMatchObject({ tag: 'device-lost' });
  expect(lent.size).toBe(0);
  const endedThen = ended;
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(ended).toBe(endedThen);
  expect([sink.aborted, sink.closed]).toEqual([1, 0]);
});

test('if a write fails, lent payloads are given back', async () => {
  let payloads = 0;
  const { backend, lent } = lendingBackend((box, chunks, choice, job = {}) => {
    payloads++;
    job.lend?.(() => void payloads--);
    return cpu.encode(box, chunks, choice, job);
  });
  const work = compressVolume(memoryVolume(info, voxels), watchedSink(2000), { backend, choice: only('raw') });
  await expect(work).rejects.toThrow();
  expect([lent.size, payloads]).toEqual([0, 0]);
});

test('the backend gets ready for encoding once the first read has begun', async () => {
  const events: string[] = [];
  const inMemory = memoryVolume(info, voxels);
  const volume = {
    ...inMemory,
    async fill(target: Uint8Array<ArrayBuffer>, start: number) {
      events.push('read');
      target.set(voxels.subarray(start, start + target.byteLength));
    },
  };
  const backend: Backend = {
    ...cpu,
    maxBoxBytes: 2 ** 18,
    // Memory that a GPU lends comes after some turns.
    async borrowBytes(byteLength) {
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      return { bytes: new Uint8Array(byteLength), release() {} };
    },
    async prepareEncode() {
      events.push('prepare');
    },
  };
  await compressVolume(volume, memorySink(), { backend, choice: only('rle') });
  expect(events.slice(0, 2)).toEqual(['read', 'prepare']);
  expect(events.filter((event) => event === 'prepare')).toEqual(['prepare']);
});
