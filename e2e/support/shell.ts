import type { Page } from 'playwright/test';

/**
 * The shell that runs the page, on which the fixture `stria` is built. Dialogs return queued answers, and are cancelled if
 * there are none.
 */
export interface Shell {
  /** The kind of shell, for messages. */
  readonly kind: 'browser' | 'electron' | 'electron double';
  readonly page: Page;
  /** The next open dialog returns these files. */
  chooseOpen(paths: readonly string[]): Promise<void>;
  /** The next save dialog returns this path. */
  chooseSave(path: string): Promise<void>;
  /** The next message box returns the button with this index. */
  chooseButton(index: number): Promise<void>;
  /** The message boxes that the app has shown. */
  messages(): Promise<readonly { readonly message: string; readonly detail?: string }[]>;
  /** Called before files are dropped on the page. */
  beforeDrop(paths: readonly string[]): Promise<void>;
  /** Opens a file like a second start of the app with the file as its argument. */
  openArgument(path: string): Promise<void>;
  /** Clicks the menu item with this id (a MenuCommand). */
  clickMenu(id: string): Promise<void>;
  /** Files that the app showed in the system's file manager. */
  shownItems(): Promise<readonly string[]>;
  /** Quits like a user, so that the app may ask first. */
  quit(): Promise<void>;
  /**
   * Ends the page's process, as a crash does. Resolves with a function that tells whether the page has an element with a test id.
   * Undefined if the page has no process of its own.
   */
  readonly crashPage?: (() => Promise<(testId: string) => Promise<boolean>>) | undefined;
  /** Ends the shell, even with unfinished work. */
  close(): Promise<void>;
}

/** The queued answers for dialogs, and the messages and files that the app showed. */
export interface DialogQueues {
  readonly open: (readonly string[])[];
  readonly save: string[];
  readonly buttons: number[];
  readonly shown: string[];
  readonly messages: { readonly message: string; readonly detail?: string }[];
}

export function emptyQueues(): DialogQueues {
  return { open: [], save: [], buttons: [], shown: [], messages: [] };
}
