import type { FileVersion } from '../../core/remote/answers.ts';
import type { ByteSink, SiblingFinder } from '../../core/shared/bytes.ts';
import type { RecentFile, ShellInfo, UnfinishedKind } from '../../core/shared/ipc.ts';
import type { MenuCommand } from '../../core/shared/menu-commands.ts';
import type { DatasetName } from '../../core/shared/volume-names.ts';
import type { NewVersion } from './web-app.ts';

/**
 * A file that the user gave. `handle` can be posted to a worker, where `sourceOf` (host/file-source.ts) reads it: a Blob in
 * slices, a URL by range requests.
 */
export interface HostFile {
  readonly name: string;
  readonly size: number;
  readonly handle: FileHandle;
  readonly siblings: SiblingFinder;
  /** Set if this represents a stack of pictures: the file of each (app/loading/picture-stacks.ts). */
  readonly pictures?: readonly FileHandle[] | undefined;
  /** The files of that stack, in the same order. */
  readonly stackOf?: readonly HostFile[] | undefined;
  /** Set if this is a folder or several files of one series. `handle` is then empty, and `size` is the size of all files, or 0. */
  readonly folder?: FolderHandle | undefined;
  /** Set if the file is at a web address. */
  readonly address?: string | undefined;
  /** Set if the shell can find the file again, for recent files and for saving beside it. */
  readonly id?: string | undefined;
  /** The volume that was open, for a recent file or folder. */
  readonly dataset?: DatasetName | undefined;
}
/** The files of a folder or a series, in a form that can be posted. `app/loading/folder-tree.ts` makes a tree of them. */
export type FolderHandle =
  | { readonly kind: 'files'; readonly name: string; readonly files: readonly FolderFile[] }
  /** A folder that the browser gave access to. */
  | { readonly kind: 'directory'; readonly name: string; readonly handle: FileSystemDirectoryHandle }
  /** The URL lists the files. Each file is below it, at its path. */
  | { readonly kind: 'url'; readonly name: string; readonly url: string }
  /** A Zarr at a web address, whose files are requested by name. */
  | { readonly kind: 'address'; readonly name: string; readonly address: string; readonly relay: string | undefined };
export interface FolderFile {
  /** The path from the folder, with `/`. */
  readonly path: string;
  readonly handle: FileHandle;
}

/** A folder that was dropped. */
export interface DroppedFolder {
  readonly name: string;
  /** The dropped File. The shell may know its path. */
  readonly file: File;
  /** Lists all its files with their paths. @throws StriaError `not-readable`, `unsupported` if there are too many */
  list(): Promise<readonly { readonly path: string; readonly file: File }[]>;
}

export type FileHandle =
  | { readonly kind: 'blob'; readonly name: string; readonly blob: Blob }
  | { readonly kind: 'url'; readonly name: string; readonly size: number; readonly url: string }
  /** A file at a web address, as it was when it was opened. */
  | {
      readonly kind: 'address';
      readonly name: string;
      readonly size: number;
      readonly address: string;
      readonly version: FileVersion;
      /** The URL that relays requests to the server; undefined if the page contacts the server itself. */
      readonly relay: string | undefined;
      /** The first block of the file, or all of it. */
      readonly head: Uint8Array<ArrayBuffer>;
    }
  /**
   * A file that another thread reads (`serveSource`) as long as the thread that uses the handle holds `lock`. The port must be
   * transferred to that thread.
   */
  | { readonly kind: 'port'; readonly name: string; readonly size: number; readonly port: MessagePort; readonly lock: string };

/** A file that is being written. It is hidden until it is closed. */
export interface HostSink extends ByteSink {
  readonly name: string;
  /** The place where it is saved, for display: a folder's path, or 'Downloads'. */
  readonly folder: string;
  /** Drops what was written. The next write begins the file. @throws StriaError `not-writable` */
  restart(): Promise<void>;
  /** Free space of its disk in bytes; undefined if the shell does not know it. */
  readonly freeBytes?: number | undefined;
  /** The path of an opened file relative to this one's folder, with `/`; undefined if the shell does not know. */
  readonly relativePath?: ((file: HostFile) => Promise<string | undefined>) | undefined;
  /** Shows the written file in the system's file manager, if the shell can. */
  readonly reveal?: (() => Promise<void>) | undefined;
}

