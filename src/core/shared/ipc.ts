import type { FaultData } from './errors.ts';

/** A file that main has allowed the renderer to read. `url` serves its bytes, with ranges, under the app's own scheme. */
export interface OpenedFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly url: string;
}

export interface RecentFile {
  readonly id: string;
  readonly name: string;
  readonly folder: string;
  /** ISO 8601. */
  readonly openedAt: string;
  /** A small PNG data URL, or undefined. */
  readonly thumbnail?: string | undefined;
}

export interface ShellInfo {
  readonly stria: string;
  readonly electron: string;
  readonly chromium: string;
  readonly platform: string;
  /** Started with the flags that make WebGPU work on older Linux drivers. */
  readonly compatibilityMode: boolean;
}

/** Commands that menus send. The renderer maps each to the same command its buttons and keys use. */
export const menuCommands = [
  'open',
  'save',
  'save-session',
  'close',
  'undo',
  'redo',
  'settings',
  'compress',
  'reset-view',
  'layout-1',
  'layout-2',
  'layout-3',
  'layout-4',
  'shortcuts',
  'about',
  'diagnostics',
] as const;
export type MenuCommand = (typeof menuCommands)[number];

/** What closing the window would lose. Main says so when it asks. */
export const unfinishedKinds = ['saving', 'compressing', 'pictures', 'measurements'] as const;
export type UnfinishedKind = (typeof unfinishedKinds)[number];

/** Calls from the renderer to main: arguments and answer of each. Handlers and bridge are mapped types of this. */
export interface Calls {
  'shell-info': { args: []; result: ShellInfo };
  /** Shows the open dialog. Empty: the user backed out. */
  'open-dialog': { args: []; result: OpenedFile[] };
  /** A file beside an opened one that its format refers to, or null. Main may ask the user; a no is `not-readable`. */
  'open-sibling': { args: [id: string, name: string]; result: OpenedFile | null };
  /** What a session says of its volume: the file at a path from its folder, with `/`. Null: it is not there, or the user said no. */
  'open-relative': { args: [id: string, path: string]; result: OpenedFile | null };
  'recent-list': { args: []; result: RecentFile[] };
  'recent-open': { args: [id: string]; result: OpenedFile };
  /** For files that the user chose alone. */
  'recent-add': { args: [id: string, thumbnail: string | null]; result: null };
  'recent-clear': { args: []; result: null };
  /** Shows the save dialog, opens a temporary file beside the target. Null: the user backed out. */
  'save-begin': { args: [suggestedName: string]; result: { id: string; name: string; folder: string } | null };
  /** As `save-begin` beside a file that the user chose, without a dialog. The name ends in .stria; never overwrites: picks `name (2).stria`. */
  'save-beside': { args: [openedId: string, name: string]; result: { id: string; name: string; folder: string } };
  'save-write': { args: [id: string, bytes: Uint8Array]; result: null };
  /** The path of an opened file from the folder of a save, with `/`; null where there is none (another drive). */
  'save-relative': { args: [id: string, openedId: string]; result: string | null };
  /** Flushes and renames the temporary file to its name. */
  'save-commit': { args: [id: string]; result: null };
  'save-abort': { args: [id: string]; result: null };
  /** Shows a dialog for a folder, begins a new folder in it under a temporary name. Null: the user backed out. */
  'folder-begin': { args: [suggestedName: string]; result: { id: string; name: string; folder: string } | null };
  /** Adds bytes to the end of a file of that folder. */
  'folder-write': { args: [id: string, fileName: string, bytes: Uint8Array]; result: null };
  /** Gives the folder its name, or the first free `name (2)` … */
  'folder-commit': { args: [id: string]; result: { name: string; folder: string } };
  'folder-abort': { args: [id: string]; result: null };
  /** Shows a written folder in the system's file manager. */
  'show-folder': { args: [id: string]; result: null };
  /** Shows a written file in the system's file manager. */
  'show-saved': { args: [id: string]; result: null };
  /** What closing the window would lose from now on. Main asks before it closes; empty: it just closes. */
  'set-unfinished': { args: [kinds: readonly UnfinishedKind[]]; result: null };
  /** Asks the user, then restarts with WebGPU's compatibility flags, and remembers. */
  'restart-compatible': { args: []; result: null };
}
export type CallName = keyof Calls;
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: FaultData };

/** Messages from main to the renderer. */
export interface Events {
  'menu-command': MenuCommand;
  /** A file argument, a double-click, a second instance. */
  'files-opened': OpenedFile[];
}
export type EventName = keyof Events;

/** What preload puts on `window.stria`: one typed object, nothing else. */
export interface StriaBridge {
  call<Name extends CallName>(name: Name, ...args: Calls[Name]['args']): Promise<Answer<Calls[Name]['result']>>;
  /** Returns the function that ends it. */
  on<Name extends EventName>(name: Name, listener: (event: Events[Name]) => void): () => void;
  /** Registers a dropped File with main, so that it has siblings and a place among recent files. Null: it has no path. */
  openDropped(file: File): Promise<Answer<OpenedFile | null>>;
}
