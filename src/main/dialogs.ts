import type { MessageBoxOptions, OpenDialogOptions, SaveDialogOptions } from 'electron';
import type { UnfinishedKind } from '../core/shared/ipc.ts';
import { readableEndings } from '../core/shared/readable-formats.ts';
import { misleading } from './plain-name.ts';

/** What the native dialogs say and ask for. */

export function openVolumesDialog(): OpenDialogOptions {
  return {
    properties: ['openFile', 'multiSelections'],
    filters: [
      {
        name: 'Volumes',
        extensions: ['stria', 'stria-session', ...readableEndings],
      },
      { name: 'All files', extensions: ['*'] },
    ],
  };
}

/** Without `showOverwriteConfirmation` Electron's dialog on Linux lets a person choose an existing file without a question. */
export function saveDialog(defaultPath: string): SaveDialogOptions {
  return { defaultPath, properties: ['showOverwriteConfirmation'] };
}

/** @param name What the new folder will be called. */
export function newFolderDialog(defaultPath: string, name: string): OpenDialogOptions {
  return {
    defaultPath,
    // Only macOS shows a `message`, so the words are in the title. macOS shows no title, so they are in both.
    title: `Choose where to make the folder ‘${name}’`,
    message: `Choose where to make the folder ‘${name}’`,
    buttonLabel: 'Make the folder here',
    properties: ['openDirectory', 'createDirectory'],
  };
}

/**
 * A file that a person chose refers to another one that nobody chose. The first button opens it; the second is the default.
 * @param from path of the file that refers @param to path of the file that would be opened
 */
export function referenceQuestion(from: string, to: string): MessageBoxOptions {
  return {
    type: 'warning',
    message: 'Open a file that another file refers to?',
    detail: `The file\n${shown(from)}\nrefers to\n${shown(to)}\n\nStria was not given this file, and it does not lie where such files usually do. Open it only if you expected that. Other volumes that are referred to in its folder are then opened, too.`,
    buttons: ['Open', 'Don’t open'],
    defaultId: 1,
    cancelId: 1,
  };
}

const losses: Readonly<Record<UnfinishedKind, string>> = {
  saving: 'A file is still being saved. The file will not be there, or will stay as it was.',
  compressing: 'Volumes are still being compressed.',
  pictures: 'Pictures are still being made. None of them will be kept.',
  measurements: 'Measurements are not saved. Save the session to keep them.',
};

/** The first button closes. */
export function closeQuestion(kinds: readonly UnfinishedKind[]): MessageBoxOptions {
  return {
    type: 'question',
    message: 'Close Stria and lose unfinished work?',
    detail: kinds.map((kind) => losses[kind]).join('\n'),
    buttons: ['Close', 'Keep open'],
    defaultId: 1,
    cancelId: 1,
  };
}

/** The page did not load. The first button loads it again, the second closes the window. */
export function loadFailure(reason: string): MessageBoxOptions {
  return {
    type: 'error',
    message: 'Stria cannot show its window',
    detail: `${reason}.\n\nTry again. If it still fails, install Stria again; in a checkout of its sources, run “npm run build”.`,
    buttons: ['Try again', 'Close'],
    defaultId: 0,
    cancelId: 1,
  };
}

/** The first button restarts. */
export function restartQuestion(compatible: boolean): MessageBoxOptions {
  return {
    type: 'question',
    message: compatible ? 'Restart in compatibility mode?' : 'Restart without compatibility mode?',
    detail: compatible
      ? 'Stria will start with the switches that give WebGPU to older drivers, now and from now on. Unsaved work is lost.'
      : 'Stria will start plainly, now and from now on. Unsaved work is lost.',
    buttons: ['Restart', 'Cancel'],
    defaultId: 0,
    cancelId: 1,
  };
}

/** A path for people. What could break its line or turn its direction is replaced. */
function shown(path: string): string {
  return path.replace(misleading, '\ufffd');
}
