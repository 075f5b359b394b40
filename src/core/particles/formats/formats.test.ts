import { describe, expect, test } from 'vitest';
import { memoryTree } from '../../io/common/file-tree.ts';
import { hdf5File } from '../../io/hdf5/h5-testing.ts';
import { memorySource } from '../../shared/bytes.ts';
import { toStriaError } from '../../shared/errors.ts';
import { type ParticleSet, particlePieces } from '../particles.ts';
import { chooseSpecies, openParticles } from './open-particles.ts';
import { gadgetBytes, nchiladaField, nchiladaFiles, npyBytes, type TestGroup, tipsyBytes } from './particle-files-testing.ts';

/** Values that floats hold exactly. */
const gas: TestGroup = {
  positions: [0.5, -0.25, 0.125, 0.75, 1, -1, 3, 4, 5],
  masses: [1, 2.5, 0.5],
  smoothing: [0.25, 0.5, 1],
};
const dark: TestGroup = { positions: [1.5, 2.5, 3.5, -0.5, -0.5, -0.5], masses: [8, 16], smoothing: [] };
const star: TestGroup = { positions: [0, 0, 0.0625], masses: [32], smoothing: [] };

interface Found {
  readonly group: string;
  readonly positions: readonly number[];
  readonly masses: readonly number[];
  readonly radii: readonly number[];
}

/** All that a set holds. Radii are requested of gas alone. */
async function contents(set: ParticleSet, radiiOf: readonly string[] = []): Promise<Found[]> {
  const found: Found[] = [];
  for (const group of set.groups) {
    const radii = radiiOf.includes(group.name);
    for await (const piece of particlePieces([group], { masses: group.lacksMasses === undefined, radii }, undefined, {})) {
      found.push({
        group: group.name,
        positions: [...piece.positions],
        masses: [...(piece.masses ?? [])],
        radii: [...(piece.radii ?? [])],
      });
    }
  }
  return found;
}

const expected = (group: string, { positions, masses, smoothing }: TestGroup, factor = 2): Found => ({
  group,
  positions,
  masses,
  radii: smoothing.map((length) => factor * length),
});

const open = (name: string, bytes: Uint8Array, options = {}) => openParticles(memorySource(name, bytes), options, {});

describe('Tipsy', () => {
  test.each([
    ['standard', {}],
    ['native', { littleEndian: true }],
    ['with double positions', { doublePositions: true }],
    ['with double positions and velocities, native', { littleEndian: true, doublePositions: true, doubleVelocities: true }],
    ['with an unpadded header', { littleEndian: true, headerLength: 28 }],
  ])('%s', async (_what, options) => {
    const set = await open('sim.00100', tipsyBytes([gas, dark, star], options));
    expect(await contents(set, ['gas'])).toEqual([expected('gas', gas), expected('dark', dark), expected('star', star)]);
    expect(set.groups.map(({ lacksRadii }) => lacksRadii === undefined)).toEqual([true, false, false]);
  });

  test.each([-1, 1, -36])('a file of %i bytes more is refused with both sizes', async (more) => {
    const whole = tipsyBytes([gas, dark, star]);
    const bytes = new Uint8Array(whole.length + more);
    bytes.set(whole.subarray(0, bytes.length));
    await expect(open('sim.00100', bytes)).rejects.toMatchObject({
      tag: 'corrupt',
      message: `the header promises 3 gas, 2 dark and 1 star particles, which take ${whole.length} bytes; the file has ${bytes.length}`,
    });
  });
});

describe('NChilada', () => {
  test('folders of attributes, of floats and doubles', async () => {
    const files = { ...nchiladaFiles('gas', gas), ...nchiladaFiles('dark', dark, 10), 'description.xml': new Uint8Array(3) };
    const set = await openParticles(memoryTree('sim', files), {}, {});
    expect(await contents(set, ['gas'])).toEqual([expected('gas', gas), expected('dark', dark)]);
    expect(set.groups[1]?.lacksRadii).toBe('the file dark/smoothlength');
  });

  test('an attribute that is the same for all particles is not stored', async () => {
    const { 'dark/mass': _, ...files } = nchiladaFiles('dark', dark);
    const field = nchiladaField([4, 4], 1);
    const set = await openParticles(memoryTree('sim', { ...files, 'dark/mass': field.subarray(0, 36) }), {}, {});
    expect(await contents(set)).toEqual([expected('dark', { ...dark, masses: [4, 4] })]);
  });

  test.each([
    ['is cut off', { 'gas/pos': nchiladaField(gas.positions, 3).subarray(0, -4) }, 'gas/pos', 'promises 3 particles'],
    ['ends in its header', { 'gas/pos': nchiladaField(gas.positions, 3).subarray(0, 20) }, 'gas/pos', 'ends at byte 20'],
    ['is something else', { 'gas/pos': new Uint8Array(100) }, 'gas/pos', 'not an NChilada attribute file'],
    ['has one value per particle', { 'gas/pos': nchiladaField(gas.masses, 1) }, 'gas/pos', '1 values per particle, not 3'],
    ['has another type', { 'gas/pos': nchiladaField(gas.positions, 3, 5) }, 'gas/pos', 'the type 5'],
    ['has another length', { ...nchiladaFiles('gas', gas), 'gas/mass': nchiladaField([1, 2], 1) }, '', '2 values for 3'],
    ['is missing', { 'other/pos': new Uint8Array(3) }, '', 'none of gas/pos'],
  ])('a file that %s', async (_what, files, where, message) => {
    await expect(openParticles(memoryTree('sim', files as Record<string, Uint8Array>), {}, {})).rejects.toMatchObject({
      context: where === '' ? [] : [where],
      message: expect.stringContaining(message),
    });
  });
});

