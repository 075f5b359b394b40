// Shared by the tests of the built command: generated volumes, and running the command.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';

export const cliPath = fileURLToPath(new URL('../../out/main/cli.js', import.meta.url));

/** @throws Error if the command has not been built */
export function requireBuild(): void {
  if (!existsSync(cliPath))
    throw new Error(`${cliPath} is missing: these tests run the built command. Run \`npm run build\` first.`);
}

/** Where the tests of a file work. */
export interface TestFolders {
  /** The folder of all tests. */
  readonly work: string;
  /** The current test's own folder. */
  readonly folder: string;
  /** A path in it. */
  at(name: string): string;
}

/** Gives each test an empty folder, and removes all of them after the last. Call it once, at the top of a test file. */
export function testFolders(): TestFolders {
  const work = mkdtempSync(join(tmpdir(), 'stria-cli-'));
  let folder = work;
  let count = 0;
  beforeAll(requireBuild);
  beforeEach(() => {
    folder = join(work, String(count++));
    mkdirSync(folder);
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));
  return {
    work,
    get folder() {
      return folder;
    },
    at: (name) => join(folder, name),
  };
}

export const cpu = ['--device', 'cpu'] as const;

/** Runs the command, which must succeed. */
export async function succeed(...args: readonly string[]): Promise<Ended> {
  const ended = await stria(...args);
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  return ended;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

export function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  nodeArgs: readonly string[] = [],
  folder?: string,
): Started {
  const child = spawn(process.execPath, [...nodeArgs, cliPath, ...args], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<Ended>((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended };
}

/**
 * Prints the peak resident memory, in KiB, when the command ends. On Linux `maxRSS` also counts the memory that the process had
 * before it became Node: a copy of its parent, which is a large test process here. VmHWM does not.
 */
const reportPeak = `data:text/javascript,${encodeURIComponent(`
  import { existsSync, readFileSync } from 'node:fs';
  const status = '/proc/self/status';
  process.on('exit', () => {
    const own = existsSync(status) ? /VmHWM:\\s+(\\d+)/.exec(readFileSync(status, 'utf8'))?.[1] : undefined;
    console.error('peak', own ?? process.resourceUsage().maxRSS);
  });
`)}`;

/** Runs the command and measures its peak memory. */
export async function measured(...args: readonly string[]): Promise<Ended & { readonly peakMiB: number }> {
  const ended = await start(args, process.env, ['--import', reportPeak]).ended;
  return { ...ended, peakMiB: Number(/peak (\d+)/.exec(ended.stderr)?.[1]) / 1024 };
}

export function stria(...args: readonly string[]): Promise<Ended> {
  return start(args).ended;
}

/** Bytes that resemble a scan: smooth, with a flat border and some noise. The same on every run. */
export function scanBytes(dims: readonly [number, number, number], width: 1 | 2): Uint8Array {
  const bytes = new Uint8Array(dims[0] * dims[1] * dims[2] * width);
  let at = 0;
  let noise = 12345;
  for (let z = 0; z < dims[2]; z++) {
    for (let y = 0; y < dims[1]; y++) {
      for (let x = 0; x < dims[0]; x++) {
        noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0;
        const inside = x > 4 && y > 4 && x < dims[0] - 4;
        const value = inside ? 40 + x + 2 * y + 3 * z + (noise >>> 30) : 0;
        bytes[at++] = value & 255;
        if (width === 2) bytes[at++] = (value >> 8) & 255;
      }
    }
  }
  return bytes;
}

/** A NIfTI-1 file: 348 bytes of header, 4 of padding, voxels. */
export function niftiFile(
  dims: readonly [number, number, number],
  width: 1 | 2,
  endian: 'little' | 'big' = 'little',
): Uint8Array {
  const little = endian === 'little';
  const voxels = scanBytes(dims, width);
  if (width === 2 && !little) Buffer.from(voxels.buffer).swap16();
  const file = new Uint8Array(352 + voxels.byteLength);
  const view = new DataView(file.buffer);
  view.setInt32(0, 348, little);
  [3, ...dims, 1, 1, 1, 1].forEach((length, index) => {
    view.setInt16(40 + 2 * index, length, little);
  });
  view.setInt16(70, width === 1 ? 2 : 4, little);
  view.setInt16(72, 8 * width, little);
  [1, 0.5, 0.5, 2, 1, 1, 1, 1].forEach((length, index) => {
    view.setFloat32(76 + 4 * index, length, little);
  });
  view.setFloat32(108, 352, little);
  view.setFloat32(112, 1, little);
  view.setUint8(123, 2);
  file.set(new TextEncoder().encode('made by a test'), 148);
  file.set(new TextEncoder().encode('n+1\0'), 344);
  file.set(voxels, 352);
  return file;
}

/** An attached NRRD file with raw voxels. */
export function nrrdFile(dims: readonly [number, number, number], width: 1 | 2): Uint8Array {
  const header = [
    'NRRD0004',
    '# made by a test',
    `type: ${width === 1 ? 'uint8' : 'int16'}`,
    'dimension: 3',
    `sizes: ${dims.join(' ')}`,
    'spacings: 0.5 0.5 2',
    'endian: little',
    'encoding: raw',
    '',
    '',
  ].join('\n');
  return Buffer.concat([Buffer.from(header), scanBytes(dims, width)]);
}
