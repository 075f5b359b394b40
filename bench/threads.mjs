// How `stria compress` and `decompress` scale with threads, as JSON: docs/PERFORMANCE.md, 'One core of a processor'.
//
//   npm run build && node bench/threads.mjs [--seconds 100] [--scan chris_PD.nii] [--edge 1024] > result.json
//
// Wall, user and system time of whole commands, all files in memory. Before them, what the machine gives to as many threads that only count,
// copy, or write new memory. The runs are in order of their importance; those that do not begin within `--seconds` are left out.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '100' },
    scan: { type: 'string' },
    edge: { type: 'string', default: '1024' },
    folder: { type: 'string', default: statSync('/dev/shm', { throwIfNoEntry: false }) ? '/dev/shm' : tmpdir() },
    cli: { type: 'string', default: 'out/main/cli.js' },
  },
});
const endMs = performance.now() + 1000 * Number(values.seconds);
/** Those that matter most first. */
const counted = [16, 1, 32, 8, 4, 2].filter((threads) => threads <= Math.max(16, 2 * cpus().length));
const counts = counted.filter((threads) => threads <= 2 * cpus().length).sort((a, b) => a - b);
const scanEdge = 512;
const parts = 8;

/** The number of a logical processor of each core. */
function oneOfEachCore() {
  const folder = '/sys/devices/system/cpu';
  const names = readdirSync(folder).filter((name) => /^cpu\d+$/.test(name));
  const siblings = names.map((name) => {
    try {
      return readFileSync(join(folder, name, 'topology/thread_siblings_list'), 'utf8').trim();
    } catch {
      return name.slice(3);
    }
  });
  return [...new Set(siblings)].map((list) => Number.parseInt(list, 10)).sort((a, b) => a - b);
}

/** What a thread of `machineRates` does. Each piece of work takes some hundred milliseconds on one thread. */
const threadCode = `
const { parentPort, workerData: { kind, gate } } = require('node:worker_threads');
const state = new Int32Array(gate);
const own = kind === 'copy' ? [new Uint8Array(2 ** 25).fill(1), new Uint8Array(2 ** 25).fill(2)] : [];
const work = {
  count() {
    let [a, b, c, d, e, f, g, h] = [1, 2, 3, 4, 5, 6, 7, 8];
    for (let i = 0; i < 3e7; i++) {
      a = Math.imul(a, 3) + 1; b = Math.imul(b, 5) + 1; c = Math.imul(c, 7) + 1; d = Math.imul(d, 9) + 1;
      e = Math.imul(e, 11) + 1; f = Math.imul(f, 13) + 1; g = Math.imul(g, 15) + 1; h = Math.imul(h, 17) + 1;
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
  },
  copy() {
    for (let i = 0; i < 32; i++) own[0].set(own[1]);
  },
  'new memory'() {
    for (let i = 0; i < 96; i++) new Uint8Array(2 ** 22).fill(1);
  },
}[kind];
Atomics.add(state, 0, 1);
Atomics.notify(state, 0);
parentPort.postMessage('ready');
Atomics.wait(state, 1, 0);
const start = performance.timeOrigin + performance.now();
work();
parentPort.postMessage([start, performance.timeOrigin + performance.now()]);
`;

/** Milliseconds from the first start to the last end of the same work in each of `threads` threads. */
async function machineMs(kind, threads) {
  const gate = new SharedArrayBuffer(8);
  const state = new Int32Array(gate);
  const workers = Array.from({ length: threads }, () => new Worker(threadCode, { eval: true, workerData: { kind, gate } }));
  let ready = 0;
  const spans = await Promise.all(
    workers.map(
      (worker) =>
        new Promise((resolve, reject) => {
          worker.on('error', reject);
          worker.on('message', (message) => {
            if (message !== 'ready') return resolve(message);
            if (++ready < threads) return;
            Atomics.store(state, 1, 1);
            Atomics.notify(state, 1);
          });
        }),
    ),
  );
  await Promise.all(workers.map((worker) => worker.terminate()));
  return Math.max(...spans.map(([, end]) => end)) - Math.min(...spans.map(([start]) => start));
}

/** Milliseconds until so many empty threads have started and answered. */
async function startMs(threads) {
  const start = performance.now();
  const code = `require('node:worker_threads').parentPort.postMessage('ready')`;
  const workers = Array.from({ length: threads }, () => new Worker(code, { eval: true }));
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.on('message', resolve))));
  const took = performance.now() - start;
  await Promise.all(workers.map((worker) => worker.terminate()));
  return took;
}

