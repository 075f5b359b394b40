// Decoding by the Python package and by the library in Node, in turns, as JSON: python/README.md, 'Speed'.
//
//   npm run build && npm run test:python && node bench/python.mjs > result.json
//
// Each reads whole files of 192³ voxels into an array in one thread; the figures are processor time, of which the least counts. PYTHON names
// another interpreter than that of the tests. Words are the codecs to measure, by default all.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { open } from '../out/lib/index.js';

const edge = 192;
const rounds = 16;
const samples = { rle: 'labels', labels: 'labels', rice: 'phantom', 'predict+huffman': 'phantom', wave: 'phantom' };
const wanted = process.argv.slice(2);
const codecs = Object.keys(samples).filter((codec) => wanted.length === 0 || wanted.includes(codec));

const reader = `
import sys, time, platform
import numpy as np
import stria
print(platform.python_version(), np.__version__, flush=True)
for line in sys.stdin:
    start = time.process_time()
    np.asarray(stria.open(line.strip(), threads=1))
    print(time.process_time() - start, flush=True)
`;

function startPython() {
  const program = process.env.PYTHON ?? resolve('node_modules/.cache/python/bin/python');
  const child = spawn(program, ['-c', reader], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${program} ended: run npm run test:python first, which installs the package`);
    return value;
  };
  return {
    versions: nextLine(),
    async seconds(path) {
      child.stdin.write(`${path}\n`);
      return Number(await nextLine());
    },
    end: () => child.stdin.end(),
  };
}

async function nodeSeconds(path) {
  const start = process.cpuUsage();
  const volume = await open(path);
  await volume.read();
  await volume.close();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

const stria = (...words) => execFileSync(process.execPath, ['out/main/cli.js', ...words, '--quiet', '--device', 'cpu']);
const folder = mkdtempSync(join(tmpdir(), 'stria-python-'));
const python = startPython();
try {
  const [pythonVersion, numpyVersion] = (await python.versions).split(' ');
  const results = {};
  for (const codec of codecs) {
    const path = join(folder, `${codec}.stria`);
    const source = join(folder, `${samples[codec]}.nii`);
    stria('sample', samples[codec], '--type', 'u16', '--size', `${edge}`, '-o', source);
    stria('compress', source, '--codec', codec, '-o', path);
    const least = { python: Infinity, node: Infinity };
    for (let round = 0; round < rounds; round++) {
      least.python = Math.min(least.python, await python.seconds(path));
      least.node = Math.min(least.node, await nodeSeconds(path));
    }
    const speed = (seconds) => Math.round((2 * edge ** 3) / seconds / 1e6);
    results[codec] = { sample: samples[codec], pythonMBs: speed(least.python), nodeMBs: speed(least.node) };
  }
  const result = {
    title: 'Decoding on one core, by the Python package and by the library in Node',
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length}-core cloud machine`,
    cpu: cpus()[0].model.trim(),
    node: process.versions.node,
    python: pythonVersion,
    numpy: numpyVersion,
    method: `${edge}³ voxels of u16, MB of voxels a second of processor time, the best of ${rounds} rounds taken in turns`,
    results,
  };
  console.log(JSON.stringify(result, undefined, 1));
} finally {
  python.end();
  rmSync(folder, { recursive: true, force: true });
}