/** A new folder that is being filled with files. It never replaces an existing one. */
export interface HostFolder {
  /** The name that it will get, unless that is taken by then. */
  readonly name: string;
  /** Its parent folder, for display. */
  readonly folder: string;
  /** Writes a whole file. @throws StriaError `not-writable` */
  write(fileName: string, bytes: Uint8Array): Promise<void>;
  /** Finishes the folder and resolves with its name. @throws StriaError `not-writable`; the folder is then removed */
  close(): Promise<string>;
  /** Removes everything that was written. */
  abort(): Promise<void>;
  /** Shows the folder in the system's file manager, if the shell can. */
  readonly reveal?: (() => Promise<void>) | undefined;
}

/**
 * The services of the shell. There are two: electron.ts over the bridge, and browser.ts over the File System Access API and
 * downloads.
 */
export interface Host {
  readonly kind: 'electron' | 'browser';
  info(): Promise<ShellInfo>;
  /** Shows the open dialog. Empty if the user cancelled. */
  openDialog(): Promise<HostFile[]>;
  /** Shows a dialog for a folder. Undefined if the user cancelled. */
  openFolderDialog(): Promise<HostFile | undefined>;
  /** The files of a drop or of an <input>. Files dropped together are siblings. */
  adopt(files: readonly File[], folders?: readonly DroppedFolder[]): Promise<HostFile[]>;
  /** The file at a path relative to another's folder, if the shell can find it. */
  openRelative(file: HostFile, path: string): Promise<HostFile | undefined>;
  /** Opens a file or a Zarr at a web address. @throws StriaError `invalid-input`, `not-readable`, `aborted` */
  openAddress(address: string): Promise<HostFile>;
  /** Web app only: the address that the page was opened with, by `?url=`. */
  readonly givenAddress?: string | undefined;
  recent(): Promise<RecentFile[]>;
  openRecent(id: string): Promise<HostFile>;
  /** Puts a file first among the recent files. @param dataset the open volume, if the file contains several */
  remember(file: HostFile, thumbnail: string | undefined, dataset?: DatasetName): Promise<void>;
  clearRecent(): Promise<void>;
  /** Shows the save dialog, or prepares a download. Undefined if the user cancelled. */
  saveAs(suggestedName: string): Promise<HostSink | undefined>;
  /** Writes beside the source if the shell can, else into a folder that the user is asked for once, else as a download. */
  saveBeside(file: HostFile, name: string): Promise<HostSink>;
  /** Whether there is a folder picker. */
  canSaveFolder(): boolean;
  /**
   * Asks for a folder and creates a new one in it. Undefined if the user cancelled. @throws StriaError `unsupported` if there is
   * no picker
   */
  saveFolder(suggestedName: string): Promise<HostFolder | undefined>;
  onMenuCommand(listener: (command: MenuCommand) => void): () => void;
  onFilesOpened(listener: (files: HostFile[]) => void, onFault: (error: unknown) => void): () => void;
  /** Electron only: makes the shell ask before it closes a window with unfinished work. A browser asks through `beforeunload`. */
  readonly setUnfinished?: ((kinds: readonly UnfinishedKind[]) => void) | undefined;
  /** Electron only: tells the shell which menu commands are enabled. */
  readonly setMenu?: ((enabled: readonly MenuCommand[]) => void) | undefined;
  /** Electron only: offers to restart with the flags that make WebGPU work with older drivers. */
  readonly restartCompatible?: (() => Promise<void>) | undefined;
  /** Web app only: a newer version of the app. */
  readonly newVersion?: NewVersion | undefined;
}