/** Wall, user and system seconds of a command. @param pinned numbers of the processors that it may use, or undefined for all */
function timed(args, pinned) {
  const words = [...(pinned ? ['taskset', '-c', pinned.join(',')] : []), process.execPath, ...args];
  const { status, stderr } = spawnSync('bash', ['-c', 'TIMEFORMAT="%R %U %S"; time "$@"', 'bash', ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const [wall, user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return { wall, user, system };
}

/** A scan's voxels, repeated to a cube of `scanEdge`. @param path NIfTI-1, u8, not compressed @returns the path of a raw file */
function repeatScan(path, to) {
  const bytes = readFileSync(path);
  if (bytes.readInt16LE(70) !== 2) throw new Error(`${path} is not u8`);
  const [nx, ny, nz] = [42, 44, 46].map((at) => bytes.readInt16LE(at));
  const first = bytes.readFloatLE(108);
  const plane = new Uint8Array(scanEdge * scanEdge);
  const file = openSync(to, 'wx');
  for (let z = 0; z < scanEdge; z++) {
    for (let y = 0; y < scanEdge; y++) {
      const at = first + nx * ((y % ny) + ny * (z % nz));
      const row = bytes.subarray(at, at + nx);
      for (let x = 0; x < scanEdge; x += nx) plane.set(row.subarray(0, Math.min(nx, scanEdge - x)), y * scanEdge + x);
    }
    writeSync(file, plane);
  }
  closeSync(file);
  return to;
}

/** Writes a cube of an eighth of a sample's planes, eight times, because making voxels takes longer than compressing them. */
function repeatSample(kind, edge, to) {
  const eighth = `${to}.eighth.raw`;
  const dims = [edge, edge, edge / parts].join(',');
  execFileSync(process.execPath, [values.cli, 'sample', kind, '--size', dims, '-o', eighth, '--quiet']);
  const planes = readFileSync(eighth);
  rmSync(eighth);
  const file = openSync(to, 'wx');
  for (let part = 0; part < parts; part++) {
    for (let at = 0; at < planes.length; ) at += writeSync(file, planes, at);
  }
  closeSync(file);
}

const cores = oneOfEachCore();
const machine = {
  cpu: cpus()[0]?.model,
  threads: cpus().length,
  cores: cores.length,
  runtime: `Node ${process.version}`,
  kernel: execFileSync('uname', ['-r'], { encoding: 'utf8' }).trim(),
};
try {
  machine.lscpu = execFileSync('lscpu', ['-e'], { encoding: 'utf8' }).trim().split('\n');
} catch {
  // Not every system has it.
}
const result = { date: new Date().toISOString().slice(0, 10), machine, note: '', rates: [], runs: [] };
result.note = `Wall, user and system seconds of whole commands, --device cpu, files in ${values.folder}; one run each. phantom and potential: an eighth of the planes, eight times; scan: repeated to 512³; u8. rates: milliseconds in which each of so many threads does the same work`;

for (const kind of ['count', 'copy', 'new memory']) {
  for (const threads of counts) {
    const ms = await machineMs(kind, threads);
    result.rates.push({ kind, threads, ms: Math.round(10 * ms) / 10 });
  }
}
for (const threads of counts) result.rates.push({ kind: 'start', threads, ms: Math.round(10 * (await startMs(threads))) / 10 });

const folder = mkdtempSync(join(values.folder, 'stria-threads-'));
try {
  const inputs = [];
  const edge = Number(values.edge);
  for (const kind of ['phantom', 'potential']) {
    const path = join(folder, `${kind}.raw`);
    repeatSample(kind, edge, path);
    const layout = ['--dims', [edge, edge, edge].join(','), '--type', 'u8'];
    inputs.push({ name: kind, path, layout, codecs: kind === 'phantom' ? ['rice', 'auto', 'rle'] : ['rle', 'auto', 'rice'] });
  }
  if (values.scan) {
    const path = repeatScan(values.scan, join(folder, 'scan.raw'));
    const layout = ['--dims', [scanEdge, scanEdge, scanEdge].join(','), '--type', 'u8'];
    inputs.push({ name: 'scan', path, layout, codecs: ['auto', 'rice', 'rle'] });
  }
  const [packed, unpacked] = [join(folder, 'packed.stria'), join(folder, 'unpacked.raw')];
  const run = ({ name, path, layout }, codec, threads, pinned) => {
    if (performance.now() > endMs) return;
    const common = ['--device', 'cpu', '--threads', String(threads), '--quiet'];
    const about = { input: name, codec, threads, ...(pinned && { pinned: true }) };
    const compress = timed(
      [values.cli, 'compress', path, ...layout, '--codec', codec, '--no-levels', ...common, '-o', packed],
      pinned,
    );
    result.runs.push({ command: 'compress', ...about, ...compress, bytes: statSync(packed).size });
    const decompress = timed([values.cli, 'decompress', packed, ...common, '-o', unpacked], pinned);
    result.runs.push({ command: 'decompress', ...about, ...decompress });
    for (const made of [packed, unpacked]) rmSync(made);
  };
  for (const at of [0, 1, 2]) {
    for (const input of inputs) {
      for (const threads of counted) {
        run(input, input.codecs[at], threads);
        if (threads === 16 && cores.length >= 16 && cores.length < machine.threads) {
          run(input, input.codecs[at], 16, cores.slice(0, 16));
        }
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${JSON.stringify(result, null, 1)}\n`);
