import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createPackage, extractFile, listPackage } from '@electron/asar';
import { FuseV1Options, FuseVersion, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, expect, test } from 'vitest';
import { readableEndings } from '../src/core/shared/readable-formats.ts';
import { mainFiles, packageConfig } from './config.mjs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

const folder = mkdtempSync(join(tmpdir(), 'stria-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The mark in Electron's binary that its fuses follow: the version, their count, and a character for each. */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

/** A folder like the one that Electron's zip has, with the fuses as they are there, and nothing that runs. */
async function standInElectron(): Promise<string> {
  const dist = join(folder, 'electron');
  mkdirSync(join(dist, 'resources'), { recursive: true });
  mkdirSync(join(dist, 'locales'));
  const names = ['LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox', 'chrome_crashpad_handler', 'locales/en-US.pak'];
  for (const name of names) writeFileSync(join(dist, name), name);
  writeFileSync(join(dist, 'version'), '45.4.1');
  const fuses = Buffer.concat([Buffer.from(sentinel), Buffer.from([1, 8]), Buffer.from('10110001')]);
  writeFileSync(join(dist, 'electron'), Buffer.concat([Buffer.alloc(100), fuses, Buffer.alloc(100)]));
  chmodSync(join(dist, 'electron'), 0o755);
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  writeFileSync(join(empty, 'main.js'), '');
  await createPackage(empty, join(dist, 'resources/default_app.asar'));
  return dist;
}

test('without Electron, packaging names what is missing and makes nothing', () => {
  const none = { ELECTRON_DIST: join(folder, 'none'), STRIA_MAINTAINER: '', STRIA_HOMEPAGE: '', STRIA_UPDATE_URL: 'http://a' };
  const env = { ...process.env, ...none };
  const { status, stdout } = spawnSync(process.execPath, ['scripts/package.mjs', '--out', join(folder, 'none')], {
    env,
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stdout).toContain(`Missing. ELECTRON_DIST: there is no Electron in ${join(folder, 'none')}`);
  expect(stdout).toContain('Missing. STRIA_UPDATE_URL must begin with https://');
  if (process.platform === 'linux') expect(stdout).toContain('Missing. For deb and rpm a maintainer');
});

test.runIf(process.platform === 'linux')('the app holds what it needs and no more, and its fuses are set', async () => {
  const dist = await standInElectron();
  const out = join(folder, 'dist');
  const env = { ...process.env, ELECTRON_DIST: dist, STRIA_UPDATE_URL: 'https://updates.example/stria' };
  await promisify(execFile)(process.execPath, ['scripts/package.mjs', '--dir', '--out', out], { env });
  const app = join(out, 'linux-unpacked');
  const asar = join(app, 'resources/app.asar');

  const entries = listPackage(asar, { isPack: false }).map((name) => name.replaceAll('\\', '/').slice(1));
  const isFile = (name: string) => statSync(resolve(name), { throwIfNoEntry: false })?.isFile();
  const files = entries.filter(isFile);
  const known = new Set([
    ...mainFiles(),
    'LICENSE',
    'out/package.json',
    'out/preload/index.cjs',
    'package.json',
    'resources/icon.png',
  ]);
  expect(files.filter((name) => !known.has(name) && !name.startsWith('out/renderer/'))).toEqual([]);
  expect([...known].filter((name) => !files.includes(name))).toEqual([]);
  expect(entries.filter((name) => /node_modules|cli\.js|\.map$|\.ts$|test/.test(name))).toEqual([]);
  for (const name of ['out/main/index.js', 'out/renderer/index.html']) {
    expect(extractFile(asar, name).equals(readFileSync(name)), name).toBe(true);
  }

  const size = (prefix: string) =>
    files.filter((name) => name.startsWith(prefix)).reduce((sum, name) => sum + statSync(name).size, 0);
  expect(size('out/main/')).toBeLessThan(1_000_000);
  expect(size('out/renderer/')).toBeLessThan(25_000_000);
  const { scripts, devDependencies, main } = JSON.parse(extractFile(asar, 'package.json').toString());
  expect([scripts, devDependencies, main]).toEqual([undefined, undefined, 'out/main/index.js']);

  // The app looks for updates only where electron-builder has left their address.
  expect(readFileSync(join(app, 'resources/app-update.yml'), 'utf8')).toContain('url: https://updates.example/stria');
  const updater = files.filter((name) => extractFile(asar, name).includes('app-update.yml'));
  expect(updater.filter((name) => name.startsWith('out/main/chunks/'))).toHaveLength(1);

  // The command comes along, and runs with the Node that is installed.
  const stria = join(app, 'resources/command/stria');
  const sample = join(folder, 'sample.nii');
  expect(execFileSync(stria, ['--version'], { encoding: 'utf8' })).toContain(version);
  for (const args of [
    ['sample', 'potential', '--size', '32', '-o', sample],
    ['compress', sample, '-o', `${sample}.stria`],
    ['verify', `${sample}.stria`],
  ]) {
    execFileSync(stria, [...args, '--quiet'], { env: { ...process.env, VK_DRIVER_FILES: join(folder, 'none.json') } });
  }
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  for (const name of ['dirname', 'readlink']) symlinkSync(`/usr/bin/${name}`, join(tools, name));
  expect(spawnSync('/bin/sh', [stria, '--version'], { encoding: 'utf8', env: { PATH: tools } })).toMatchObject({
    status: 127,
    stderr: expect.stringContaining('the command needs Node 20.19 or newer'),
  });

  const wire = await getCurrentFuseWire(join(app, 'stria-desktop'));
  const { RunAsNode, EnableCookieEncryption, EnableNodeOptionsEnvironmentVariable, EnableNodeCliInspectArguments } =
    FuseV1Options;
  const { EnableEmbeddedAsarIntegrityValidation, OnlyLoadAppFromAsar, GrantFileProtocolExtraPrivileges } = FuseV1Options;
  const on = [EnableCookieEncryption, EnableEmbeddedAsarIntegrityValidation, OnlyLoadAppFromAsar];
  const off = [RunAsNode, EnableNodeOptionsEnvironmentVariable, EnableNodeCliInspectArguments, GrantFileProtocolExtraPrivileges];
  expect(wire.version).toBe(FuseVersion.V1);
  const bits = (fuses: readonly FuseV1Options[]) => fuses.map((fuse) => String.fromCharCode(Number(wire[fuse]))).join('');
  expect([bits(on), bits(off)]).toEqual(['111', '0000']);
});

test('packages look for updates only if they are made with an address', async () => {
  expect((await packageConfig()).publish).toBeNull();
  expect((await packageConfig({ updateUrl: 'https://a' })).publish).toEqual([{ provider: 'generic', url: 'https://a' }]);
});

test('deb and rpm install the command with its manual and completions', async () => {
  const { deb, rpm, linux } = await packageConfig();
  for (const given of [deb, rpm]) {
    const places = (given?.fpm ?? []).map((line) => line.split('=') as [string, string]);
    for (const [from] of places) expect(statSync(from).isFile(), from).toBe(true);
    const to = places.map(([, path]) => path);
    expect(to).toEqual(expect.arrayContaining(['/usr/bin/stria', '/usr/share/man/man1/stria.1']));
    expect(to.filter((path) => /complet|site-functions/.test(path))).toHaveLength(3);
  }
  expect(statSync('packaging/command/stria').mode & 0o111).toBe(0o111);
  expect(linux?.executableName).not.toBe('stria');
});

test("Stria's own files open with it by default, others are only offered", async () => {
  const { fileAssociations, mac, linux } = await packageConfig();
  expect([fileAssociations].flat().map((one) => one && [one.ext, one.rank])).toEqual([
    ['stria', 'Owner'],
    ['stria-session', 'Owner'],
  ]);
  const types = mac?.extendInfo as { CFBundleDocumentTypes: { LSHandlerRank: string; CFBundleTypeExtensions: string[] }[] };
  const [foreign] = types.CFBundleDocumentTypes;
  expect(foreign?.LSHandlerRank).toBe('Alternate');
  expect(foreign?.CFBundleTypeExtensions).toEqual(expect.arrayContaining(['nii', 'dcm', 'h5', 'tif']));
  expect(linux?.executableName).not.toBe('stria');
  const offered = [...readFileSync('packaging/installer.nsh', 'utf8').matchAll(/supportedType "(.+)"/g)].map(
    ([, ending]) => ending,
  );
  expect(offered.filter((ending) => !readableEndings.includes(ending ?? ''))).toEqual([]);
  expect(offered).toEqual(expect.arrayContaining(['nii', 'dcm', 'tif']));
});
