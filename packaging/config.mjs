// The configuration of electron-builder for all packages. docs/RELEASING.md says how each is made.
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The main bundle, what it imports, and what it loads when it needs it. The command's files are in the same folder, and the app does
 * not need them: the chunks that both share load more, but only for the command.
 */
export function mainFiles(start = join(root, 'out/main/index.js')) {
  const found = new Set([start]);
  for (const file of found) {
    const imports =
      file === start ? /\b(?:from|import)\s*\(?\s*["'`](\.[^"'`]+)["'`]/g : /\b(?:from|import)\s*["'](\.[^"']+)["']/g;
    for (const [, path] of readFileSync(file, 'utf8').matchAll(imports)) found.add(join(dirname(file), path));
  }
  return [...found].map((file) => relative(root, file).replaceAll('\\', '/')).sort();
}

/** For fpm: files, and where deb and rpm install them. */
function systemFiles(zshFunctions) {
  const places = {
    'out/share/stria.thumbnailer': '/usr/share/thumbnailers/stria.thumbnailer',
    'packaging/command/stria': '/usr/bin/stria',
    'out/share/stria.1': '/usr/share/man/man1/stria.1',
    'out/share/stria.bash': '/usr/share/bash-completion/completions/stria',
    'out/share/_stria': `${zshFunctions}/_stria`,
    'out/share/stria.fish': '/usr/share/fish/vendor_completions.d/stria.fish',
    'out/share/stria-mime.xml': '/usr/share/mime/packages/stria.xml',
  };
  const icons = [16, 32, 48, 64, 128, 256, 512].flatMap((side) =>
    ownFiles.map(({ mimeType }) => [
      `packaging/icons/${side}x${side}.png`,
      `/usr/share/icons/hicolor/${side}x${side}/mimetypes/${mimeType.replace('/', '-')}.png`,
    ]),
  );
  return [...Object.entries(places), ...icons].map(([from, to]) => `${join(root, from)}=${to}`);
}

const commandFolder = join(root, 'node_modules/.cache/stria-command');

/**
 * Copies the command and its launchers to a folder of its own, from which packages take it: files that electron-builder takes from `out`
 * for outside the asar would be missing inside.
 */
export function gatherCommand() {
  rmSync(commandFolder, { recursive: true, force: true });
  const isOfApp = (path) => /out[\\/]main[\\/](index|command-files)\.js$/.test(path);
  for (const name of ['out/main', 'out/share', 'out/package.json'])
    cpSync(join(root, name), join(commandFolder, name), { recursive: true, filter: (path) => !isOfApp(path) });
  const launcher = process.platform === 'win32' ? 'stria.cmd' : 'stria';
  cpSync(join(root, 'packaging/command', launcher), join(commandFolder, launcher));
}

/** Bits in Electron's binary that nobody can change without breaking its signature. */
const electronFuses = {
  // ELECTRON_RUN_AS_NODE, NODE_OPTIONS and --inspect would let other programs run code with Stria's signature and permissions.
  runAsNode: false,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableCookieEncryption: true,
  onlyLoadAppFromAsar: true,
  // Checked on macOS and Windows; Electron has no such check on Linux.
  enableEmbeddedAsarIntegrityValidation: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  // The page comes from app://.
  grantFileProtocolExtraPrivileges: false,
  // An arm64 Mac starts no binary whose signature is broken; without a certificate it is signed ad hoc again.
  resetAdHocDarwinSignature: true,
};

/** Stria's own files. They open with Stria by default. */
const ownFiles = [
  { ext: 'stria', name: 'Stria volume', mimeType: 'application/x-stria', role: 'Editor', rank: 'Owner' },
  { ext: 'stria-session', name: 'Stria session', mimeType: 'application/x-stria-session', role: 'Editor', rank: 'Owner' },
];

/** Media types that systems know of files that Stria reads. */
const foreignMimeTypes = [
  'application/dicom',
  'application/x-hdf',
  'application/x-hdf5',
  'application/x-netcdf',
  'image/png',
  'image/tiff',
];

/**
 * @param {{ electronDist?: string, signed?: { mac: boolean, notarize: boolean }, updateUrl?: string }} options `electronDist` is a
 * folder with Electron's files, instead of the installed ones; below `updateUrl` are the packages of the newest version
 */
export async function packageConfig({ electronDist, signed = { mac: false, notarize: false }, updateUrl } = {}) {
  const { module: formats } = await runnerImport(join(root, 'src/core/shared/readable-formats.ts'));
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    appId: 'org.stria.Stria',
    productName: 'Stria',
    copyright: 'The Stria authors, MIT license',
    directories: { output: 'dist', buildResources: 'packaging' },
    electronVersion: devDependencies.electron,
    ...(electronDist && { electronDist }),
    // Nothing of node_modules: out/ is self-contained.
    files: [
      ...mainFiles(),
      'out/package.json',
      'out/preload/**',
      'out/renderer/**',
      'resources/icon.png',
      'LICENSE',
      '!node_modules/**',
    ],
    asar: true,
    extraResources: [{ from: relative(root, commandFolder), to: 'command' }],
    npmRebuild: false,
    // Electron tells desktops that its windows belong to this entry.
    extraMetadata: { desktopName: 'stria-desktop.desktop' },
    electronFuses,
    // Electron's own page for developers. electron-builder leaves it where it copies a folder.
    afterPack: async ({ appOutDir, packager }) =>
      rmSync(join(packager.getResourcesDir(appOutDir), 'default_app.asar'), { force: true }),
    // Writes app-update.yml into the app. Packages without an address do not look for updates.
    publish: updateUrl === undefined ? null : [{ provider: 'generic', url: updateUrl }],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills this in
    artifactName: '${productName}-${version}-${os}-${arch}.${ext}',
    win: { target: ['nsis', 'portable'], icon: 'icon.ico', fileAssociations: ownFiles },
    nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true, include: 'packaging/installer.nsh' },
    portable: {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills this in
      artifactName: '${productName}-${version}-portable.${ext}',
      // A folder for each start. By default all starts share one, and each empties it when it begins and when it ends: the app that
      // restarts itself, and the one that is open while a second start hands its files over, would lose theirs.
      unpackDirName: true,
    },
    mac: {
      target: ['dmg', 'zip'].map((target) => ({ target, arch: ['arm64', 'x64', 'universal'] })),
      category: 'public.app-category.medical',
      icon: 'icon.icns',
      fileAssociations: ownFiles,
      hardenedRuntime: true,
      // Without a certificate the app is signed ad hoc, which Macs with Apple silicon need to start it.
      ...(!signed.mac && { identity: '-' }),
      notarize: signed.notarize,
      extendInfo: {
        // In 'Open with', never the default.
        CFBundleDocumentTypes: [
          {
            CFBundleTypeName: 'Volume',
            CFBundleTypeRole: 'Viewer',
            LSHandlerRank: 'Alternate',
            CFBundleTypeExtensions: formats.lastEndings,
          },
        ],
      },
    },
    linux: {
      target: ['AppImage', 'deb', 'rpm', 'flatpak'],
      // Not `stria`, which is the command's name.
      executableName: 'stria-desktop',
      icon: 'icons',
      category: 'Science',
      // Not `fileAssociations`, which gives Stria's files the icon of a text.
      mimeTypes: [...ownFiles.map(({ mimeType }) => mimeType), ...foreignMimeTypes],
      synopsis: 'Viewer and lossless compressor for scientific volumes',
      desktop: { entry: { Keywords: 'volume;scan;microscopy;NIfTI;DICOM;' } },
    },
    // The command with its manual and completions, and small pictures in file managers, which the command draws.
    deb: { fpm: systemFiles('/usr/share/zsh/vendor-completions'), recommends: ['nodejs'] },
    rpm: { fpm: systemFiles('/usr/share/zsh/site-functions') },
    flatpak: {
      runtimeVersion: '25.08',
      baseVersion: '25.08',
      // No network. Files by name, because a header names its data file.
      finishArgs: ['--socket=wayland', '--socket=fallback-x11', '--share=ipc', '--device=dri', '--filesystem=home'],
    },
  };
}
