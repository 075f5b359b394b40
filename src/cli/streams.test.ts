// Standard input, standard output and pipes, through the built command.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { encode } from 'fast-png';
import { describe, expect, test } from 'vitest';
import { cliPath, cpu, niftiFile, scanBytes, start, stria, testFolders } from './cli-testing.ts';

const dims = [70, 33, 21] as const;
const place = testFolders();
const { at } = place;

/** Runs a line of bash in which `stria` is the command. */
function bash(line: string): { code: number | null; stdout: Buffer; stderr: string } {
  const script = `set -o pipefail; stria() { "${process.execPath}" "${cliPath}" "$@"; }; ${line}`;
  try {
    const stdout = execFileSync('bash', ['-c', script], {
      cwd: place.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 2 ** 26,
    });
    return { code: 0, stdout, stderr: '' };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: Buffer; stderr: Buffer };
    return { code: status, stdout, stderr: String(stderr) };
  }
}

/** Writes `scan.nii` and returns its contents. */
function writeScan(): Uint8Array {
  const source = niftiFile(dims, 2);
  writeFileSync(at('scan.nii'), source);
  return source;
}

describe.skipIf(process.platform === 'win32')('standard input and output', () => {
  test('a scan passes through both and is restored byte for byte', () => {
    const source = writeScan();
    const packed = bash('gzip -c scan.nii | stria compress - -o - --device cpu | tee a.stria | stria verify - --device cpu');
    expect(packed, packed.stderr).toMatchObject({ code: 0 });
    expect(String(packed.stdout)).toMatch(/^standard input: sound/);
    const restored = bash('stria decompress - -o - --device cpu < a.stria | cat');
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    expect(Buffer.compare(restored.stdout, source)).toBe(0);
    expect(readdirSync(place.folder).sort()).toEqual(['a.stria', 'scan.nii']);
  });

  test('output redirected to a file is appended to what is there', () => {
    writeScan();
    expect(bash('(printf before; stria compress scan.nii -o - -q --device cpu) > both')).toMatchObject({ code: 0 });
    expect(bash('stria compress scan.nii -o a.stria -q --device cpu')).toMatchObject({ code: 0 });
    expect(readFileSync(at('both')).equals(Buffer.concat([Buffer.from('before'), readFileSync(at('a.stria'))]))).toBe(true);
  });

  test('process substitution and raw voxels', () => {
    writeFileSync(at('v.raw'), scanBytes(dims, 1));
    expect(bash(`stria compress <(cat v.raw) --dims ${dims.join()} --type u8 -o a.stria --device cpu`)).toMatchObject({
      code: 0,
    });
    // A source without a name gets the container's.
    expect(bash('stria decompress a.stria --device cpu')).toMatchObject({ code: 0 });
    expect(readFileSync(at('a.raw')).equals(readFileSync(at('v.raw')))).toBe(true);
  });

  test('ends when the reader goes away', () => {
    expect(bash('stria sample phantom --size 256 -o v.nii -q')).toMatchObject({ code: 0 });
    const ended = bash('stria compress v.nii -o - --codec raw --device cpu | head -c 10');
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringMatching(/standard output: the reader has closed it/) });
  });

  test.skipIf(!existsSync('/usr/bin/script'))('refuses a terminal as output for a .stria, and as input', () => {
    writeScan();
    const onTerminal = (line: string) => bash(`script -qec '${process.execPath} ${cliPath} ${line}' /dev/null < /dev/null`);
    expect(String(onTerminal('compress scan.nii -o - --device cpu').stdout)).toMatch(/standard output is a terminal/);
    expect(String(onTerminal('verify - --device cpu').stdout)).toMatch(/standard input is a terminal/);
  });

  test('two files do not go to one output', async () => {
    const source = niftiFile(dims, 1);
    const pair = Buffer.from(source.slice(0, 348));
    pair.writeFloatLE(0, 108);
    pair.write('ni1\0', 344);
    writeFileSync(at('scan.hdr'), pair);
    writeFileSync(at('scan.img'), source.slice(352));
    expect(await stria('compress', at('scan.hdr'), '-o', at('a.stria'), ...cpu)).toMatchObject({ code: 0 });
    const ended = await stria('decompress', at('a.stria'), '-o', '-', ...cpu);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/scan\.hdr and scan\.img/) });
  });
});

