import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  gadgetBytes,
  nchiladaFiles,
  npyBytes,
  type TestGroup,
  tipsyBytes,
} from '../core/particles/formats/particle-files-testing.ts';
import { madeParticles } from '../core/particles/particles-testing.ts';
import { cpu, measured, start, stria, succeed, testFolders } from './cli-testing.ts';

const folders = testFolders();
const { at } = folders;

/** Particles in a box of 1 around the origin, a few of them outside. */
function madeGroup(count: number, seed: number): TestGroup {
  const { positions, masses, radii } = madeParticles(count, [1, 1, 1], seed);
  return {
    positions: [...positions].map((value) => Math.fround(value - 0.5)),
    masses: [...masses].map(Math.fround),
    smoothing: [...radii].map(Math.fround),
  };
}

const gas = madeGroup(900, 1);
const dark = { ...madeGroup(1200, 2), smoothing: [] };
const star = { ...madeGroup(70, 3), smoothing: [] };
const box = '--box=-0.5,-0.5,-0.5,1,1,1';

function writeTipsy(): string {
  writeFileSync(at('sim.00100'), tipsyBytes([gas, dark, star]));
  return at('sim.00100');
}

/** Runs the command, which prints JSON. */
async function said(...args: readonly string[]): Promise<Record<string, number>> {
  return JSON.parse((await succeed('deposit', ...args, '--json', ...cpu)).stdout);
}

/** The voxels of a .stria file. */
async function voxels(path: string): Promise<Buffer> {
  await succeed('decompress', path, '--to', 'raw', '-o', `${path}.raw`, ...cpu);
  return readFileSync(`${path}.raw`);
}

test('8 parts, merged and finished, are the volume of one machine', async () => {
  const sim = writeTipsy();
  const how = [sim, '--size', '70,40,20', box, '--edges', 'periodic', '--kernel', 'tsc'];
  const values = ['--quantity', 'density', '--scale', 'log', '--type', 'u8'];
  const whole = await said(...how, ...values, '-o', at('whole.stria'));
  // Mass is conserved to the last unit.
  expect(whole).toMatchObject({ particles: 2170, units: whole.depositedUnits, passes: 1 });
  let units = 0;
  for (let part = 1; part <= 8; part++) {
    // A folder is made, and its files are named after the parts.
    units += (await said(...how, '--part', `${part}/8`, '-o', `${at('parts')}/`)).depositedUnits as number;
  }
  expect(units).toBe(whole.units);
  expect(readdirSync(at('parts')).sort()[2]).toBe('sim.00100.part-3-of-8.stria');
  await succeed('merge', at('parts'), '--by', 'sum', '-o', at('sums.stria'), ...cpu);
  await succeed('deposit', at('sums.stria'), ...values, '-o', at('merged.stria'), ...cpu);
  expect(readFileSync(at('merged.stria'))).toEqual(readFileSync(at('whole.stria')));
});

test('machines with files of their own agree on a unit', async () => {
  const files = [gas, star].map((group, number) => {
    const path = at(`${number}.npy`);
    const rows = group.masses.flatMap((mass, row) => [...group.positions.slice(3 * row, 3 * row + 3), mass]);
    writeFileSync(path, npyBytes(rows, [group.masses.length, 4]));
    return path;
  });
  const how = ['--size', '20', box, '-o'];
  const refused = await stria('deposit', files[0] as string, '--sums', ...how, at('a.stria'), ...cpu);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/--unit, the same for all .* could use \S*e-\d+/s) });
  const unit = ['--unit', '1e-7'];
  mkdirSync(at('parts'));
  for (const [number, file] of files.entries()) await said(file, '--sums', ...unit, ...how, at(`parts/${number}.stria`));
  await succeed('merge', at('parts'), '--by', 'sum', '-o', at('sums.stria'), ...cpu);
  await said(at('sums.stria'), '-o', at('merged.stria'));
  await said(...files, ...unit, ...how, at('whole.stria'));
  expect(readFileSync(at('merged.stria'))).toEqual(readFileSync(at('whole.stria')));
  // Other units cannot be added.
  await said(files[0] as string, '--sums', '--unit', '1e-6', ...how, at('parts/other.stria'));
  const unlike = await stria('merge', at('parts'), '--by', 'sum', '-o', at('x.stria'), ...cpu);
  expect(unlike).toMatchObject({ code: 2, stderr: expect.stringContaining('slope') });
});

