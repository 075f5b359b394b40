import { constants, deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { faultOf, noise } from '../common/source-testing.ts';
import { openVolume } from '../open-volume.ts';
import { h5wasm, hdf5File } from './h5-testing.ts';

const shorts = new Uint16Array(noise(5 * 7 * 6 * 2).buffer);
const shape = [5, 7, 6];

const patientMs = 30_000;

/** Opens the only volume and reads up to 4 MiB of it, within the time limit. */
async function read(bytes: Uint8Array, dataset?: string, ms = patientMs): Promise<void> {
  const deadline = performance.now() + ms;
  const signal = {
    get aborted() {
      return performance.now() > deadline;
    },
  } as AbortSignal;
  const volume = await openVolume(memorySource('a.h5', bytes), { dataset, signal });
  let given = 0;
  for await (const piece of volume.voxels({ signal })) {
    given += piece.byteLength;
    if (given > 4 * 2 ** 20) break;
  }
}

const file = await hdf5File((root) => {
  const group = root.create_group('entry');
  const data = group.create_dataset({ name: 'data', data: shorts, shape, chunks: [2, 3, 4], compression: 4 });
  data.create_attribute('element_size_um', [3, 0.5, 0.25], [3], '<d');
  data.create_attribute('units', 'counts');
});

test('a file truncated anywhere is refused', async () => {
  expect(await faultOf(read(file))).toBeUndefined();
  for (let length = 8; length < file.byteLength; length += 151) {
    expect((await faultOf(read(file.subarray(0, length))))?.tag).toMatch(/corrupt|unsupported/);
  }
});

test('deep groups and circular links come to an end', async () => {
  const deep = await hdf5File((root) => {
    let path = '';
    // Deeper than the reader goes. The time to make a group grows with its depth.
    for (let depth = 0; depth < 100; depth++) {
      path += '/g';
      root.create_group(path.slice(1));
    }
    root.create_hard_link('/g', `${path.slice(1)}/up`);
    root.create_soft_link('/a', 'b');
    root.create_soft_link('/b', 'a');
  });
  const fault = await faultOf(read(deep));
  expect(fault).toMatchObject({ tag: 'unsupported' });
  expect(fault?.message).toContain('no dataset');
});

test('unknown filters are refused, with their names', async () => {
  const old = await hdf5File(
    (root) => {
      root.create_dataset({ name: 'data', data: shorts, shape, chunks: [2, 3, 4], compression: 4 });
    },
    { libver: ['earliest', 'v114'] },
  );
  // The filter's name is preceded by its number, 1, the length of its name, flags and one value.
  const bytes = old.slice();
  const at = Buffer.from(bytes).indexOf('deflate') - 8;
  expect([...bytes.subarray(at, at + 8)]).toEqual([1, 0, 8, 0, 0, 0, 1, 0]);
  bytes[at] = 200;
  const fault = await faultOf(read(bytes, '/data'));
  expect(fault).toMatchObject({ tag: 'unsupported' });
  expect(fault?.message).toContain('filter deflate is not supported');
});

test('500 damaged files give typed faults or values', async () => {
  const allowed = new Set(['corrupt', 'unsupported', 'invalid-input', 'aborted', 'not-readable', 'out-of-memory', undefined]);
  const random = noise(500 * 8, 77);
  for (let number = 0; number < 500; number++) {
    const bits = random.subarray(number * 8, number * 8 + 8);
    const bytes = file.slice();
    const count = 1 + ((bits[0] as number) % 3);
    for (let more = 0; more < count; more++) {
      const at = (((bits[1 + more] as number) << 8) | (bits[2 + more] as number)) % bytes.length;
      bytes[at] =
        (bits[7] as number) < 128
          ? (bits[4 + more] as number)
          : ([0, 1, 0x7f, 0x80, 0xff][(bits[4 + more] as number) % 5] as number);
    }
    const fault = await faultOf(read(bytes, undefined, 250));
    if (!allowed.has(fault?.tag)) expect.fail(`mutant ${number}: ${fault?.tag} ${fault?.message}\n${fault?.stack}`);
  }
}, 120_000);

test('a chunk that unpacks to far more than it declares is refused within the memory that the library may have', async () => {
  // Noise, so that its compressed chunk is as long as it is; a bomb takes its place.
  const length = 2 ** 22;
  const bytes = await hdf5File((root) => {
    const data = noise(length, 5);
    root.create_dataset({ name: 'data', data, shape: [4, 1024, 1024], chunks: [4, 1024, 1024], compression: 1 });
  });
  const stream = Buffer.from(bytes).indexOf(Uint8Array.of(0x78, 0x01));
  expect(stream).toBeGreaterThan(0);
  const zeros = deflateRawSync(new Uint8Array(2 ** 25), { finishFlush: constants.Z_SYNC_FLUSH });
  let unpacked = 0;
  for (let at = stream + 2; at + zeros.byteLength < bytes.byteLength && unpacked < 3 * 2 ** 30; at += zeros.byteLength) {
    bytes.set(zeros, at);
    unpacked += 2 ** 25;
  }
  expect(unpacked).toBeGreaterThan(2 ** 31);
  const fault = await faultOf(read(bytes, '/data'));
  expect(fault).toMatchObject({ tag: 'corrupt' });
  expect(fault?.message).toContain('unpacks to far more than it declares');
  const { HEAPU8 } = (await h5wasm.ready) as unknown as { HEAPU8: Uint8Array };
  expect(HEAPU8.byteLength).toBeLessThanOrEqual(2 ** 30);
  // The library still reads other files.
  expect(await faultOf(read(file))).toBeUndefined();
});

test('chunks that declare more than 256 MiB are refused before they are read', async () => {
  const old = await hdf5File(
    (root) => {
      root.create_dataset({ name: 'data', data: shorts, shape, chunks: [2, 3, 4], compression: 4 });
    },
    { libver: ['earliest', 'v114'] },
  );
  const declared = (...lengths: readonly number[]) => Buffer.from(Uint32Array.from([...lengths, 2]).buffer);
  const at = Buffer.from(old).indexOf(declared(2, 3, 4));
  expect(at).toBeGreaterThan(0);
  const bytes = old.slice();
  bytes.set(declared(2, 2 ** 14, 2 ** 13), at);
  const fault = await faultOf(read(bytes, '/data'));
  expect(fault).toMatchObject({ tag: 'unsupported' });
  expect(fault?.message).toContain('512 MiB each; the limit is 256 MiB');
});
