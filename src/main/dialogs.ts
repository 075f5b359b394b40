import type { MessageBoxOptions, OpenDialogOptions, SaveDialogOptions } from 'electron';
import type { UnfinishedKind } from '../core/shared/ipc.ts';
import { meshEndings } from '../core/shared/mesh-names.ts';
import { lastEndings } from '../core/shared/readable-formats.ts';
import { misleading } from './plain-name.ts';

// Texts and options of the native dialogs.

/** Without `defaultPath`, Electron 43 and later start every dialog in Downloads, and the system forgets the last folder. */
export function openVolumesDialog(defaultPath: string): OpenDialogOptions {
  return {
    defaultPath,
    properties: ['openFile', 'multiSelections'],
    filters: [
      {
        name: 'Volumes and surfaces',
        extensions: ['stria', 'stria-session', ...lastEndings, ...meshEndings],
      },
      { name: 'All files', extensions: ['*'] },
    ],
  };
}

export function openFolderDialog(defaultPath: string): OpenDialogOptions {
  return { defaultPath, properties: ['openDirectory'], buttonLabel: 'Open folder' };
}

/** Without `showOverwriteConfirmation`, Electron's dialog on Linux lets the user choose an existing file without asking. */
export function saveDialog(defaultPath: string): SaveDialogOptions {
  return { defaultPath, properties: ['showOverwriteConfirmation'] };
}

/** Asks for the parent of a new folder. @param name the name of the new folder */
export function newFolderDialog(defaultPath: string, name: string): OpenDialogOptions {
  return {
    defaultPath,
    // macOS shows `message` but no title, and other systems the reverse, so the text is in both.
    title: `Choose where to create the folder ‘${name}’`,
    message: `Choose where to create the folder ‘${name}’`,
    buttonLabel: 'Create folder here',
    properties: ['openDirectory', 'createDirectory'],
  };
}

/**
 * Asks whether to open a file that the user did not choose, but that a chosen file refers to. The first button opens it; the
 * second is the default.
 * @param from path of the referring file @param to path of the file that would be opened
 */
export function referenceQuestion(from: string, to: string): MessageBoxOptions {
  return {
    type: 'warning',
    message: 'Open a file that another file refers to?',
    detail: `The file\n${shown(from)}\nrefers to\n${shown(to)}\n\nYou did not choose this file, and it is not where such files usually are. Open it only if you expected this. Stria will then also open other files in its folder that are referred to.`,
    buttons: ['Open', 'Don’t open'],
    defaultId: 1,
    cancelId: 1,
  };
}

/**
 * Asks before the first connection to a host. The first button connects; it is the default only for public hosts.
 * @param isPrivate whether the host is this computer or in the local network
 */
export function addressQuestion(host: string, isPrivate: boolean): MessageBoxOptions {
  return {
    type: isPrivate ? 'warning' : 'question',
    message: isPrivate ? `Read from ${shown(host)}, in your own network?` : `Connect to ${shown(host)}?`,
    detail: isPrivate
      ? 'This address belongs to this computer or to its own network. Connect only if you meant to open it.'
      : 'Stria will read from this server until you quit. The server learns your internet address and what you open there.',
    buttons: ['Connect', 'Cancel'],
    defaultId: isPrivate ? 1 : 0,
    cancelId: 1,
  };
}

const losses: Readonly<Record<UnfinishedKind, string>> = {
  saving: 'A file is still being saved. It will not be written; an existing file stays as it was.',
  compressing: 'Volumes are still being compressed.',
  pictures: 'Pictures are still being saved. None of them will be kept.',
  measurements: 'Measurements have not been saved. Save the session to keep them.',
};

/** Asks before closing a window with unfinished work. The first button closes. */
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

/** Shown when the page did not load. The first button reloads it, the second closes the window. */
export function loadFailure(reason: string): MessageBoxOptions {
  return {
    type: 'error',
    message: 'Stria cannot show its window',
    detail: `${reason}.\n\nTry again. If it still fails, install Stria again; in a source checkout, run “npm run build”.`,
    buttons: ['Try again', 'Close'],
    defaultId: 0,
    cancelId: 1,
  };
}

/** Shown while the page does not respond. The first button reloads it. */
export const hangQuestion: MessageBoxOptions = {
  type: 'warning',
  message: 'Stria does not respond',
  detail:
    'It may still be working: wait for this message to go away. If it does not, reload. Files on disk stay as they are; what is being saved, and measurements that are not saved, are lost.',
  buttons: ['Reload', 'Wait'],
  defaultId: 1,
  cancelId: 1,
};

/** Asks before a restart in or out of compatibility mode. The first button restarts. */
export function restartQuestion(compatible: boolean): MessageBoxOptions {
  return {
    type: 'question',
    message: compatible ? 'Restart in compatibility mode?' : 'Restart without compatibility mode?',
    detail: compatible
      ? 'Stria will restart with settings that enable WebGPU on older graphics drivers, and will use them from now on. Unsaved work is lost.'
      : 'Stria will restart with its normal settings, and will use them from now on. Unsaved work is lost.',
    buttons: ['Restart', 'Cancel'],
    defaultId: 0,
    cancelId: 1,
  };
}

/** Asks whether to download an update. The first button downloads. @param version the running version @param found the new one */
export function updateQuestion(version: string, found: string): MessageBoxOptions {
  return {
    type: 'info',
    message: `Stria ${plain(found)} is available`,
    detail: `You have version ${version}. The download runs while you work, and nothing is installed before you agree.`,
    buttons: ['Download', 'Later'],
    defaultId: 0,
    cancelId: 1,
  };
}

/** Asks whether to restart with a downloaded update. The first button restarts. */
export function updateReady(found: string): MessageBoxOptions {
  return {
    type: 'question',
    message: `Install Stria ${plain(found)} now?`,
    detail: 'Stria will close and start again. Otherwise the new version is installed when you quit.',
    buttons: ['Restart and install', 'When I quit'],
    defaultId: 0,
    cancelId: 1,
  };
}

export function noUpdate(version: string): MessageBoxOptions {
  return { type: 'info', message: 'Stria is up to date', detail: `You have version ${version}.`, buttons: ['OK'] };
}

export function noUpdater(version: string): MessageBoxOptions {
  return {
    type: 'info',
    message: 'This copy of Stria cannot update itself',
    detail: `You have version ${version}. Update it where you got it: from a package manager, an app store or a download.`,
    buttons: ['OK'],
  };
}

export function updateFailure(reason: string): MessageBoxOptions {
  return {
    type: 'error',
    message: 'Stria could not be updated',
    detail: `${plain(reason).slice(0, 500)}\n\nYour version is unchanged. Check the connection and try again.`,
    buttons: ['OK'],
  };
}

/** Converts text from the network to a single line. */
function plain(text: string): string {
  return text.replace(misleading, '\ufffd').replace(/\s+/g, ' ');
}

/** A path for display. Characters that could break the line or change its direction are replaced. */
function shown(path: string): string {
  return path.replace(misleading, '\ufffd');
}