test('every format gives the same volume', async () => {
  const csv = gas.masses.map((mass, row) => [...gas.positions.slice(3 * row, 3 * row + 3), mass, gas.smoothing[row]].join(','));
  const rows = csv.flatMap((line) => line.split(',').map(Number));
  writeFileSync(at('gas.csv'), `x,y,z,mass,h\n${csv.join('\n')}\n`);
  writeFileSync(at('gas.npy'), npyBytes(rows, [gas.masses.length, 5], { type: '<f4' }));
  writeFileSync(at('gas.tipsy'), tipsyBytes([gas, { positions: [], masses: [], smoothing: [] }, star], { littleEndian: true }));
  for (const [path, bytes] of Object.entries({ ...nchiladaFiles('gas', gas), ...nchiladaFiles('star', star) })) {
    mkdirSync(join(at('sim'), path, '..'), { recursive: true });
    writeFileSync(join(at('sim'), path), bytes);
  }
  // The smoothing lengths of GADGET reach as far as the kernel does.
  const reaching = { ...gas, smoothing: gas.smoothing.map((length) => 2 * length) };
  writeFileSync(at('gas.hdf5'), await gadgetBytes({ 0: reaching, 4: star }, { boxSize: 1 }));
  const how = ['--size', '24', box, '--edges', 'clip', '--kernel', 'sph', '--unit', '1e-7'];
  const made = async (input: string, ...more: readonly string[]) => {
    await said(at(input), ...how, ...more, '-o', at('made.stria'));
    return readFileSync(at('made.stria'));
  };
  const expected = await made('gas.csv');
  expect(await made('gas.npy')).toEqual(expected);
  expect(await made('gas.tipsy', '--species', 'gas')).toEqual(expected);
  expect(await made('sim', '--species', 'gas')).toEqual(expected);
  expect(await made('gas.hdf5', '--species', 'gas')).toEqual(expected);
  const onItself = await stria('deposit', at('sim'), ...how, '--species', 'gas', '-o', at('sim/gas/mass'), ...cpu);
  expect([onItself.code, onItself.stderr]).toEqual([2, expect.stringContaining('the output would replace the input')]);
  const lacking = await stria('deposit', at('sim'), ...how, '-o', at('x.stria'), ...cpu);
  expect(lacking).toMatchObject({ code: 2, stderr: expect.stringContaining('star lacks the file star/smoothlength') });
});

test('the box of a GADGET file, particles outside, and a count', async () => {
  const few = { positions: [0.5, 0.5, 0.5, 9.5, 1, 1, -2, 1, 1], masses: [1, 2, 4], smoothing: [1, 1, 1] };
  writeFileSync(at('snap.hdf5'), await gadgetBytes({ 0: few }, { boxSize: 8, fileCount: 2 }));
  const how = [at('snap.hdf5'), '--size', '8', '--kernel', 'ngp'];
  const periodic = await succeed('deposit', ...how, '-o', at('periodic.stria'), ...cpu);
  expect(periodic.stderr).toContain('2 particles lie outside the box; they are moved into it');
  expect(periodic.stderr).toContain('the snapshot has 2 files, of which 1 was given: name all of them');
  const volume = new Float32Array(new Uint8Array(await voxels(at('periodic.stria'))).buffer);
  expect([volume[0], volume[1 + 8 + 64], volume[6 + 8 + 64]]).toEqual([1, 2, 4]);
  const clipped = await succeed('deposit', ...how, '--edges', 'clip', '--quantity', 'count', '-o', at('clip.stria'), ...cpu);
  expect(clipped.stderr).toContain('2 particles lie outside the box; the part outside is left out');
  expect((await said(...how, '--box', '0,0,0,8,8,8', '-o', at('clip.stria'))).deposited).toBe(1);
  const { stdout } = await succeed('info', at('clip.stria'), '--json');
  expect(JSON.parse(stdout)).toMatchObject({ volume: { dims: [8, 8, 8, 1], type: 'f32' } });
});

