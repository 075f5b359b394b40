import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { CompressReport } from '../core/stream/compress/compress-contract.ts';
import { cliPath, cpu, niftiFile, nrrdFile, scanBytes, start, stria, succeed, testFolders } from './cli-testing.ts';
import { zeros } from './hostile-testing.ts';

const dims = [70, 33, 21] as const;
const place = testFolders();
const { at } = place;

function expectSameBytes(path: string, expected: Uint8Array): void {
  expect(Buffer.compare(readFileSync(path), expected)).toBe(0);
}

/** A compressed scan of our own, at `scan.stria`. */
async function makeContainer(): Promise<Uint8Array> {
  const source = niftiFile(dims, 2);
  writeFileSync(at('scan.nii'), source);
  await succeed('compress', at('scan.nii'), '-o', at('scan.stria'), ...cpu);
  return source;
}

describe('messages and exit codes', () => {
  test('version and help', async () => {
    expect((await succeed('--version')).stdout).toBe(`${packageJson.version}\n`);
    expect((await succeed('--help')).stdout).toMatch(/^Stria compresses volumes/);
    expect((await succeed('compress', '-h')).stdout).toMatch(/--dims X,Y,Z/);
  });

  test('the built file is executable', () => {
    expect(execFileSync(cliPath, ['--version'], { encoding: 'utf8' })).toBe(`${packageJson.version}\n`);
  });

  test.each([
    [['squash'], 2, /Unknown command: squash/],
    [['compress'], 2, /at least one input/],
    [['verify', 'no-such.stria'], 3, /no-such\.stria: no such file/],
    [['compress', 'no-such.nii'], 3, /no such file/],
    [['verify', tmpdir()], 3, /is a folder; name a file/],
  ])('stria %s: exit code %i', async (args, code, message) => {
    const ended = await stria(...args);
    expect(ended.code).toBe(code);
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toMatch(message);
  });

  test('--json reports a fault on stdout too', async () => {
    const ended = await stria('verify', at('none.stria'), '--json');
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { tag: 'not-readable' } });
  });

  test('a file of another kind is not called damaged', async () => {
    writeFileSync(at('scan.nii'), niftiFile([7, 5, 3], 1));
    writeFileSync(at('empty'), '');
    for (const args of [
      ['verify', at('scan.nii')],
      ['verify', at('empty')],
      ['decompress', at('scan.nii'), '--to', 'raw'],
      ['merge', at('scan.nii'), at('empty'), '-o', at('merged.stria')],
      ['merge', at('scan.nii'), at('empty'), '--by', 'sum', '-o', at('merged.stria')],
    ]) {
      const ended = await stria(...args, ...cpu);
      expect(ended).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          args[1] === at('empty')
            ? /not supported: .*the file is empty/
            : /not supported: .*this is not a \.stria file.*stria info/,
        ),
      });
      expect(ended.stderr).not.toMatch(/damaged|copy/);
    }
    writeFileSync(at('broken.stria'), niftiFile([7, 5, 3], 1));
    expect((await stria('verify', at('broken.stria'), ...cpu)).stderr).toMatch(/damaged file/);
    expect(readdirSync(place.folder).sort()).toEqual(['broken.stria', 'empty', 'scan.nii']);
  });

  test('unreadable input is refused, and leaves no output', async () => {
    writeFileSync(at('garbage.nii'), 'this is no volume at all');
    const ended = await stria('compress', at('garbage.nii'), '-o', at('a.stria'), ...cpu);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/garbage\.nii/);
    expect(readdirSync(place.folder)).toEqual(['garbage.nii']);
  });
});

/** Drivers that Dawn rejects: a missing one, and Mesa's, which may be too old. */
const oddDrivers = ['/none.json', '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json'];

