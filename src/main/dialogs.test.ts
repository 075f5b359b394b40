import { expect, test } from 'vitest';
import { closeQuestion, newFolderDialog, openFolderDialog, openVolumesDialog, referenceQuestion, saveDialog } from './dialogs.ts';

test('extensions in a dialog contain no dots, and occur only once', () => {
  const extensions = openVolumesDialog('/data').filters?.[0]?.extensions ?? [];
  expect(extensions.filter((ending) => ending.includes('.'))).toEqual([]);
  expect(extensions.filter((ending) => ending === 'tif')).toEqual(['tif']);
});

test('dialogs start in the folder that they are given', () => {
  for (const dialog of [openVolumesDialog, openFolderDialog, saveDialog]) expect(dialog('/data').defaultPath).toBe('/data');
  expect(newFolderDialog('/data', 'a').defaultPath).toBe('/data');
});

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

test('the question about a referenced file names both files, and opens nothing by default', () => {
  const { detail, buttons = [], defaultId, cancelId } = referenceQuestion('/data/a\nb.nhdr', '/etc/x\u202egnp.raw');
  expect(detail).toContain('/data/a\ufffdb.nhdr');
  expect(detail).toContain('/etc/x\ufffdgnp.raw');
  expect(buttons[defaultId ?? 0]).toBe('Don’t open');
  expect(cancelId).toBe(defaultId);
});

test('the question before closing says what would be lost, and keeps the window by default', () => {
  const { detail, buttons = [], defaultId, cancelId } = closeQuestion(['saving', 'measurements']);
  expect(detail?.split('\n')).toEqual([expect.stringContaining('being saved'), expect.stringContaining('Measurements')]);
  expect(buttons[defaultId ?? 0]).toBe('Keep open');
  expect(cancelId).toBe(defaultId);
});
