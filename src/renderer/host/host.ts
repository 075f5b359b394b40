import type { ByteSink, SiblingFinder } from '../../core/shared/bytes.ts';
import type { MenuCommand, RecentFile, ShellInfo, UnfinishedKind } from '../../core/shared/ipc.ts';

/**
 * A file that the user gave. `handle` can be posted to a worker, where `sourceOf` (host/file-source.ts) reads it:
 * a Blob by slices, a URL by range requests.
 */
export interface HostFile {
  readonly name: string;
  readonly size: number;
  readonly handle: FileHandle;
  readonly siblings: SiblingFinder;
  /** Set where this stands for a stack of pictures: the file of each (app/picture-stacks.ts). */
  readonly pictures?: readonly FileHandle[] | undefined;
  /** The files of that stack, in the same order. */
  readonly stackOf?: readonly HostFile[] | undefined;
  /** Set where the shell can find the file again (recent files, saving beside it). */
  readonly id?: string | undefined;
}
export type FileHandle =
  | { readonly kind: 'blob'; readonly name: string; readonly blob: Blob }
  | { readonly kind: 'url'; readonly name: string; readonly size: number; readonly url: string };

/** A file being written: hidden until closed. */
export interface HostSink extends ByteSink {
  readonly name: string;
  /** Where it goes, for people: a folder's path, or 'Downloads'. */
  readonly folder: string;
  /** The path of an opened file from the folder where this goes, with `/`; undefined where the shell knows none. */
  readonly relativePath?: ((file: HostFile) => Promise<string | undefined>) | undefined;
  /** Shows the written file in the system's file manager, where the shell can. */
  readonly reveal?: (() => Promise<void>) | undefined;
}

/** A new folder being filled with files: it replaces nothing. */
export interface HostFolder {
  /** What it will be called, if nothing else is by then. */
  readonly name: string;
  /** Where it lies, for people. */
  readonly folder: string;
  /** A whole file. @throws StriaError `not-writable` */
  write(fileName: string, bytes: Uint8Array): Promise<void>;
  /** Ends it. Resolves with its name. @throws StriaError `not-writable`; then nothing is left */
  close(): Promise<string>;
  /** Removes all that was written. */
  abort(): Promise<void>;
  /** Shows the folder in the system's file manager, where the shell can. */
  readonly reveal?: (() => Promise<void>) | undefined;
}

/** What the shell gives. Two of them: electron.ts over the bridge, browser.ts over the File System Access API and downloads. */
export interface Host {
  readonly kind: 'electron' | 'browser';
  info(): Promise<ShellInfo>;
  /** Shows the open dialog. Empty: the user backed out. */
  openDialog(): Promise<HostFile[]>;
  /** The files of a drop or of an <input>. Files dropped together are each other's siblings. */
  adopt(files: readonly File[]): Promise<HostFile[]>;
  /** The file at a path from another one's folder, where the shell can find it. */
  openRelative(file: HostFile, path: string): Promise<HostFile | undefined>;
  recent(): Promise<RecentFile[]>;
  openRecent(id: string): Promise<HostFile>;
  remember(file: HostFile, thumbnail: string | undefined): Promise<void>;
  clearRecent(): Promise<void>;
  /** Shows the save dialog (or readies a download). Undefined: the user backed out. */
  saveAs(suggestedName: string): Promise<HostSink | undefined>;
  /** Writes beside the source where the shell can, else into a folder asked for once, else as a download. */
  saveBeside(file: HostFile, name: string): Promise<HostSink>;
  /** Whether there is a picker of folders. */
  canSaveFolder(): boolean;
  /** Asks for a folder in which a new one is made. Undefined: the user backed out. @throws StriaError `unsupported` where there is no picker */
  saveFolder(suggestedName: string): Promise<HostFolder | undefined>;
  onMenuCommand(listener: (command: MenuCommand) => void): () => void;
  onFilesOpened(listener: (files: HostFile[]) => void): () => void;
  /** Electron only: the shell asks before it closes the window over this. A browser asks by `beforeunload`. */
  readonly setUnfinished?: ((kinds: readonly UnfinishedKind[]) => void) | undefined;
  /** Electron only: offers to restart with the flags that make WebGPU work on older drivers. */
  readonly restartCompatible?: (() => Promise<void>) | undefined;
}
