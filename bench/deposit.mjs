// `stria deposit` of many particles on the processor, as JSON: docs/PARTICLES.md, 'Memory and time'.
//
//   npm run build && node bench/deposit.mjs 1000000000 --size 512 --kernel cic
//
// Writes the particles to a .npy file of 16 bytes each in the temporary folder, and removes it. Half of them lie anywhere in a box of 1, half
// in 64 clumps, in no order: the worst case for the processor's caches. Words after the number are options of deposit.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

const [count, ...options] = process.argv.slice(2);
const particles = Number(count);
if (!Number.isInteger(particles) || particles < 1)
  throw new Error('usage: node bench/deposit.mjs PARTICLES [options of deposit]');

const perPiece = 2 ** 18;
const clumps = 64;
const clumpRadius = 0.03;

let state = 1;
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}

function writeParticles(path) {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${particles}, 4), }`;
  const start = Buffer.alloc(128, ' ');
  start.write('\x93NUMPY\x01\x00', 'latin1');
  start.writeUInt16LE(118, 8);
  start.write(header, 10);
  start.write('\n', 127);
  const file = openSync(path, 'wx');
  writeSync(file, start);
  const centers = Array.from({ length: 3 * clumps }, random);
  const piece = new Float32Array(4 * perPiece);
  for (let done = 0; done < particles; done += perPiece) {
    const now = Math.min(perPiece, particles - done);
    for (let at = 0; at < 4 * now; at += 4) {
      const clump = 3 * Math.floor(random() * 2 * clumps);
      for (let axis = 0; axis < 3; axis++) {
        const center = centers[clump + axis];
        const place = center === undefined ? random() : center + clumpRadius * (random() + random() - 1);
        piece[at + axis] = place - Math.floor(place);
      }
      piece[at + 3] = 1 + random();
    }
    writeSync(file, new Uint8Array(piece.buffer, 0, 16 * now));
  }
  closeSync(file);
}

/** VmHWM: what the process itself had in memory at most. */
const reportPeak = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs';
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime } = process.resourceUsage();
    const peakKiB = /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1];
    console.error(JSON.stringify({ peakMiB: peakKiB / 1024, processorSeconds: (userCPUTime + systemCPUTime) / 1e6 }));
  });
`)}`;

function deposit(path, output) {
  const args = [
    'deposit',
    path,
    '--box',
    '0,0,0,1,1,1',
    '--edges',
    'periodic',
    '--device',
    'cpu',
    '--json',
    '-o',
    output,
    ...options,
  ];
  const child = spawn(process.execPath, ['--import', reportPeak, 'out/main/cli.js', ...args]);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0) reject(new Error(said.stderr));
      else resolve({ ...JSON.parse(said.stdout), ...JSON.parse(/\{"peakMiB".*\}/.exec(said.stderr)[0]) });
    });
  });
}

const folder = mkdtempSync(join(tmpdir(), 'stria-deposit-'));
try {
  const path = join(folder, 'particles.npy');
  writeParticles(path);
  const {
    peakMiB,
    processorSeconds,
    timesMs,
    bytesOut,
    particles: read,
    units,
    depositedUnits,
    unit,
    passes,
  } = await deposit(path, join(folder, 'volume.stria'));
  const result = {
    title: 'Particles to a volume on the processor',
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length}-core cloud machine`,
    cpu: cpus()[0].model.trim(),
    node: process.versions.node,
    command: `stria deposit particles.npy --box 0,0,0,1,1,1 --edges periodic --device cpu ${options.join(' ')}`,
    particles: read,
    bytesIn: statSync(path).size,
    bytesOut,
    unit,
    units,
    depositedUnits,
    passes,
    peakMiB: Math.round(peakMiB),
    processorSeconds: Math.round(processorSeconds),
    wallSeconds: Math.round(timesMs.total / 1000),
  };
  console.log(JSON.stringify(result, undefined, 1));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
