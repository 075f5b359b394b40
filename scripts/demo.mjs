// `npm run demo`: the complete path of a volume without a display and without a GPU. Generates the 512³ sample `potential`,
// compresses, verifies and restores it with the built command, compares the bytes, and draws the restored volume.
import { spawnSync } from 'node:child_process';
import { createReadStream, mkdirSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { encode } from 'fast-png';

const side = 512;
const sliceBytes = side * side;
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.demo');
const source = join(folder, 'potential.nii');
const compressed = join(folder, 'potential.stria');
const restored = join(folder, 'restored.nii');
const picture = join(folder, 'potential.png');

/** Runs `stria`, prints its output, and returns the object that it prints. */
function stria(...args) {
  const startMs = performance.now();
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'out', 'main', 'cli.js'), ...args, '--json', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) {
    console.error(`demo: stria ${args[0]} ended with exit code ${status}`);
    process.exit(1);
  }
  return { ...JSON.parse(stdout), wallMs: performance.now() - startMs };
}

/** Compares two files slice by slice. Returns the offset of the first differing byte, or -1. */
function firstDifference(pathA, pathB) {
  const [a, b] = [readerOf(pathA), readerOf(pathB)];
  for (let offset = 0; ; offset += sliceBytes) {
    const [partA, partB] = [a(offset), b(offset)];
    if (!partA.equals(partB)) return offset + partA.findIndex((byte, at) => byte !== partB[at]);
    if (partA.length < sliceBytes) return -1;
  }
}

function readerOf(path) {
  const file = openSync(path, 'r');
  const buffer = Buffer.alloc(sliceBytes);
  return (offset) => buffer.subarray(0, readSync(file, buffer, 0, sliceBytes, offset));
}

/** The brightest voxel behind each pixel, looking along z. */
function maximumIntensityProjection(path) {
  const read = readerOf(path);
  const voxelOffset = Buffer.from(read(0).subarray(0, 352)).readFloatLE(108);
  const projection = new Uint8Array(sliceBytes);
  for (let z = 0; z < side; z++) {
    const slice = read(voxelOffset + z * sliceBytes);
    for (let at = 0; at < sliceBytes; at++) if (slice[at] > projection[at]) projection[at] = slice[at];
  }
  return projection;
}

async function gzipSize(path) {
  const startMs = performance.now();
  let bytes = 0;
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), createGzip({ level: 6 }), async (pieces) => {
    for await (const piece of pieces) bytes += piece.length;
  });
  return { bytes, ms: performance.now() - startMs };
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
const rate = (bytes, ms) => `${(bytes / 1e6 / ms).toFixed(2)} GB/s`;
const ratio = (bytes, of) => `${(of / bytes).toFixed(1)} ×`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
console.log(`A sparse volume of ${side}³ bytes: made, compressed, verified, restored, compared.\n`);
const made = stria('sample', 'potential', '--size', String(side), '-o', source);
const pressed = stria('compress', source, '-o', compressed);
const verified = stria('verify', compressed);
const opened = stria('decompress', compressed, '-o', restored);
const difference = firstDifference(source, restored);
const gzip = await gzipSize(source);

const sourceBytes = statSync(source).size;
const compressedBytes = statSync(compressed).size;
const rows = [
  ['', 'bytes', 'ratio', 'time', 'rate'],
  ['sample', megabytes(sourceBytes), '', seconds(made.wallMs), rate(sourceBytes, made.wallMs)],
  [
    'stria compress',
    megabytes(compressedBytes),
    ratio(compressedBytes, sourceBytes),
    seconds(pressed.wallMs),
    rate(sourceBytes, pressed.wallMs),
  ],
  ['stria verify', '', '', seconds(verified.wallMs), rate(sourceBytes, verified.wallMs)],
  ['stria decompress', megabytes(statSync(restored).size), '', seconds(opened.wallMs), rate(sourceBytes, opened.wallMs)],
  [
    'gzip -6, for comparison',
    megabytes(gzip.bytes),
    ratio(gzip.bytes, sourceBytes),
    seconds(gzip.ms),
    rate(sourceBytes, gzip.ms),
  ],
];
const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
const line = (row) =>
  row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ');
console.log(`\n${rows.map((row) => line(row).trimEnd()).join('\n')}`);
console.log(`\nDevice: ${pressed.device.name}. Times are of the whole command, start and disk included.`);
if (difference >= 0) {
  console.error(`The restored file differs from the source at byte ${difference}.`);
  process.exit(1);
}
console.log('The restored file equals the source, byte for byte.');

const projection = maximumIntensityProjection(restored);
writeFileSync(picture, encode({ width: side, height: side, data: projection, channels: 1, depth: 8 }));
console.log(`What was restored, as a maximum intensity projection: ${relative(process.cwd(), picture)}`);
