import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { commandNames } from '../src/cli/arguments/command-table.ts';

// The recipes of the command. Podman, Apptainer and conda are not needed: their steps are run as they stand in an empty folder.

const folder = mkdtempSync(join(tmpdir(), 'stria-recipes-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const packageJson = JSON.parse(readFileSync('package.json', 'utf8'));
const read = (name: string) => readFileSync(`packaging/command/${name}`, 'utf8');
const conda = read('meta.yaml').replaceAll('{{ version }}', packageJson.version);
const container = read('Containerfile');
const apptainer = read('stria.def');

/** The lines of an indented list in YAML. */
const listOf = (key: string) =>
  (new RegExp(`^ *${key}:\\n((?: +- .*\\n)+)`, 'm').exec(conda)?.[1] ?? '')
    .split('\n')
    .flatMap((line) => line.split('- ')[1] ?? []);
/** The lines of a section in an Apptainer definition. */
const sectionOf = (name: string) =>
  (new RegExp(`^%${name}\\n((?: {2}.*\\n)+)`, 'm').exec(apptainer)?.[1] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

test('the recipes are of this version, name files that there are, and use a Node that the command runs on', () => {
  expect(read('meta.yaml')).toContain(`{% set version = "${packageJson.version}" %}`);
  expect(conda).toContain(`license: ${packageJson.license}`);
  const archive = `stria-${packageJson.version}.tgz`;
  expect(conda).toContain(`path: ../../${archive}`);
  const [major = ''] = /\d+/.exec(packageJson.engines.node) ?? [];
  for (const image of [/^FROM (.*)$/m.exec(container)?.[1], /^From: (.*)$/m.exec(apptainer)?.[1]])
    expect(image).toBe(`node:${major}-bookworm-slim`);
  expect([...conda.matchAll(/nodejs (.*)/g)].map(([, range]) => range)).toEqual(Array(2).fill(packageJson.engines.node));
  // Both images install the same packages, and the command from the archive of `npm pack`.
  for (const [text, place] of [
    [container, '/tmp/stria-*.tgz'],
    [apptainer, '/opt/stria-*.tgz'],
  ] as const) {
    expect(text).toContain('apt-get install -y --no-install-recommends libvulkan1');
    expect(text).toContain(`npm install --global --no-audit --no-fund ${place}`);
  }
  expect(container).toMatch(/^COPY stria-\*\.tgz \/tmp\/$/m);
  expect(apptainer).toMatch(/^%files\n {2}stria-\*\.tgz \/opt\/$/m);
  expect(container).toMatch(/^ENTRYPOINT \["stria"\]$/m);
  expect(sectionOf('runscript')).toEqual(['exec stria "$@"']);
  const steps = [...listOf('commands'), ...sectionOf('test')];
  expect(steps.length).toBeGreaterThanOrEqual(5);
  for (const step of steps) expect(['--version', ...commandNames], step).toContain(step.split(' ')[1]);
});

test.runIf(process.platform === 'linux')('their steps run in an empty folder, and bring the licences', () => {
  const [prefix, source] = [join(folder, 'prefix'), join(folder, 'source')];
  for (const one of [prefix, source]) mkdirSync(one);
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', source]);
  expect(readdirSync(source)).toEqual([`stria-${packageJson.version}.tgz`]);
  const env = {
    ...process.env,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    PREFIX: prefix,
    SRC_DIR: source,
    PATH: `${join(prefix, 'bin')}${delimiter}${process.env.PATH}`,
  };
  const run = (script: string, cwd: string) => {
    const { status, stderr } = spawnSync('sh', ['-ec', script], { cwd, env, encoding: 'utf8' });
    expect({ script, status, stderr: status === 0 ? '' : stderr }).toEqual({ script, status: 0, stderr: '' });
  };
  for (const step of listOf('script')) run(step, source);
  expect(existsSync(join(source, 'LICENSE'))).toBe(true);
  expect(readFileSync(join(source, 'third-party-notices.txt'), 'utf8')).toContain('fflate');
  const place = join(folder, 'work');
  mkdirSync(place);
  for (const step of listOf('commands')) run(step, place);
  // Apptainer's test writes into /tmp; here into the same folder.
  for (const step of sectionOf('test')) run(step.replaceAll('/tmp/zero', `${place}/one`), place);
  expect(readdirSync(place)).toEqual(expect.arrayContaining(['zero.stria', 'one.stria']));
});
