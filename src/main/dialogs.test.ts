import { expect, test } from 'vitest';
import { newFolderDialog, saveDialog } from './dialogs.ts';

test('a save dialog asks before a file is replaced, on Linux too', () => {
  expect(saveDialog('/data/scan.stria')).toEqual({
    defaultPath: '/data/scan.stria',
    properties: ['showOverwriteConfirmation'],
  });
});

test("a new folder's name is in the dialog's title, which every system but macOS shows", () => {
  const options = newFolderDialog('/data', 'ball slices');
  expect(options.title).toContain('‘ball slices’');
  expect(options.message).toBe(options.title);
});
