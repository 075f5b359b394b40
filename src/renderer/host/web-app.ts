/** A new version of the web app that is installed and waiting. */
export interface NewVersion {
  state(): 'none' | 'ready' | 'reloading';
  subscribe(listener: () => void): () => void;
  /** Reloads the page with the new version, within seconds. If the host does not answer, the version is 'ready' again. */
  use(): void;
}

const updateCheckMs = 60 * 60 * 1000;

/** How long the new version's worker may wait for the previous one's answers. */
const takeOverMs = 3000;

/**
 * Registers the service worker that makes the web app work offline (resources/web-app/service-worker.js). Only
 * `npm run build:web` makes one, together with the manifest; elsewhere this returns undefined.
 */
export function installWebApp(): NewVersion | undefined {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (workers === undefined || document.querySelector('link[rel="manifest"]') === null) return undefined;
  const listeners = new Set<() => void>();
  let registration: ServiceWorkerRegistration | undefined;
  /** Set once the user has asked for the new version. */
  let takeOver: ReturnType<typeof setTimeout> | undefined;
  const changed = () => {
    for (const listener of listeners) listener();
  };
  workers.addEventListener('controllerchange', () => {
    if (takeOver === undefined) return;
    clearTimeout(takeOver);
    location.reload();
  });
  workers.register(new URL('service-worker.js', document.baseURI), { updateViaCache: 'none' }).then(
    (found) => {
      registration = found;
      changed();
      found.addEventListener('updatefound', () => found.installing?.addEventListener('statechange', changed));
      setInterval(() => void found.update().catch(() => undefined), updateCheckMs);
    },
    // Without the service worker, everything works except offline use.
    (error: unknown) => console.warn('Stria will not work offline:', error),
  );
  return {
    state() {
      if (takeOver !== undefined) return 'reloading';
      // Without an active version, the waiting one is the first to be installed, not a new one.
      return registration?.waiting != null && registration.active !== null ? 'ready' : 'none';
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    use() {
      registration?.waiting?.postMessage('take-over');
      clearTimeout(takeOver);
      takeOver = setTimeout(async () => {
        if (await installAnew(registration)) return;
        takeOver = undefined;
        changed();
      }, takeOverMs);
      changed();
    },
  };
}

/**
 * Removes the workers of all versions and reloads the page from the host, which installs its version again. The browser does not
 * replace a worker that still answers, for example because it waits for the host.
 * @returns false if the host does not answer: the page stays as it is
 */
async function installAnew(registration: ServiceWorkerRegistration | undefined): Promise<boolean> {
  // The workers leave this request to the network. Without an answer the page could not be reloaded.
  const answer = await fetch(new URL('service-worker.js', document.baseURI), { cache: 'no-store' }).catch(() => undefined);
  if (!answer?.ok) return false;
  await registration?.unregister();
  location.reload();
  return true;
}

/** Callbacks for files that the system opens with, or shares with, the installed web app. */
export interface SystemFiles {
  readonly handles: (handles: readonly FileSystemFileHandle[]) => void;
  readonly shared: (files: readonly File[]) => void;
}

export function listenForSystemFiles({ handles, shared }: SystemFiles): void {
  window.launchQueue?.setConsumer(({ files }) => {
    const opened = files.filter((handle) => handle instanceof FileSystemFileHandle);
    if (opened.length > 0) handles(opened);
  });
  if (new URLSearchParams(location.search).has('shared')) {
    void takeShared().then((files) => files.length > 0 && shared(files));
  }
}

/** Takes the shared files that the service worker kept, and deletes them there. */
async function takeShared(): Promise<File[]> {
  const scope = new URL('.', document.baseURI).href;
  const name = `stria shared ${scope}`;
  const cache = await caches.open(name);
  const files: File[] = [];
  for (const { url } of await cache.keys()) {
    const blob = await (await cache.match(url))?.blob();
    if (blob) files.push(new File([blob], decodeURIComponent(url.slice(url.lastIndexOf('/') + 1))));
  }
  await caches.delete(name);
  history.replaceState(null, '', scope);
  return files;
}
