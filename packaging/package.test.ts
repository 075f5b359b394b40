import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

  expect(existsSync(join(app, 'resources/default_app.asar'))).toBe(false);
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

test.runIf(process.platform !== 'win32')(
  'the command of the app refuses a Node that is too old, and says which one it found',
  () => {
    const tools = join(folder, 'other-node');
    mkdirSync(tools);
    const runWith = (version: string) => {
      const answer = `if [ "$1" = --version ]; then echo ${version}; else echo ran; fi`;
      writeFileSync(join(tools, 'node'), `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
      const env = { PATH: `${tools}:${process.env.PATH}` };
      const { status, stdout, stderr } = spawnSync('/bin/sh', ['packaging/command/stria', 'info'], { encoding: 'utf8', env });
      return [status, stdout, stderr];
    };
    for (const version of ['v18.20.4', 'v20.9.0', 'v20.18.3'])
      expect(runWith(version)).toEqual([
        127,
        '',
        expect.stringContaining(`Node 20.19 or newer, and this is Node ${version.slice(1)} `),
      ]);
    for (const version of ['v20.19.0', 'v22.1.0', 'v100.0.0-pre']) expect(runWith(version)).toEqual([0, 'ran\n', '']);
  },
);

test('packages look for updates only if they are made with an address', async () => {
  expect((await packageConfig()).publish).toBeNull();
  expect((await packageConfig({ updateUrl: 'https://a' })).publish).toEqual([{ provider: 'generic', url: 'https://a' }]);
});

/** What fpm, which makes the package, gets from electron-builder. It is not needed here. */
const fpm = `#!/bin/sh
printf '%s\\n' "$@" > "$FPM_SAID/arguments"
for one in "$@"; do
  case "$one" in
    *.desktop) cp "\${one%%=*}" "$FPM_SAID/entry" ;;
  esac
  [ "$before" = --package ] && echo deb > "$one"
  before=$one
done
`;

test.runIf(process.platform === 'linux')('a deb has the app, the command, icons, media types and what it needs', async () => {
  const said = join(folder, 'fpm');
  mkdirSync(said);
  writeFileSync(join(said, 'fpm'), fpm, { mode: 0o755 });
  const env = {
    ...process.env,
    ELECTRON_DIST: join(folder, 'electron'),
    STRIA_MAINTAINER: 'Somebody <a@example.org>',
    STRIA_HOMEPAGE: 'https://example.org',
    USE_SYSTEM_FPM: 'true',
    FPM_SAID: said,
    PATH: `${said}:${process.env.PATH}`,
  };
  const args = ['scripts/package.mjs', '--targets', 'deb', '--out', join(folder, 'deb')];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toMatch(/^package: Made .*Stria-[\d.]+-linux-(amd64|arm64)\.deb$/m);
  const given = readFileSync(join(said, 'arguments'), 'utf8').split('\n');
  const files = new Map(given.filter((line) => line.includes('=/')).map((line) => line.split('=').reverse() as [string, string]));
  expect([...files.keys()]).toEqual(
    expect.arrayContaining([
      '/opt/Stria',
      '/usr/bin/stria',
      '/usr/share/man/man1/stria.1',
      '/usr/share/bash-completion/completions/stria',
      '/usr/share/zsh/vendor-completions/_stria',
      '/usr/share/fish/vendor_completions.d/stria.fish',
      '/usr/share/thumbnailers/stria.thumbnailer',
      '/usr/share/mime/packages/stria.xml',
      '/usr/share/icons/hicolor/48x48/mimetypes/application-x-stria.png',
      '/usr/share/icons/hicolor/48x48/mimetypes/application-x-stria-session.png',
      '/usr/share/icons/hicolor/256x256/apps/stria-desktop.png',
    ]),
  );
  const ours = [...files.values()].filter((path) => path.startsWith(resolve('.')));
  expect(ours.filter((path) => !statSync(path, { throwIfNoEntry: false }))).toEqual([]);
  expect(given.slice(given.indexOf('--deb-recommends')).at(1)).toBe('nodejs');
  expect(statSync('packaging/command/stria').mode & 0o111).toBe(0o111);
  const entry = readFileSync(join(said, 'entry'), 'utf8');
  expect(entry).toMatch(/^Exec=\/opt\/Stria\/stria-desktop %U$/m);
  expect(entry).toMatch(/^StartupWMClass=stria-desktop$/m);
  const [, types = ''] = /^MimeType=(.*)$/m.exec(entry) ?? [];
  const wanted = ['application/x-stria', 'application/x-stria-session', 'application/dicom', 'image/tiff'];
  expect(types.split(';')).toEqual(expect.arrayContaining(wanted));
  // The files of an rpm are the same, except for zsh's folder.
  const { deb, rpm } = await packageConfig();
  const places = (one: typeof deb | typeof rpm) => (one?.fpm ?? []).map((line) => line.split('=')[1]);
  expect(places(rpm)).toEqual(places(deb).map((path) => path?.replace('vendor-completions', 'site-functions')));
});

test('each start of the portable app unpacks itself into a folder of its own', async () => {
  // NsisTarget defines the name of a shared folder for anything but `true`, although its documentation says `false`.
  expect((await packageConfig()).portable?.unpackDirName).toBe(true);
});

test("Stria's own files open with it by default, others are only offered", async () => {
  const { mac, win, linux } = await packageConfig();
  for (const { fileAssociations } of [mac ?? {}, win ?? {}]) {
    expect([fileAssociations].flat().map((one) => one && [one.ext, one.rank])).toEqual([
      ['stria', 'Owner'],
      ['stria-session', 'Owner'],
    ]);
  }
  expect(linux?.mimeTypes).toEqual(expect.arrayContaining(['application/x-stria', 'application/x-stria-session']));
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
