import { expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { type ByteStream, pieceBytes, plainBytes } from './byte-stream.ts';
import { faultOf, noise, readVoxels, trickling } from './source-testing.ts';
import { volumeAt } from './stored-volume.ts';

const info: VolumeInfo = {
  dims: [3, 2, 1, 6],
  type: 'u16',
  spacing: [1, 1, 1, 1],
  spatialUnit: 'mm',
  timeUnit: 'unknown',
  affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
  slope: 1,
  intercept: 0,
};

function opened(stream: ByteStream, volume = info, samples = 3, endian: 'little' | 'big' = 'little') {
  const parts = (after: Uint8Array) => [{ name: 'a', before: new Uint8Array(5), hasVoxels: true, after }];
  return volumeAt({ info: volume, format: 'mha', endian, stream, start: 5, parts }, { samples });
}

/** Value c at place p and time i, of two, is p + 6 i + 100 c. */
const values = (c: number) => Array.from({ length: 12 }, (_, place) => place + 100 * c);

test.each(['little', 'big'] as const)('samples are separated by kind: %s-endian', async (endian) => {
  const view = new DataView(new ArrayBuffer(5 + 72 + 2));
  for (let place = 0; place < 12; place++) {
    for (let c = 0; c < 3; c++) view.setUint16(5 + 2 * (3 * place + c), place + 100 * c, endian === 'little');
  }
  const source = trickling(memorySource('a', new Uint8Array(view.buffer)), 7);
  const volume = opened(plainBytes(source), info, 3, endian);
  const read = await readVoxels(volume);
  expect([...new Uint16Array(read.buffer)]).toEqual([values(0), values(1), values(2)].flat());
  expect(await readVoxels(volume)).toEqual(read);
  expect(await volume.source()).toMatchObject({ stored: { samples: 3 }, parts: [{ after: new Uint8Array(2) }] });
});

test('samples that do not fit into memory are read in several passes', async () => {
  // Four samples of 100 MiB: one is returned directly and two are held, so there are two passes.
  const side = 100 * 2 ** 20;
  const large: VolumeInfo = { ...info, dims: [2 ** 20, 100, 1, 4], type: 'u8' };
  let passes = 0;
  const block = noise(pieceBytes);
  const stream: ByteStream = {
    size: 5 + 4 * side,
    sizeLimit: 5 + 4 * side,
    async *pieces() {
      passes++;
      for (let at = 0; at < 4 * side; at += block.byteLength) yield block.subarray(0, 4 * side - at);
    },
    read: async () => new Uint8Array(),
  };
  let length = 0;
  const firsts: number[] = [];
  for await (const piece of opened(stream, large, 4).voxels()) {
    if (length % side === 0) firsts.push(piece[0] as number);
    length += piece.byteLength;
  }
  expect(passes).toBe(2);
  expect(length).toBe(4 * side);
  expect(firsts).toEqual([...block.subarray(0, 4)]);
});

test('a file that ends early and a wrong number of samples are refused', async () => {
  expect(() => opened(plainBytes(memorySource('a', noise(76))))).toThrow(/ends early/);
  expect(() => opened(plainBytes(memorySource('a', noise(77))), info, 4)).toThrow(/6 time points/);
  const liar = { ...plainBytes(memorySource('a', noise(40))), size: undefined, sizeLimit: 1000 };
  expect(await faultOf(readVoxels(opened(liar)))).toMatchObject({ tag: 'corrupt' });
});
