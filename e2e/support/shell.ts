import type { Page } from '@playwright/test';

/** What runs the page: the fixture `stria` stands on it. Dialogs give what was queued; where nothing was, they are backed out of. */
export interface Shell {
  /** For messages: which of the three it is. */
  readonly kind: 'browser' | 'electron' | 'electron double';
  readonly page: Page;
  /** The next open dialog gives these files. */
  chooseOpen(paths: readonly string[]): Promise<void>;
  /** The next save dialog gives this path. */
  chooseSave(path: string): Promise<void>;
  /** The next message box gives the button with this index. */
  chooseButton(index: number): Promise<void>;
  /** The message boxes that the app has shown. */
  messages(): Promise<readonly { readonly message: string; readonly detail?: string }[]>;
  /** Called before files are dropped on the page. */
  beforeDrop(paths: readonly string[]): Promise<void>;
  /** As a second start of the app with this file as its argument. */
  openArgument(path: string): Promise<void>;
  /** Clicks the menu item with this id (a MenuCommand). */
  clickMenu(id: string): Promise<void>;
  /** Files that the app showed in the system's file manager. */
  shownItems(): Promise<readonly string[]>;
  /** As somebody quits the app: it may ask first. */
  quit(): Promise<void>;
  /** Ends it, whatever is unfinished. */
  close(): Promise<void>;
}

/** Answers waiting for their dialogs, and what the app showed. */
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