describe('GADGET HDF5', () => {
  test('types with masses, smoothing lengths, the table of masses and the box', async () => {
    const set = await open(
      'snap.hdf5',
      await gadgetBytes({ 0: gas, 1: { ...dark, masses: [7, 7] } }, { boxSize: 8, tableMass: 7 }),
    );
    expect(set.box).toEqual({ origin: [0, 0, 0], lengths: [8, 8, 8] });
    expect(await contents(set, ['PartType0'])).toEqual([
      // The smoothing length is where the kernel ends.
      expected('PartType0', gas, 1),
      expected('PartType1', { ...dark, masses: [7, 7] }),
    ]);
    expect(set.groups[1]?.lacksRadii).toBe('the dataset PartType1/SmoothingLength');
    expect(chooseSpecies(set, ['dark'])).toEqual([set.groups[1]]);
    set.close?.();
  });

  test('smoothing lengths of SWIFT are widths of the kernel, not its radius', async () => {
    const set = await open('snap.hdf5', await gadgetBytes({ 0: gas }, { boxSize: 8, swiftGamma: 1.75 }));
    expect(await contents(set, ['PartType0'])).toEqual([expected('PartType0', gas, 1.75)]);
    set.close?.();
  });

  test('without masses, or without particles', async () => {
    const set = await open('snap.hdf5', await gadgetBytes({ 1: dark }, { tableMass: 0 }));
    expect(set.groups[0]?.lacksMasses).toContain('PartType1/Masses');
    expect(set.box).toBeUndefined();
    set.close?.();
    const other = await hdf5File((file) => void file.create_group('entry'));
    await expect(open('other.h5', other)).rejects.toMatchObject({ tag: 'unsupported' });
    const unlike = await hdf5File((file) => {
      file
        .create_group('PartType0')
        .create_dataset({ name: 'Coordinates', data: new Float32Array(8), shape: [4, 2], dtype: '<f' });
    });
    await expect(open('unlike.h5', unlike)).rejects.toMatchObject({ message: expect.stringContaining('shape 4 × 2') });
  });
});

describe('NumPy', () => {
  const rows = [0.5, 1, 2, 10, 0.25, 3, 4, 5, 20, 0.5];

  test('rows of positions, masses and smoothing lengths, in C and Fortran order', async () => {
    const wanted = [{ group: 'p.npy', positions: [0.5, 1, 2, 3, 4, 5], masses: [10, 20], radii: [0.5, 1] }];
    expect(await contents(await open('p.npy', npyBytes(rows, [2, 5])), ['p.npy'])).toEqual(wanted);
    const columns = [0.5, 3, 1, 4, 2, 5, 10, 20, 0.25, 0.5];
    expect(await contents(await open('p.npy', npyBytes(columns, [2, 5], { isFortran: true })), ['p.npy'])).toEqual(wanted);
    expect(await contents(await open('p.npy', npyBytes(rows, [2, 5], { type: '>f4' })), ['p.npy'])).toEqual(wanted);
  });

  test('masses in a file of their own', async () => {
    const positions = npyBytes([1, 2, 3, 4, 5, 6], [2, 3], { type: '<f4' });
    const masses = (values: readonly number[]) => memorySource('m.npy', npyBytes(values, [values.length]));
    const set = await open('p.npy', positions, { masses: masses([7, 8]) });
    expect(await contents(set)).toEqual([{ group: 'p.npy', positions: [1, 2, 3, 4, 5, 6], masses: [7, 8], radii: [] }]);
    await expect(open('p.npy', positions, { masses: masses([7]) })).rejects.toMatchObject({ context: ['m.npy'] });
    await expect(open('p.csv', positions, { masses: masses([7]) })).rejects.toMatchObject({ tag: 'invalid-input' });
    expect((await open('p.npy', positions)).groups[0]).toMatchObject({
      lacksMasses: expect.any(String),
      lacksRadii: expect.any(String),
    });
  });

  test('unsuitable shapes, and a truncated file', async () => {
    await expect(open('p.npy', npyBytes([1, 2, 3, 4], [2, 2]))).rejects.toMatchObject({ tag: 'unsupported' });
    await expect(open('p.npy', npyBytes(rows, [2, 5]).subarray(0, -1))).rejects.toMatchObject({ tag: 'corrupt' });
  });
});