describe.skipIf(process.platform === 'win32')('named pipes', () => {
  const endedWithin = (ended: Promise<{ code: number | null }>, ms: number) =>
    Promise.race([ended, sleep(ms).then(() => ({ code: 'still runs' }))]);

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends the wait for a peer', async (signal) => {
    writeScan();
    expect(await stria('compress', at('scan.nii'), '-o', at('a.stria'), ...cpu)).toMatchObject({ code: 0 });
    // In folders of their own, so that none of the four is the peer of another.
    execFileSync('mkfifo', [at('in'), at('out')]);
    const waits = [
      ['compress', at('in'), '-o', at('b.stria'), ...cpu],
      ['verify', at('in'), ...cpu],
      ['decompress', at('a.stria'), '-o', at('out'), ...cpu],
      ['compress', at('scan.nii'), '-o', at('out'), ...cpu],
    ].map((args) => start(args));
    // They announce their device, and then open the pipe.
    await Promise.all(waits.map(({ child }) => new Promise((said) => child.stderr?.once('data', said))));
    await sleep(200);
    for (const { child } of waits) child.kill(signal);
    const ends = await Promise.all(waits.map(({ ended }) => endedWithin(ended, 10_000)));
    for (const { child } of waits) child.kill('SIGKILL');
    expect(ends.map(({ code }) => code)).toEqual([130, 130, 130, 130]);
    expect(readdirSync(place.folder).sort()).toEqual(['a.stria', 'in', 'out', 'scan.nii']);
  });

  test('a signal ends a write that has no reader', async () => {
    expect(await stria('sample', 'phantom', '--size', '128', '-o', at('v.nii'), ...cpu)).toMatchObject({ code: 0 });
    execFileSync('mkfifo', [at('pipe')]);
    const reader: ChildProcess = spawn('sleep', ['60'], { stdio: [openSync(at('pipe'), 'r+'), 'ignore', 'ignore'] });
    const { child, ended } = start(['compress', at('v.nii'), '-o', at('pipe'), '--codec', 'raw', ...cpu]);
    await sleep(1000);
    child.kill('SIGINT');
    expect((await endedWithin(ended, 10_000)).code).toBe(130);
    reader.kill('SIGKILL');
  });

  test('bytes pass from one pipe to another', async () => {
    const source = writeScan();
    execFileSync('mkfifo', [at('in'), at('out')]);
    const compress = start(['compress', at('in'), '-o', at('a.stria'), ...cpu]);
    expect(bash('sleep 0.5; cat scan.nii > in')).toMatchObject({ code: 0 });
    expect((await compress.ended).code).toBe(0);
    const decompress = start(['decompress', at('a.stria'), '-o', at('out'), ...cpu]);
    expect(bash('sleep 0.5; cat out > back')).toMatchObject({ code: 0 });
    expect((await decompress.ended).code).toBe(0);
    expect(Buffer.compare(readFileSync(at('back')), source)).toBe(0);
  });
});

describe('names that come from a container', () => {
  test('a source whose name begins with a dot gets the container’s name', async () => {
    writeFileSync(at('.bash_profile'), scanBytes(dims, 1));
    const raw = ['--dims', dims.join(), '--type', 'u8'];
    expect(await stria('compress', at('.bash_profile'), '-o', at('a.stria'), ...raw, ...cpu)).toMatchObject({ code: 0 });
    rmSync(at('.bash_profile'));
    const ended = await stria('decompress', at('a.stria'), ...cpu);
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/called '\.bash_profile'/) });
    expect(readdirSync(place.folder).sort()).toEqual(['a.raw', 'a.stria']);
  });

  test('so are pictures', async () => {
    writeFileSync(at('.a.png'), encode({ width: 8, height: 8, channels: 1, data: new Uint8Array(64).fill(7) }));
    expect(await stria('compress', at('.a.png'), '-o', at('b.stria'), ...cpu)).toMatchObject({ code: 0 });
    rmSync(at('.a.png'));
    expect(await stria('decompress', at('b.stria'), ...cpu)).toMatchObject({ code: 0 });
    expect(readdirSync(place.folder).sort()).toEqual(['b.png', 'b.stria']);
  });
});

describe('a source that changes during compression', () => {
  test('written to: exit code 3, and no output', async () => {
    expect(await stria('sample', 'phantom', '--size', '128', '-o', at('v.nii'), ...cpu)).toMatchObject({ code: 0 });
    const { child, ended } = start(['compress', at('v.nii'), '-o', at('a.stria'), '--codec', 'wave', ...cpu]);
    while (readdirSync(place.folder).length === 1 && child.exitCode === null) await sleep(10);
    writeFileSync(at('v.nii'), Buffer.alloc(16), { flag: 'r+' });
    expect(await ended).toMatchObject({ code: 3, stderr: expect.stringMatching(/v\.nii changed while it was read/) });
    expect(readdirSync(place.folder)).toEqual(['v.nii']);
  });

  test('replaced by another file: the opened file is compressed', async () => {
    expect(await stria('sample', 'phantom', '--size', '128', '-o', at('v.nii'), ...cpu)).toMatchObject({ code: 0 });
    copyFileSync(at('v.nii'), at('before.nii'));
    const { child, ended } = start(['compress', at('v.nii'), '-o', at('a.stria'), ...cpu]);
    while (readdirSync(place.folder).length === 2 && child.exitCode === null) await sleep(10);
    rmSync(at('v.nii'));
    writeFileSync(at('v.nii'), 'another file');
    expect(await ended).toMatchObject({ code: 0 });
    expect(await stria('decompress', at('a.stria'), '-o', at('back.nii'), ...cpu)).toMatchObject({ code: 0 });
    expect(readFileSync(at('back.nii')).equals(readFileSync(at('before.nii')))).toBe(true);
  });
});
