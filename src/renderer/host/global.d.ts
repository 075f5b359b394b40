import type { StriaBridge } from '../../core/shared/ipc.ts';

// Declarations that TypeScript's lib.dom lacks: the bridge, and Chromium's file pickers.
declare global {
  interface PickerType {
    readonly description?: string;
    readonly accept: Readonly<Record<string, readonly string[]>>;
  }

  interface Window {
    /** Set by preload; undefined in a browser. */
    readonly stria?: StriaBridge;
    readonly showOpenFilePicker?: (options?: { multiple?: boolean; id?: string }) => Promise<FileSystemFileHandle[]>;
    readonly showSaveFilePicker?: (options?: {
      suggestedName?: string;
      id?: string;
      types?: PickerType[];
    }) => Promise<FileSystemFileHandle>;
    /** In an installed web app: the files that the system opens with it. */
    readonly launchQueue?: {
      setConsumer(consumer: (launch: { readonly files: readonly FileSystemHandle[] }) => void): void;
    };
    readonly showDirectoryPicker?: (options?: { mode?: 'read' | 'readwrite'; id?: string }) => Promise<FileSystemDirectoryHandle>;
  }

  interface FileSystemHandle {
    queryPermission?(options: { mode: 'read' | 'readwrite' }): Promise<PermissionState>;
    requestPermission?(options: { mode: 'read' | 'readwrite' }): Promise<PermissionState>;
    remove?(): Promise<void>;
  }

  interface DataTransferItem {
    getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
  }
}