test('inputs with different boxes need --box, which sets one for all', async () => {
  const one = { positions: [0.5, 0.5, 0.5, 2.5, 1, 1], masses: [1, 2], smoothing: [1, 1] };
  for (const boxSize of [4, 8]) writeFileSync(at(`${boxSize}.hdf5`), await gadgetBytes({ 0: one }, { boxSize }));
  const how = [at('4.hdf5'), at('8.hdf5'), '--size', '8', '--kernel', 'ngp', '-o', at('x.stria')];
  const refused = await stria('deposit', ...how, ...cpu);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('its box differs from that of the first input') });
  expect((await said(...how, '--box', '0,0,0,8,8,8')).deposited).toBe(6);
});

test.each([
  [['--box', '0,0,0,1,1,1'], 'needs the dimensions of the volume: --size'],
  [['--size', '8'], 'does not state its box'],
  [['--size', '8', box, '--unit', '1e-20'], '--unit takes a larger one'],
  [['--size', '8', box, '--species', 'boson'], 'there are gas, dark, star'],
  [['--size', '8', box, '--kernel', 'sph'], '--species gas'],
])('%j says what to do', async (options, message) => {
  const { code, stderr } = await stria('deposit', writeTipsy(), ...options, '-o', at('x.stria'), ...cpu);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect(existsSync(at('x.stria'))).toBe(false);
});

test('damaged files, and volumes that are not sums', async () => {
  writeFileSync(at('cut'), tipsyBytes([gas, dark, star]).subarray(0, -1));
  const how = ['--size', '8', box, '-o', at('x.stria'), ...cpu];
  expect(await stria('deposit', at('cut'), ...how)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the header promises 900 gas'),
  });
  writeFileSync(at('nan.csv'), '0,0,0,1\n0,x,0,1\n');
  expect(await stria('deposit', at('nan.csv'), ...how)).toMatchObject({
    stderr: expect.stringContaining('particle 2 of nan.csv'),
  });
  writeFileSync(at('none.csv'), 'x,y,z,mass\n');
  expect(await stria('deposit', at('none.csv'), ...how)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no particles'),
  });
  await succeed('sample', 'zero', '--size', '8', '-o', at('zero.stria'), ...cpu);
  expect(await stria('deposit', at('zero.stria'), '-o', at('x.stria'), ...cpu)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('does not hold sums'),
  });
  expect(await stria('deposit', at('zero.stria'), ...how)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--size is for particles'),
  });
  expect(readdirSync(folders.folder).filter((name) => name.includes('x.stria'))).toEqual([]);
});

test('in a folder, an existing file is replaced only with -f', async () => {
  writeFileSync(at('few.csv'), '0.1,0.2,0.3\n0.7,0.8,0.9\n');
  mkdirSync(at('out'));
  writeFileSync(at('out/few.csv.stria'), 'of somebody else');
  const how = [at('few.csv'), '--size', '8', '--box', '0,0,0,1,1,1', '--quantity', 'count', '-o', at('out'), ...cpu];
  expect(await stria('deposit', ...how)).toMatchObject({ code: 3, stderr: expect.stringContaining('already exists; add -f') });
  expect(readFileSync(at('out/few.csv.stria'), 'utf8')).toBe('of somebody else');
  await succeed('deposit', ...how, '-f');
  await succeed('verify', at('out/few.csv.stria'), ...cpu);
});

test('sums have no levels, however large', async () => {
  writeFileSync(at('few.csv'), '0.1,0.2,0.3\n0.7,0.8,0.9\n');
  const how = [at('few.csv'), '--size', '512,512,129', '--box', '0,0,0,1,1,1', '--quantity', 'count', '--sums'];
  expect(await said(...how, '-o', at('sums.stria'))).toMatchObject({ voxelBytes: 512 * 512 * 129 * 8, levelCount: 0 });
});