test.runIf(process.platform === 'linux').each(oddDrivers)(
  'Dawn prints nothing on the terminal about the driver %s',
  async (driver) => {
    const env = { ...process.env, VK_ICD_FILENAMES: driver, VK_DRIVER_FILES: driver };
    const silent = async (...args: readonly string[]) => {
      const ended = await start(args, env).ended;
      expect(ended.stderr + ended.stdout).not.toMatch(/Warning|Loader|dawn/i);
      return ended;
    };
    expect((await silent('sample', 'zero', '--size', '8', '-o', at('a.stria'))).code).toBe(0);
    expect(await silent('verify', at('a.stria'), '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
    const { passedOver } = JSON.parse((await silent('gpu', '--json')).stdout) as { passedOver: readonly string[] };
    const lines = (await silent('gpu')).stdout.split('\n').filter((line) => line.startsWith('Skipped an adapter'));
    expect(lines.length).toBe(passedOver.length);
  },
);

describe('round trips', () => {
  test.each([
    ['scan.nii', niftiFile(dims, 1), []],
    ['scan.nii', niftiFile(dims, 2), []],
    ['scan.nii', niftiFile(dims, 2, 'big'), []],
    ['scan.nrrd', nrrdFile(dims, 2), []],
    ['scan.raw', scanBytes(dims, 1), ['--dims', dims.join(','), '--type', 'u8']],
    ['scan.raw', scanBytes(dims, 2), ['--dims', dims.join(','), '--type', 'i16', '--endian', 'big']],
  ])('%s is restored byte for byte', async (name, source, raw) => {
    writeFileSync(at(name), source);
    await succeed('compress', at(name), '-o', at('a.stria'), ...raw, ...cpu);
    expect(readFileSync(at('a.stria')).length).toBeLessThan(source.length * 1.01);
    expect((await succeed('verify', at('a.stria'), ...cpu)).stdout).not.toBe('');
    await succeed('decompress', at('a.stria'), '-o', at('b'), ...cpu);
    expectSameBytes(at('b'), source);
  });

  test('a gzipped file is restored uncompressed, under its own name', async () => {
    const source = niftiFile(dims, 2);
    writeFileSync(at('scan.nii.gz'), gzipSync(source));
    await succeed('compress', at('scan.nii.gz'), ...cpu);
    expect(readdirSync(place.folder).sort()).toEqual(['scan.nii.gz', 'scan.stria']);
    await succeed('decompress', at('scan.stria'), ...cpu);
    expectSameBytes(at('scan.nii'), source);
  });

  test('a header in two files is restored as two files, under their own names or another stem', async () => {
    const source = niftiFile(dims, 1);
    const header = Buffer.from(source.slice(0, 348));
    header.writeFloatLE(0, 108);
    header.write('ni1\0', 344);
    writeFileSync(at('scan.hdr'), header);
    writeFileSync(at('scan.img'), source.slice(352));
    await succeed('compress', at('scan.hdr'), '-o', at('a.stria'), ...cpu);
    mkdirSync(at('out'));
    await succeed('decompress', at('a.stria'), '-o', at('out'), ...cpu);
    await succeed('decompress', at('a.stria'), '-o', at('out/brain'), ...cpu);
    expect(readdirSync(at('out')).sort()).toEqual(['brain.hdr', 'brain.img', 'scan.hdr', 'scan.img']);
    for (const stem of ['scan', 'brain']) {
      expectSameBytes(at(`out/${stem}.hdr`), header);
      expectSameBytes(at(`out/${stem}.img`), source.slice(352));
    }
  });

  test('raw voxels, and exports that open again', async () => {
    const source = await makeContainer();
    await succeed('decompress', at('scan.stria'), '--to', 'raw', '-o', at('voxels.raw'), ...cpu);
    expectSameBytes(at('voxels.raw'), source.subarray(352));
    await succeed('decompress', at('scan.stria'), '--to', 'nrrd', '-o', at('scan.nrrd'), ...cpu);
    await succeed('compress', at('scan.nrrd'), '-o', at('again.stria'), ...cpu);
    await succeed('decompress', at('again.stria'), '--to', 'raw', '-o', at('again.raw'), ...cpu);
    expectSameBytes(at('again.raw'), source.subarray(352));
  });
});

describe('output files', () => {
  test('a name that Stria chose replaces nothing without -f; a name that the user gave does', async () => {
    const source = niftiFile(dims, 1);
    writeFileSync(at('scan.nii'), source);
    writeFileSync(at('scan.stria'), 'mine');
    const refused = await stria('compress', at('scan.nii'), ...cpu);
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringMatching(/already exists; add -f/) });
    expect(readFileSync(at('scan.stria'), 'utf8')).toBe('mine');
    await succeed('compress', at('scan.nii'), '-f', ...cpu);
    await succeed('compress', at('scan.nii'), '-o', at('scan.stria'), ...cpu);
    expect((await stria('decompress', at('scan.stria'), ...cpu)).code).toBe(3);
    writeFileSync(at('scan.nii'), '');
    await succeed('decompress', at('scan.stria'), '-f', ...cpu);
    expectSameBytes(at('scan.nii'), source);
  });

  test('an input is never overwritten by the output', async () => {
    await makeContainer();
    const ended = await stria('decompress', at('scan.stria'), '-o', at('scan.stria'), ...cpu);
    const fault = `${at('scan.stria')}: the output would replace the input`;
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(fault) });
    expect(ended.stderr.split(at('scan.stria'))).toHaveLength(2);
    await succeed('verify', at('scan.stria'), ...cpu);
  });

  test('a full disk gives exit code 3 and a message', async () => {
    writeFileSync(at('scan.nii'), niftiFile(dims, 1));
    const ended = await stria('compress', at('scan.nii'), '-o', '/dev/full', ...cpu);
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringMatching(/\/dev\/full: the disk is full/) });
  });

  test('several volumes are not written as one .stria', async () => {
    for (const name of ['a.nii', 'b.nii']) writeFileSync(at(name), niftiFile(dims, 1));
    const ended = await stria('compress', at('a.nii'), at('b.nii'), '-o', at('both.stria'), ...cpu);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/separate volumes/) });
    expect(existsSync(at('both.stria'))).toBe(false);
  });

  test('several inputs go into a folder; a failing one does not stop the others', async () => {
    writeFileSync(at('a.nii'), niftiFile(dims, 1));
    writeFileSync(at('b.nrrd'), nrrdFile(dims, 2));
    writeFileSync(at('c.nii'), 'garbage');
    const ended = await stria('compress', at('a.nii'), at('c.nii'), at('b.nrrd'), '-o', at('out'), '--json', ...cpu);
    expect(ended.code).toBe(1);
    expect(readdirSync(at('out')).sort()).toEqual(['a.stria', 'b.stria']);
    const { files } = JSON.parse(ended.stdout) as { files: { input: string; bytesOut?: number; error?: { tag: string } }[] };
    expect(files.map(({ input }) => input)).toEqual([at('a.nii'), at('c.nii'), at('b.nrrd')]);
    expect(files[0]?.bytesOut).toBe(readFileSync(at('out/a.stria')).length);
    expect(files[1]?.error).toBeDefined();
  });
});

