// `npm run build:web`: the web app as a folder of static files, for any host and for any path on it. Takes the built renderer,
// and adds the manifest, icons, the service worker, the content security policy and files with headers for usual hosts.
//   --out DIR       where to write (out/web): a new or empty folder, or one with an earlier version, which is replaced
//   --version TEXT  the version that the service worker compares (package.json's, with a hash of all files)
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';
import { hostFiles, metaPolicy } from './web-hosts.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const renderer = join(root, 'out', 'renderer');
const resources = join(root, 'resources', 'web-app');
const background = '#121416';

const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'out', 'web') }, version: { type: 'string' } },
});
const out = resolve(values.out);
if (!existsSync(join(renderer, 'index.html'))) {
  console.error('build-web: There is no build yet: run `npm run build` first');
  process.exit(1);
}
if (!mayReplace(out)) {
  console.error(`build-web: ${out} holds other files, which would be removed. Name a new folder`);
  process.exit(1);
}
const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const policy = JSON.parse(readFileSync(join(root, 'resources', 'content-security-policy.json'), 'utf8'));
const { module: formats } = await runnerImport(join(root, 'src/core/shared/readable-formats.ts'));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
cpSync(renderer, out, { recursive: true });
for (const name of ['icon-192.png', 'icon-maskable-512.png']) cpSync(join(resources, name), join(out, name));
for (const name of ['icon.png', 'icon.svg']) cpSync(join(root, 'resources', name), join(out, name));
write('manifest.webmanifest', JSON.stringify(manifest(), null, 2));
write('index.html', withHead(readFileSync(join(renderer, 'index.html'), 'utf8')));

// Last, because it has the checksums of the other files. Files for hosts are not part of the app: hosts do not serve them.
const files = Object.fromEntries(namesIn(out).map((name) => [name, `sha256-${digest('base64', readFileSync(join(out, name)))}`]));
const worker = readFileSync(join(resources, 'service-worker.js'), 'utf8');
// With the worker's own text: two workers of one version would share a cache, and one whose installation fails deletes it.
const hash = digest('hex', JSON.stringify([files, worker])).slice(0, 12);
const build = { version: values.version ?? `${version}-${hash}`, files };
write('service-worker.js', `const build = ${JSON.stringify(build)};\n${worker}`);
for (const [name, text] of Object.entries(hostFiles(policy))) write(name, text);

console.log(
  `The web app ${build.version} is in ${out}: ${Object.keys(files).length} files. Put them on any static host with HTTPS.`,
);

/** Whether a folder is missing or empty, or holds what this script has written. */
function mayReplace(folder) {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return true;
  const worker = join(folder, 'service-worker.js');
  return existsSync(worker) && readFileSync(worker, 'utf8').startsWith('const build = {"version":');
}

function write(name, text) {
  writeFileSync(join(out, name), `${text.trimEnd()}\n`);
}

function digest(encoding, bytes) {
  return createHash('sha256').update(bytes).digest(encoding);
}

/** The paths of all files in a folder, with `/`, sorted. */
function namesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    )
    .sort();
}

/** All addresses are relative, so that the app works below any path. */
function manifest() {
  const icon = (src, sizes, type, purpose) => ({ src, sizes, type, purpose });
  // Chromium offers the app only for endings of one part: `.gz` includes `.nii.gz`.
  const endings = ['stria', 'stria-session', ...formats.lastEndings];
  const accept = { 'application/octet-stream': endings.map((ending) => `.${ending}`) };
  return {
    name: 'Stria',
    short_name: 'Stria',
    description,
    id: './',
    start_url: './',
    scope: './',
    display: 'standalone',
    background_color: background,
    theme_color: background,
    categories: ['medical', 'productivity', 'utilities'],
    icons: [
      icon('icon-192.png', '192x192', 'image/png', 'any'),
      icon('icon.png', '512x512', 'image/png', 'any'),
      icon('icon.svg', 'any', 'image/svg+xml', 'any'),
      icon('icon-maskable-512.png', '512x512', 'image/png', 'maskable'),
    ],
    launch_handler: { client_mode: 'focus-existing' },
    file_handlers: [{ action: './', accept }],
    share_target: {
      action: './share',
      method: 'POST',
      enctype: 'multipart/form-data',
      params: { files: [{ name: 'files', accept: ['application/octet-stream', ...accept['application/octet-stream']] }] },
    },
  };
}

function withHead(html) {
  const tags = [
    `<meta http-equiv="content-security-policy" content="${metaPolicy(policy)}" />`,
    '<meta name="referrer" content="no-referrer" />',
    `<meta name="description" content="${description}" />`,
    `<meta name="theme-color" content="${background}" />`,
    '<link rel="manifest" href="./manifest.webmanifest" />',
    '<link rel="apple-touch-icon" href="./icon-192.png" />',
  ];
  const icon = '<link rel="icon" href="data:," />';
  const body = '<div id="root"></div>';
  for (const part of [icon, body]) if (!html.includes(part)) throw new Error(`index.html has no ${part}`);
  // The policy must come before the first script and style.
  return html
    .replace('<meta charset="utf-8" />', `<meta charset="utf-8" />\n    ${tags.join('\n    ')}`)
    .replace(icon, '<link rel="icon" href="./icon.svg" type="image/svg+xml" />')
    .replace(body, `${body}\n    <noscript>${description}. Stria needs JavaScript.</noscript>`);
}