test('an input that changes while it is read gives no volume', async () => {
  const count = 400_000;
  const { positions } = madeParticles(count, [1, 1, 1]);
  writeFileSync(at('p.npy'), Buffer.concat([npyBytes([], [count, 3]), new Uint8Array(positions.buffer)]));
  const how = ['--size', '16', '--box', '0,0,0,1,1,1', '--quantity', 'count', '--kernel', 'tsc', '-o', at('x.stria'), ...cpu];
  const { ended } = start(['deposit', at('p.npy'), ...how]);
  let seconds = 1;
  const touching = setInterval(() => utimesSync(at('p.npy'), seconds, seconds++), 20);
  const refused = await ended.finally(() => clearInterval(touching));
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('changed while it was read') });
  expect(existsSync(at('x.stria'))).toBe(false);
});

test('many particles take little memory, and a cancelled deposit leaves nothing', async () => {
  const count = 1_500_000;
  const { positions } = madeParticles(count, [1, 1, 1]);
  const bytes = new Uint8Array(128 + positions.byteLength);
  bytes.set(npyBytes([], [count, 3]));
  bytes.set(new Uint8Array(positions.buffer), 128);
  writeFileSync(at('many.npy'), bytes);
  const how = [
    'deposit',
    at('many.npy'),
    '--size',
    '32',
    '--box',
    '0,0,0,1,1,1',
    '--quantity',
    'count',
    '-o',
    at('many.stria'),
    ...cpu,
  ];
  const small = await measured('sample', 'zero', '--size', '32', '-o', at('small.stria'), ...cpu);
  const many = await measured(...how);
  expect(many.code).toBe(0);
  // The file has 34 MiB; 1.5 million placed particles would have 29 MiB more.
  expect(many.peakMiB - small.peakMiB).toBeLessThan(100);
  const started = start([...how, '--kernel', 'tsc']);
  setTimeout(() => started.child.kill('SIGINT'), 400);
  expect((await started.ended).code).not.toBe(0);
  expect(readdirSync(folders.folder).sort()).toEqual(['many.npy', 'many.stria', 'small.stria']);
});

test('with several inputs, an error names the file that is damaged, and an error of the options names none', async () => {
  const sim = writeTipsy();
  const damaged = tipsyBytes([{ ...gas, positions: gas.positions.with(7, Number.NaN) }, dark, star]);
  writeFileSync(at('damaged.00100'), damaged);
  const how = ['--size', '20', box, '--edges', 'clip', '-o', at('none.stria'), ...cpu];
  for (const inputs of [
    [sim, at('damaged.00100')],
    [at('damaged.00100'), sim],
  ]) {
    const { code, stderr } = await stria('deposit', ...inputs, ...how);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`particle 3 of gas in ${at('damaged.00100')}`),
    });
    expect(stderr).not.toContain(sim);
  }
  const broken = at('broken.tipsy');
  writeFileSync(broken, '');
  const empty = await stria('deposit', sim, broken, ...how);
  expect(empty.stderr).toContain(broken);
  expect(empty.stderr).not.toContain(sim);
  const options = await stria('deposit', sim, box, '-o', at('none.stria'), ...cpu);
  expect(options).toMatchObject({ code: 2, stderr: expect.stringContaining('deposit needs the dimensions') });
  expect(options.stderr).not.toContain(sim);
});

test('an error of the masses names their file, and not that of the positions', async () => {
  const [positions, masses] = [at('positions.npy'), at('masses.npy')];
  writeFileSync(positions, npyBytes([1, 2, 3, 4, 5, 6], [2, 3]));
  writeFileSync(masses, npyBytes([1, 2, 3], [3]));
  const { code, stderr } = await stria(
    'deposit',
    positions,
    '--masses',
    masses,
    '--size',
    '8',
    box,
    '-o',
    at('none.stria'),
    ...cpu,
  );
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('masses.npy: it has 3 masses for 2') });
  expect(stderr).not.toContain('positions.npy');
});
