import { placeOfAddress } from '../../core/remote/address.ts';
import type { RecentFile } from '../../core/shared/ipc.ts';
import type { DatasetName } from '../../core/shared/volume-names.ts';

export type RecentHandle = FileSystemFileHandle | FileSystemDirectoryHandle;

/** A file or folder that can be found again: with the handle that IndexedDB stores, or at a web address. */
interface RecentEntry extends RecentFile {
  readonly handle?: RecentHandle | undefined;
}

/** The handle or the address by which a recent file is found again. */
interface RecentPlace {
  readonly name: string;
  readonly handle?: RecentHandle;
  readonly address?: string;
}

const databaseName = 'stria';
const storeName = 'recent-files';
const most = 12;

/** The recent files, newest first. Empty if the browser gives us no database (private windows, blocked site data). */
export async function listRecent(): Promise<RecentFile[]> {
  const entries = await readAll().catch(() => []);
  return entries.map(({ handle: _, ...file }) => file);
}

export async function recentEntry(id: string): Promise<RecentEntry | undefined> {
  const entries = await readAll().catch(() => []);
  return entries.find((entry) => entry.id === id);
}

/** Puts a file first and drops the oldest beyond twelve. Does nothing if the browser gives us no database. */
export async function addRecent(
  { name, handle, address }: RecentPlace,
  thumbnail: string | undefined,
  dataset: DatasetName | undefined,
): Promise<void> {
  const entries = await readAll().catch(() => undefined);
  if (entries === undefined) return;
  const others: RecentEntry[] = [];
  let before: RecentEntry | undefined;
  for (const entry of entries) {
    const isSame = handle ? await entry.handle?.isSameEntry(handle) : entry.address === address;
    if (entry.dataset?.id === dataset?.id && isSame) before = entry;
    else others.push(entry);
  }
  const added: RecentEntry = {
    id: before?.id ?? crypto.randomUUID(),
    name,
    folder: address === undefined ? '' : placeOfAddress(address),
    address,
    openedAt: new Date().toISOString(),
    thumbnail: thumbnail ?? before?.thumbnail,
    dataset,
    handle,
  };
  await replaceAll([added, ...others].slice(0, most));
}

export async function clearRecentStore(): Promise<void> {
  await replaceAll([]);
}

async function readAll(): Promise<RecentEntry[]> {
  const database = await openDatabase();
  try {
    const request = database.transaction(storeName).objectStore(storeName).getAll();
    const entries = (await resultOf(request)) as RecentEntry[];
    return entries.sort((a, b) => b.openedAt.localeCompare(a.openedAt));
  } finally {
    database.close();
  }
}

async function replaceAll(entries: readonly RecentEntry[]): Promise<void> {
  const database = await openDatabase();
  try {
    const transaction = database.transaction(storeName, 'readwrite');
    const store = transaction.objectStore(storeName);
    store.clear();
    for (const entry of entries) store.put(entry);
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

async function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(storeName, { keyPath: 'id' });
  return resultOf(request);
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