test('--json prints one object with sizes, ratio, times, device and throughput', async () => {
  const source = niftiFile(dims, 2);
  writeFileSync(at('scan.nii'), source);
  const { stdout } = await succeed('compress', at('scan.nii'), '-o', at('a.stria'), '--json', ...cpu);
  const report = JSON.parse(stdout) as Record<string, unknown>;
  expect(report).toMatchObject({
    command: 'compress',
    voxelBytes: source.length - 352,
    bytesOut: readFileSync(at('a.stria')).length,
    device: { kind: 'cpu', software: false },
    ratio: expect.any(Number),
    timesMs: expect.any(Object),
  });
  const { timeline, timesMs } = report as unknown as Pick<CompressReport, 'timeline' | 'timesMs'>;
  const bytesOf = (stage: string) => timeline.reduce((sum, span) => sum + (span.stage === stage ? span.bytes : 0), 0);
  expect(bytesOf('read')).toBe(source.length - 352);
  expect(bytesOf('encode')).toBe(source.length - 352);
  expect(bytesOf('analyze')).toBe(source.length - 352);
  for (const { startMs, endMs } of timeline) {
    expect(startMs).toBeGreaterThanOrEqual(0);
    expect(startMs).toBeLessThanOrEqual(endMs);
    expect(endMs).toBeLessThanOrEqual(timesMs.total);
  }
  expect(timeline.map(({ startMs }) => startMs)).toEqual(timeline.map(({ startMs }) => startMs).sort((a, b) => a - b));
  const spanOf = (stage: string) => timeline.find((span) => span.stage === stage);
  const [read, analyze, encode, save] = ['read', 'analyze', 'encode', 'save'].map(spanOf);
  // Threads use the wall clock, which differs from the main thread's clock.
  const clocksMs = 5;
  expect(read?.startMs).toBeGreaterThan((encode?.startMs as number) - clocksMs);
  expect(analyze?.startMs).toBeGreaterThan((read?.startMs as number) - clocksMs);
  expect(analyze?.endMs).toBeLessThan((encode?.endMs as number) + clocksMs);
  expect(save?.startMs).toBeGreaterThanOrEqual(encode?.endMs as number);
  expect(timesMs.save).toBeLessThanOrEqual(timesMs.total);
  expect((await succeed('info', at('a.stria'), '--json')).stdout).toMatch(/"dims"/);
});

