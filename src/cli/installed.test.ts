import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandNames } from './arguments/command-table.ts';
import { requireBuild } from './cli-testing.ts';
import { commandFiles } from './command-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-installed-'));
const modules = join(folder, 'global', ...(process.platform === 'win32' ? [] : ['lib']), 'node_modules');
const run = promisify(execFile);
const npm = (...args: readonly string[]) =>
  run('npm', [...args], {
    cwd: folder,
    shell: process.platform === 'win32',
    env: { ...process.env, npm_config_update_notifier: 'false' },
  });

/** The installed command, in a folder without the project's modules. The driver that is named keeps it from stopping before WebGPU. */
async function stria(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const cli = join(modules, 'stria/out/main/cli.js');
  const env = { ...process.env, VK_DRIVER_FILES: join(folder, 'none.json') };
  return run(process.execPath, [cli, ...args], { cwd: folder, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

beforeAll(async () => {
  requireBuild();
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { shell: process.platform === 'win32' });
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  // Without WebGPU, which is optional, nothing else is needed.
  const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await npm('install', '--global', '--prefix', join(folder, 'global'), '--omit=optional', ...quiet, join(folder, archive));
  // npm may take it from its cache all the same.
  rmSync(join(modules, 'stria/node_modules'), { recursive: true, force: true });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the packed command, installed alone, makes, compresses, verifies and restores a volume', async () => {
  for (const args of [
    ['sample', 'potential', '--size', '64', '-o', 'potential.nii'],
    ['compress', 'potential.nii', '-o', 'potential.stria'],
    ['verify', 'potential.stria'],
    ['decompress', 'potential.stria', '-o', 'restored.nii'],
  ]) {
    expect(await stria(...args), args.join(' ')).toMatchObject({ code: 0 });
  }
  expect(readFileSync(join(folder, 'restored.nii')).equals(readFileSync(join(folder, 'potential.nii')))).toBe(true);
  expect(readdirSync(join(modules, 'stria/out')).sort()).toEqual(['lib', 'main', 'package.json', 'share']);
});

test.runIf(process.platform === 'linux')(
  'without the webgpu package, or if it cannot be loaded, the command says why',
  async () => {
    writeFileSync(join(folder, 'a.raw'), new Uint8Array(4096));
    const compress = ['compress', 'a.raw', '--dims', '16,16,16', '--type', 'u8', '-o', 'a.stria'];
    const missing = 'the optional package webgpu is not installed';
    expect((await stria(...compress)).stderr).toMatch(new RegExp(`^on CPU.*; not on a GPU: ${missing}$`, 'm'));
    expect(await stria('gpu')).toMatchObject({ code: 4, stdout: expect.stringContaining(`There is no WebGPU: ${missing}.`) });

    // Node's message on a system with an older C library.
    const broken = join(modules, 'webgpu');
    mkdirSync(broken);
    writeFileSync(join(broken, 'package.json'), '{"name":"webgpu","type":"module","exports":"./index.js"}');
    writeFileSync(
      join(broken, 'index.js'),
      'throw new Error("/lib64/libc.so.6: version `GLIBC_2.34\' not found (required by dawn.node)");',
    );
    expect((await stria(...compress)).stderr).toContain(
      "; not on a GPU: the package webgpu cannot be loaded: /lib64/libc.so.6: version `GLIBC_2.34' not found",
    );
    expect(await stria('compress', ...compress.slice(1), '--device', 'gpu')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('GLIBC_2.34'),
    });
  },
);

test('the man page and the completions have every command', () => {
  const files = commandFiles();
  for (const name of commandNames) {
    expect(files['stria.1']).toContain(`.SH ${name.toUpperCase()}\n`);
    expect(files['stria.bash']).toContain(`    ${name}) words="--`);
    expect(files._stria).toContain(`    ${name}) _arguments `);
    expect(files['stria.fish']).toContain(`-a ${name} -d `);
  }
  expect(files['stria.1']).not.toContain('…');
  // Notes that begin with a dot or a quote are text.
  expect(files['stria.1']?.split('\n').filter((line) => /^[.']/.test(line) && !/^\.(TH|SH|PP|TP|nf|fi)\b/.test(line))).toEqual(
    [],
  );
});

test.runIf(process.platform === 'linux')('bash completes commands and options', () => {
  writeFileSync(join(folder, 'stria.bash'), commandFiles()['stria.bash'] ?? '');
  const complete = (...words: readonly string[]) =>
    execFileSync(
      'bash',
      [
        '-c',
        `source stria.bash; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _stria; echo "\${COMPREPLY[@]}"`,
      ],
      { cwd: folder, encoding: 'utf8' },
    ).trim();
  expect(complete('stria', 'dec')).toBe('decompress');
  expect(complete('stria', 'compress', '--dev')).toBe('--device');
  expect(complete('stria', 'verify', 'a.s')).toBe('a.stria');
});

const hasFish = spawnSync('fish', ['--version']).status === 0;

test.runIf(hasFish)('fish completes commands and options', () => {
  writeFileSync(join(folder, 'stria.fish'), commandFiles()['stria.fish'] ?? '');
  const complete = (line: string) =>
    execFileSync('fish', ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', '--', 'stria.fish', line], {
      cwd: folder,
      encoding: 'utf8',
    })
      .split('\n')
      .map((one) => one.split('\t')[0]);
  expect(complete('stria dec')).toContain('decompress');
  expect(complete('stria compress --dev')).toContain('--device');
});
