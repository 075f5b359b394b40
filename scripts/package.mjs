// `npm run package`: installers and archives for this system, in dist/. Says first what is missing, and what will not be signed.
//   --dir          only the unpacked app
//   --targets a,b  some of the system's packages: nsis, portable, dmg, zip, AppImage, deb, rpm, flatpak
//   --check        only say what is missing
//   --out DIR      instead of dist
// ELECTRON_DIST names a folder with Electron's files, where they cannot be downloaded.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hasCommand } from './tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    dir: { type: 'boolean', default: false },
    targets: { type: 'string' },
    check: { type: 'boolean', default: false },
    out: { type: 'string' },
  },
});
const env = process.env;
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const installed = join(root, 'node_modules/electron/dist');
const electronDist = env.ELECTRON_DIST || (existsSync(join(installed, 'version')) ? installed : undefined);

const missing = [];
if (!existsSync(join(root, 'out/main/index.js'))) missing.push('The build: run `npm run build`.');
if (electronDist === undefined) {
  missing.push(
    "Electron's files: run `npx install-electron` where its download can be reached, or unpack its zip and set ELECTRON_DIST to that folder.",
  );
} else if (!existsSync(join(electronDist, 'version'))) missing.push(`ELECTRON_DIST: there is no Electron in ${electronDist}.`);

const linuxPackages = process.platform === 'linux' && !values.dir;
const wanted = values.targets?.split(',');
const wants = (target) => linuxPackages && (wanted === undefined || wanted.includes(target));
if ((wants('deb') || wants('rpm')) && !packageJson.homepage && !env.STRIA_HOMEPAGE)
  missing.push('For deb and rpm a home page: `homepage` in package.json, or STRIA_HOMEPAGE.');
if ((wants('deb') || wants('rpm')) && !env.STRIA_MAINTAINER)
  missing.push('For deb and rpm a maintainer: STRIA_MAINTAINER="Name <address>".');
if (wants('rpm') && !hasCommand('rpmbuild')) missing.push('For rpm: `rpmbuild` (package rpm).');
if (wants('flatpak') && !hasCommand('flatpak-builder')) missing.push('For flatpak: `flatpak-builder`.');

const mac = Boolean(env.CSC_LINK || env.CSC_NAME);
const notarize = mac && Boolean(env.APPLE_API_KEY || env.APPLE_KEYCHAIN_PROFILE || env.APPLE_APP_SPECIFIC_PASSWORD);
const windows = Boolean(env.WIN_CSC_LINK || env.CSC_LINK);
if (process.platform === 'darwin' && !mac)
  say('Not signed: CSC_LINK and CSC_KEY_PASSWORD are not set. macOS will warn people who open it.');
else if (process.platform === 'darwin' && !notarize)
  say('Not notarised: APPLE_API_KEY, APPLE_API_KEY_ID and APPLE_API_ISSUER are not set.');
if (process.platform === 'win32' && !windows)
  say('Not signed: WIN_CSC_LINK and WIN_CSC_KEY_PASSWORD are not set. Windows will warn people who open it.');

if (!env.STRIA_UPDATE_URL) say('No updates: STRIA_UPDATE_URL is not set, so the app will not offer to look for new versions.');
else if (!env.STRIA_UPDATE_URL.startsWith('https://')) missing.push('STRIA_UPDATE_URL must begin with https://.');

for (const text of missing) say(`Missing. ${text}`);
if (missing.length > 0 || values.check) {
  if (missing.length === 0) say('Nothing is missing.');
  process.exit(missing.length > 0 ? 1 : 0);
}

if (!mac && !windows) env.CSC_IDENTITY_AUTO_DISCOVERY = 'false';
const { build } = await import('electron-builder');
const { gatherCommand, packageConfig } = await import('../packaging/config.mjs');
gatherCommand();
const config = await packageConfig({ electronDist, signed: { mac, notarize }, updateUrl: env.STRIA_UPDATE_URL || undefined });
if (values.out) config.directories.output = values.out;
if (env.STRIA_MAINTAINER) config.linux.maintainer = env.STRIA_MAINTAINER;
if (env.STRIA_HOMEPAGE) config.extraMetadata.homepage = env.STRIA_HOMEPAGE;
const system = { darwin: 'mac', win32: 'win', linux: 'linux' }[process.platform];
const targets = values.dir ? ['dir'] : wanted;
if (targets) config[system].target = targets;
const artifacts = await build({ config, projectDir: root, publish: 'never' }).catch((error) => {
  say(`Failed: ${error.message}`);
  say('electron-builder downloads what it needs for a package (NSIS, AppImage, fpm) when it is made first: docs/RELEASING.md.');
  process.exit(1);
});
for (const path of artifacts) say(`Made ${path}`);

function say(text) {
  console.log(`package: ${text}`);
}