describe('damage', () => {
  const otherCopy = 'Use another copy of the file if there is one.';
  const otherCopyOrRecover = `${otherCopy} \`stria recover IN -o OUT\` saves every intact chunk.`;

  test.each([
    { of: 'the only chunk', extent: dims, width: 2, options: [], damaged: '1 of 1', next: otherCopy },
    {
      of: 'one of several chunks',
      extent: [64, 64, 192],
      width: 1,
      options: ['--codec', 'raw'],
      damaged: '1 of 3',
      next: otherCopyOrRecover,
    },
  ] as const)('a flipped byte is detected in $of', async ({ extent, width, options, damaged, next }) => {
    writeFileSync(at('scan.nii'), niftiFile(extent, width));
    await succeed('compress', at('scan.nii'), '-o', at('scan.stria'), ...options, ...cpu);
    const bytes = readFileSync(at('scan.stria'));
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] as number) ^ 0x10;
    writeFileSync(at('scan.stria'), bytes);
    const ended = await stria('verify', at('scan.stria'), ...cpu);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/damaged file: .*scan\.stria\n/) });
    expect(ended.stderr).toContain(`${damaged} chunks are damaged:\n`);
    expect(ended.stderr.trimEnd().split('\n').at(-1)).toBe(`  ${next}`);
    // `recover` saves something exactly where `verify` names it.
    const recovered = await stria('recover', at('scan.stria'), '-o', at('r.stria'));
    expect(recovered.code).toBe(next === otherCopyOrRecover ? 0 : 1);
    if (recovered.code === 1) expect(recovered.stderr.trimEnd().split('\n').at(-1)).toBe(`  ${otherCopy}`);
    // Messages count from 1, JSON has indexes from 0.
    const [first] = JSON.parse((await stria('verify', at('scan.stria'), '--json', ...cpu)).stdout).damaged;
    const from = first.origin.map((index: number) => index + 1).join(', ');
    expect(ended.stderr).toMatch(new RegExp(`chunk ${first.chunk + 1}: .*\\(from voxel ${from}\\)`));
    expect((await stria('decompress', at('scan.stria'), '-o', at('b'), ...cpu)).code).toBe(1);
    expect(existsSync(at('b'))).toBe(false);
  });

  test('the intact chunks of a truncated file are recovered', async () => {
    const source = niftiFile([64, 64, 192], 1);
    writeFileSync(at('scan.nii'), source);
    await succeed('compress', at('scan.nii'), '-o', at('a.stria'), '--codec', 'raw', ...cpu);
    truncateSync(at('a.stria'), Math.floor(readFileSync(at('a.stria')).length * 0.8));
    expect((await stria('verify', at('a.stria'), ...cpu)).code).toBe(1);
    await succeed('recover', at('a.stria'), '-o', at('r.stria'));
    expect(await stria('verify', at('r.stria'), ...cpu)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/1 of 3 .*--fill/s),
    });
    const toRaw = ['decompress', at('r.stria'), '--to', 'raw', '-o', at('r.raw'), ...cpu];
    expect(await stria(...toRaw)).toMatchObject({ code: 1, stderr: expect.stringMatching(/1 of 3 chunks were lost.*--fill/) });
    expect(existsSync(at('r.raw'))).toBe(false);
    await succeed(...toRaw, '--fill');
    await succeed('recover', at('a.stria'), '--fill', '-o', at('filled.stria'));
    await succeed('verify', at('filled.stria'), ...cpu);
    const restored = readFileSync(at('r.raw'));
    const voxels = source.subarray(352);
    expect(restored.length).toBe(voxels.length);
    expect(Buffer.compare(restored.subarray(0, 64 ** 3), voxels.subarray(0, 64 ** 3))).toBe(0);
    expect(restored.subarray(2 * 64 ** 3).every((byte) => byte === 0)).toBe(true);
  });

  test('an output larger than the free space is refused before anything is written', async () => {
    writeFileSync(at('huge.stria'), await zeros([2 ** 20, 2 ** 20, 64, 1], [256, 256, 64]));
    const ended = await stria('decompress', at('huge.stria'), '-o', at('huge.raw'), ...cpu);
    expect(ended).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/70\.4 TB are needed, but the disk has only .* free/),
    });
    expect(readdirSync(place.folder)).toEqual(['huge.stria']);
  });
});

