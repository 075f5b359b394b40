import type { MessageBoxOptions, OpenDialogOptions, SaveDialogOptions } from 'electron';

/** What the native dialogs say and ask for. */

export function openVolumesDialog(): OpenDialogOptions {
  return {
    properties: ['openFile', 'multiSelections'],
    filters: [
      {
        name: 'Volumes',
        extensions: ['stria', 'stria-session', 'nii', 'gz', 'hdr', 'img', 'nrrd', 'nhdr', 'raw', 'bin', 'png', 'tif', 'tiff'],
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
