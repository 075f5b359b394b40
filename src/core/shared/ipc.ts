import type { FaultData } from './errors.ts';
import type { MenuCommand } from './menu-commands.ts';
import type { DatasetName } from './volume-names.ts';

/** A file that the renderer may read. `url` serves its bytes, with ranges, under the app's own scheme. */
export interface OpenedFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly url: string;
  /** Set for a folder: `url` lists its files as pairs of path and size, and each file's URL is below it. Its size is 0. */
  readonly isFolder?: boolean | undefined;
  /** Set for a file at this web address, which the page opens through main. Then the size is 0 and there is no `url`. */
  readonly address?: string | undefined;
  /** For a recent file or folder: the volume in it that was open. */
  readonly dataset?: DatasetName | undefined;
}

export interface RecentFile {
  readonly id: string;
  readonly name: string;
  readonly folder: string;
  /** Set if it lies at a web address. */
  readonly address?: string | undefined;
  /** ISO 8601. */
  readonly openedAt: string;
  /** A small PNG data URL, or undefined. */
  readonly thumbnail?: string | undefined;
  /** The volume in it that was open, if there are several. */
  readonly dataset?: DatasetName | undefined;
}

export interface ShellInfo {
  readonly stria: string;
  readonly electron: string;
  readonly chromium: string;
  readonly platform: string;
  /** Started with the flags that make WebGPU work on older Linux drivers. */
  readonly compatibilityMode: boolean;
}

/** What closing the window would lose. Main lists these when it asks. */
export const unfinishedKinds = ['saving', 'compressing', 'pictures', 'measurements'] as const;
export type UnfinishedKind = (typeof unfinishedKinds)[number];

/** A save that has begun. */
export interface BegunSave {
  readonly id: string;
  readonly name: string;
  readonly folder: string;
  /** Free space of its disk in bytes; null if the system does not report it. */
  readonly freeBytes: number | null;
}

/** Calls from the renderer to main, with their arguments and results. Handlers and bridge are mapped types of this. */
export interface Calls {
  'shell-info': { args: []; result: ShellInfo };
  /** Shows the open dialog. Empty if the user cancels. */
  'open-dialog': { args: []; result: OpenedFile[] };
  /** Shows a dialog for a folder. Null if the user cancels. */
  'open-folder-dialog': { args: []; result: OpenedFile | null };
  /** A file beside an opened one that its format refers to, or null. Main may ask the user; a refusal is `not-readable`. */
  'open-sibling': { args: [id: string, name: string]; result: OpenedFile | null };
  /**
   * The volume of a session: the file at a path relative to the session's folder, with `/`. Null if it is missing or the user
   * refuses.
   */
  'open-relative': { args: [id: string, path: string]; result: OpenedFile | null };
  /**
   * Lets the page read from the host of a web address. Main asks the user first; a refusal is `not-readable`. The result is
   * the URL under which main relays requests, to which the page appends the encoded address.
   */
  'allow-address': { args: [address: string]; result: string };
  'recent-list': { args: []; result: RecentFile[] };
  'recent-open': { args: [id: string]; result: OpenedFile };
  /** Only for files and folders that the user chose. */
  'recent-add': { args: [id: string, thumbnail: string | null, dataset: DatasetName | null]; result: null };
  /** The same for a web address that main allows the page to read. */
  'recent-add-address': { args: [address: string, thumbnail: string | null, dataset: DatasetName | null]; result: null };
  'recent-clear': { args: []; result: null };
  /** Shows the save dialog and opens a temporary file beside the target. Null if the user cancels. */
  'save-begin': { args: [suggestedName: string]; result: BegunSave | null };
  /**
   * Like `save-begin`, but beside a file that the user chose and without a dialog. The name ends in .stria. Overwrites only the
   * levels of that file; otherwise picks `name (2).stria` instead.
   */
  'save-beside': { args: [openedId: string, name: string]; result: BegunSave };
  'save-write': { args: [id: string, bytes: Uint8Array]; result: null };
  /** Empties the temporary file. */
  'save-restart': { args: [id: string]; result: null };
  /** The path of an opened file relative to the folder of a save, with `/`; null if there is none (another drive). */
  'save-relative': { args: [id: string, openedId: string]; result: string | null };
  /** Flushes the temporary file and gives it its name. */
  'save-commit': { args: [id: string]; result: null };
  'save-abort': { args: [id: string]; result: null };
  /** Shows a folder dialog and creates a new folder there under a temporary name. Null if the user cancels. */
  'folder-begin': { args: [suggestedName: string]; result: { id: string; name: string; folder: string } | null };
  /** Appends bytes to a file in that folder. */
  'folder-write': { args: [id: string, fileName: string, bytes: Uint8Array]; result: null };
  /** Gives the folder its name, or the first free `name (2)` … */
  'folder-commit': { args: [id: string]; result: { name: string; folder: string } };
  'folder-abort': { args: [id: string]; result: null };
  /** Shows a written folder in the system's file manager. */
  'show-folder': { args: [id: string]; result: null };
  /** Shows a written file in the system's file manager. */
  'show-saved': { args: [id: string]; result: null };
  /** What closing the window would lose from now on. Main asks before it closes the window, unless the list is empty. */
  'set-unfinished': { args: [kinds: readonly UnfinishedKind[]]; result: null };
  /** The menu commands that are enabled from now on. */
  'set-menu': { args: [enabled: readonly MenuCommand[]]; result: null };
  /** Asks the user, then restarts with WebGPU's compatibility flags, and remembers the choice. */
  'restart-compatible': { args: []; result: null };
}
export type CallName = keyof Calls;
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: FaultData };

/** Messages from main to the renderer. */
export interface Events {
  'menu-command': MenuCommand;
  /** From a file argument, a double-click or a second instance. */
  'files-opened': OpenedFile[];
}
export type EventName = keyof Events;

/** The object that preload exposes as `window.stria`, and nothing else. */
export interface StriaBridge {
  call<Name extends CallName>(name: Name, ...args: Calls[Name]['args']): Promise<Answer<Calls[Name]['result']>>;
  /** Returns a function that removes the listener. */
  on<Name extends EventName>(name: Name, listener: (event: Events[Name]) => void): () => void;
  /** Registers a dropped File with main, so that it can have siblings and appear among recent files. Null if it has no path. */
  openDropped(file: File): Promise<Answer<OpenedFile | null>>;
}
