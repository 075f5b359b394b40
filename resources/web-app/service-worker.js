// The web app offline. `npm run build:web` puts `const build = { version, files }` before this text, where `files` has the
// SHA-256 of every file of the version. Each version has its own cache, so files of two versions are never mixed: a file that
// does not have its checksum (because the host was updated during the installation) fails the installation, and the version
// before stays. A new version waits until the page says 'take-over' or all pages are closed.
/* global build */

const { scope } = self.registration;
/** CacheStorage is shared by everything on the origin. */
const ending = ` ${scope}`;
const own = `stria ${build.version}${ending}`;
const shared = `stria shared${ending}`;

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('message', ({ data }) => {
  if (data === 'take-over') void self.skipWaiting();
});
self.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const { origin, pathname } = new URL(url);
  const name = pathOf(`${origin}${pathname}`);
  if (name === undefined) return;
  if (method === 'POST' && name === 'share') event.respondWith(receive(event.request));
  else if (method === 'GET' && Object.hasOwn(build.files, name)) event.respondWith(answer(event.request, own, name));
  else if (method === 'GET' && name.startsWith('assets/')) event.respondWith(answerOlder(event.request, name));
});

/** The name of a file of the app; undefined outside the app's folder. */
function pathOf(url) {
  return url.startsWith(scope) ? decodeURI(url.slice(scope.length)) || 'index.html' : undefined;
}

async function install() {
  const cache = await caches.open(own);
  const add = async ([name, integrity]) => {
    // Some hosts redirect `index.html` to its folder, and a redirected response cannot answer a navigation.
    const url = new URL(name === 'index.html' ? './' : name, scope);
    const response = await fetch(url, { cache: 'no-cache', integrity });
    if (!response.ok || response.redirected) throw new Error(`${url} was answered with ${response.status}`);
    await cache.put(new URL(name, scope), response);
  };
  // All of them, because a file that is still being added would keep the cache.
  const added = await Promise.allSettled(Object.entries(build.files).map(add));
  const failed = added.find(({ status }) => status === 'rejected');
  if (failed === undefined) return;
  await caches.delete(own);
  throw failed.reason;
}

/** Keeps the version before too: a page of it may still be open and load a part of it. */
async function activate() {
  const versions = (await caches.keys()).filter((name) => name.startsWith('stria ') && name.endsWith(ending) && name !== shared);
  const older = versions.filter((name) => name !== own);
  await Promise.all(older.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function answer(request, cacheName, name) {
  const cache = await caches.open(cacheName);
  return (await cache.match(new URL(name, scope))) ?? fetch(request);
}

/** A part of the version before. Its name has a hash of its content, so it cannot be one of this version. */
async function answerOlder(request, name) {
  return (await caches.match(new URL(name, scope))) ?? fetch(request);
}

/** Files that another app shares: kept until the page, which opens next, takes them (src/renderer/host/web-app.ts). */
async function receive(request) {
  try {
    const files = (await request.formData()).getAll('files').filter((value) => value instanceof File);
    await caches.delete(shared);
    const cache = await caches.open(shared);
    for (const [index, file] of files.entries()) {
      await cache.put(new URL(`shared/${index}/${encodeURIComponent(file.name)}`, scope), new Response(file));
    }
    return Response.redirect(new URL('./?shared', scope), 303);
  } catch (error) {
    await caches.delete(shared);
    const text = `Stria could not take the shared files: ${error.message}. Open them in Stria instead.`;
    return new Response(text, { status: 507, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  }
}
