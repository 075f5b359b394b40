// Text and names from files that would control a terminal, through the built command.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { constantChecksum } from '../core/chunks/analyze.ts';
import { ContainerWriter } from '../core/format/container-writer.ts';
import { memorySink } from '../core/shared/bytes.ts';
import { requireBuild, scanBytes, stria } from './cli-testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-hostile-'));
const cpu = ['--device', 'cpu'] as const;
const at = (name: string) => join(folder, name);
/** Sets a title, turns text red by a C1 code, reverses the text direction, and prints a line of its own. */
const evil = '\u001b]0;owned\u0007\u009b31m\u202eevil\u200b\nstria: all is well';

beforeAll(requireBuild);
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command and returns its output, after checking that it holds no control characters. */
async function said(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await stria(...args);
  const text = `${stdout}${stderr}`;
  expect(text).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]|^stria: all is well/mu);
  return text;
}

test('the writer and the names of a container', async () => {
  const sink = memorySink();
  const volume = {
    dims: [1, 1, 1, 1],
    type: 'u8',
    spacing: [1, 1, 1, 1],
    spatialUnit: 'unknown',
    timeUnit: 'unknown',
    affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
    slope: 1,
    intercept: 0,
  } as const;
  const writer = await ContainerWriter.create(sink, { volume, chunkShape: [1, 1, 1, 1], sourceFormat: 'raw', writer: evil });
  const element = new Uint8Array(1);
  const decodedChecksum = constantChecksum(element, { shape: [1, 1, 1], elementBytes: 1 });
  await writer.chunk(0, { kind: 'constant', element, decodedChecksum });
  const name = 'a\u202ewar.\u009b31m.raw';
  const nothing = new Uint8Array();
  await writer.finish({ format: 'raw', endian: 'little', parts: [{ name, before: nothing, hasVoxels: true, after: nothing }] });
  writeFileSync(at('a.stria'), sink.bytes());
  expect(await said('info', at('a.stria'))).toContain('\\u001b]0;owned');
  expect(await said('info', at('a.stria'), '--json')).toContain('a\\u202ewar');
  expect(await said('decompress', at('a.stria'), ...cpu)).toContain('\\u202ewar');
  expect(readdirSync(folder).sort()).toEqual(['a.raw', 'a.stria']);
});

test('fields of an NRRD header', async () => {
  for (const field of ['type', 'encoding', 'endian']) {
    const fields = {
      type: 'uint8',
      dimension: '3',
      sizes: '1 1 1',
      encoding: 'raw',
      endian: 'little',
      [field]: evil.split('\n')[0],
    };
    const lines = Object.entries(fields).map((entry) => entry.join(': '));
    writeFileSync(at('b.nrrd'), `NRRD0004\n${lines.join('\n')}\n\nx`);
    await said('compress', at('b.nrrd'), '-o', at('b.stria'), ...cpu);
    await said('compress', at('b.nrrd'), '-o', at('b.stria'), '--json', ...cpu);
  }
});

test('file names', async () => {
  const name = evil.replaceAll('/', '');
  writeFileSync(at(name), scanBytes([3, 3, 3], 1));
  const output = at(`${name}.stria`);
  await said('compress', at(name), '--dims', '3,3,3', '--type', 'u8', '-o', output, ...cpu);
  await said('verify', output, ...cpu);
  await said('info', output);
  await said('decompress', output, ...cpu);
  await said('decompress', at(`${name}.none`), ...cpu);
});