describe('CSV', () => {
  const text = (value: string) => new TextEncoder().encode(value);
  const wanted = [{ group: 'p.csv', positions: [1, 2, 3, 4, 5, 6], masses: [7, 8e-3], radii: [] }];

  test.each([
    ['plain', '1,2,3,7\n4,5,6,8e-3\n'],
    ['with names in another order', '"Mass",x,id,z,y\r\n7,1,0,3,2\r\n\r\n0.008, 4, 1, 6, 5'],
    ['with blanks and comments', '# x y z mass\n1 2 3 7\n   # more\n\n 4\t5  6 8e-3'],
    ['with a byte order mark and semicolons', '\ufeffx;y;z;m\n1;2;3;7\n4;5;6;.008\n'],
    ['with a byte order mark before a comment', '\ufeff# x y z m\n1;2;3;7\n\u00a04;5;6;.008\n'],
  ])('%s', async (_what, value) => {
    expect(await contents(await open('p.csv', text(value)))).toEqual(wanted);
  });

  test('many rows are found again, in pieces and shares', async () => {
    const count = 150_000;
    const lines = Array.from(
      { length: count },
      (_, at) => `${at},${at / 2},${at + 0.25}${at % 1000 === 0 ? '\n# a comment' : ''}`,
    );
    const set = await open('p.csv', text(`x,y,z\n${lines.join('\n')}`));
    expect(set.groups[0]?.count).toBe(count);
    for (const first of [0, 65_535, 65_536, 131_071, 149_990]) {
      const piece = await set.groups[0]?.read(first, 5, { masses: false, radii: false }, {});
      expect([...(piece?.positions ?? [])]).toEqual(
        [0, 1, 2, 3, 4].flatMap((step) => [first + step, (first + step) / 2, first + step + 0.25]),
      );
    }
  });

  test.each([
    ['too few columns', '1,2\n3,4\n', 'the first one has 2 values'],
    ['a column without name', 'x,y,mass\n1,2,3\n', 'none is called z'],
  ])('%s', async (_what, value, message) => {
    await expect(open('p.csv', text(value))).rejects.toMatchObject({ message: expect.stringContaining(message) });
  });

  test('a row of another length is reported with its line; other text becomes NaN', async () => {
    await expect(contents(await open('p.csv', text('x,y,z\n1,2,3\n\n1,2\n')))).rejects.toMatchObject({
      tag: 'corrupt',
      message: 'line 4 has 2 values, not 3 like the first one',
    });
    const [found] = await contents(await open('p.csv', text('x,y,z\n1,,abc\n')));
    expect(found?.positions).toEqual([1, Number.NaN, Number.NaN]);
  });
});

test('2,000 damaged files give typed errors or particles', async () => {
  const files: readonly (readonly [string, Uint8Array])[] = [
    ['sim.00100', tipsyBytes([gas, dark, star])],
    ['p.npy', npyBytes([0.5, 1, 2, 10, 3, 4, 5, 20], [2, 4])],
    ['p.csv', new TextEncoder().encode('x,y,z,mass\n1,2,3,7\n# c\n4,5,6,8e-3\n')],
    ['gas/pos', nchiladaField(gas.positions, 3)],
  ];
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  let opened = 0;
  for (let number = 0; number < 2000; number++) {
    const [name, whole] = files[number % files.length] as (typeof files)[number];
    const bytes = whole.slice(0, random(4) === 0 ? random(whole.length) : whole.length);
    for (let flips = random(4); flips >= 0; flips--) bytes[random(bytes.length)] = random(256);
    try {
      const set =
        name === 'gas/pos'
          ? await openParticles(memoryTree('sim', { ...nchiladaFiles('gas', gas), [name]: bytes }), {}, {})
          : await open(name, bytes);
      for (const group of set.groups) {
        await group.read(0, Math.min(group.count, 100), { masses: group.lacksMasses === undefined, radii: false }, {});
      }
      opened++;
    } catch (error) {
      const { tag, message } = toStriaError(error);
      if (tag === 'internal') throw new Error(`${name}, number ${number}: ${message}`, { cause: error });
    }
  }
  expect(opened).toBeGreaterThan(200);
});

test('other files, and missing kinds of particles', async () => {
  await expect(open('scan.nii', new Uint8Array(400))).rejects.toMatchObject({ tag: 'unsupported' });
  await expect(open('empty', new Uint8Array(0))).rejects.toMatchObject({ tag: 'corrupt', message: 'the file is empty' });
  const set = await open('sim.00100', tipsyBytes([gas, dark, star]));
  expect(chooseSpecies(set, ['star', 'gas']).map(({ name }) => name)).toEqual(['star', 'gas']);
  expect(chooseSpecies(set, ['star', 'gas', 'star']).map(({ name }) => name)).toEqual(['star', 'gas']);
  expect(chooseSpecies(set, undefined)).toBe(set.groups);
  expect(() => chooseSpecies(set, ['boson'])).toThrow('there are gas, dark, star');
});