describe('an interrupted compression', () => {
  /** Starts a compression of 16 GiB, which no machine ends in seconds, and waits until it writes. */
  async function startLong() {
    const started = start(['sample', 'phantom', '--size', '1024,1024,16384', '-o', at('a.stria'), ...cpu]);
    while (readdirSync(place.folder).length === 0 && started.child.exitCode === null) await sleep(5);
    expect(readdirSync(place.folder)).toEqual([expect.stringMatching(/partial$/)]);
    return started;
  }

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)('by %s: exit code 130, nothing left', async (signal) => {
    const { child, ended } = await startLong();
    await sleep(100);
    child.kill(signal);
    expect((await ended).code).toBe(130);
    expect(readdirSync(place.folder)).toEqual([]);
  });

  test.each([20, 400, 900])('by SIGKILL after %i ms: no output, and what was written is recoverable', async (delayMs) => {
    const { child, ended } = await startLong();
    await sleep(delayMs);
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(at('a.stria'))).toBe(false);
    const partial = readdirSync(place.folder)[0] as string;
    copyFileSync(at(partial), at('cut.stria'));
    const recovered = await stria('recover', at('cut.stria'), '-o', at('r.stria'));
    expect([0, 1]).toContain(recovered.code);
    expect(existsSync(at('r.stria'))).toBe(recovered.code === 0);
    if (recovered.code === 0) await succeed('verify', at('r.stria'), ...cpu);
  });

  test('by SIGKILL during the first piece of a slow codec: intact chunks are recoverable', async () => {
    // One thread: several reach the end of this file soon after the first write, which writes about 1.5 of 6 MB.
    await succeed('sample', 'labels', '--size', '384', '-o', at('scan.raw'));
    const { child, ended } = start([
      'compress',
      at('scan.raw'),
      '-o',
      at('a.stria'),
      '--codec',
      'wave',
      '--threads',
      '1',
      ...cpu,
    ]);
    const isPartial = (name: string) => name.endsWith('.partial');
    const written = () =>
      readdirSync(place.folder)
        .filter(isPartial)
        .map((name) => statSync(at(name)).size)[0] ?? 0;
    // The header has some hundred bytes, the whole file megabytes.
    while (written() < 10_000 && child.exitCode === null) await sleep(50);
    child.kill('SIGKILL');
    await ended;
    const partial = readdirSync(place.folder).find(isPartial) as string;
    expect(written()).toBeLessThan(2 ** 22);
    const { stdout } = await succeed('recover', at(partial), '-o', at('r.stria'), '--json');
    expect((JSON.parse(stdout) as { wholeCount: number }).wholeCount).toBeGreaterThan(0);
  });

  test('by SIGKILL: the next run in that folder lists the leftover file and keeps it', async () => {
    const { child, ended } = await startLong();
    const partial = readdirSync(place.folder)[0] as string;
    // Not while the process lives.
    expect((await succeed('sample', 'zero', '--size', '8', '-o', at('b.raw'))).stderr).not.toContain(partial);
    child.kill('SIGKILL');
    await ended;
    const next = await succeed('sample', 'zero', '--size', '8', '-o', at('c.raw'));
    expect(next.stderr).toContain(`rm ${at(partial)}`);
    expect(existsSync(at(partial))).toBe(true);
    // A command that reads it does not offer to remove it either.
    expect((await stria('recover', at(partial), '-o', at('r.stria'))).stderr).not.toContain('rm ');
  });
});

describe('samples', () => {
  test.each(['nii', 'nrrd', 'raw', 'stria'])('.%s opens again, with the same voxels', async (ending) => {
    await succeed('sample', 'labels', '--size', '40,30,20', '--type', 'u16', '--seed', '3', '-o', at(`s.${ending}`), ...cpu);
    await succeed('sample', 'labels', '--size', '40,30,20', '--type', 'u16', '--seed', '3', '-o', at('plain.raw'), ...cpu);
    if (ending !== 'stria') await succeed('compress', at(`s.${ending}`), '-o', at('s.stria'), ...cpu);
    await succeed('decompress', at('s.stria'), '--to', 'raw', '-o', at('again.raw'), ...cpu);
    expectSameBytes(at('again.raw'), readFileSync(at('plain.raw')));
  });

  test('any other ending is refused', async () => {
    expect((await stria('sample', 'zero', '--size', '4', '-o', at('s.png'))).code).toBe(2);
  });
});
