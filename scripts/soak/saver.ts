// Saves as the main process of the app does: `saver.mjs file|beside|folder PATH`. After a fault it gives up the save, as the page does.
// `saver.mjs start PATH` does what the next start of the app does.
import { basename, dirname, join } from 'node:path';
import { createFolderSaves } from '../../src/main/folder-saves.ts';
import { createSaves } from '../../src/main/saves.ts';
import { createUnfinishedSaves } from '../../src/main/unfinished-saves.ts';

const [kind, path = ''] = process.argv.slice(2);
const window = 1;
const pieces = Array.from({ length: 48 }, (_, number) => new Uint8Array(65_536).fill(number));
const unfinished = createUnfinishedSaves(join(import.meta.dirname, `${basename(dirname(path))}.json`));
const saves = kind === 'folder' ? undefined : createSaves(unfinished);
const folders = createFolderSaves(unfinished);
try {
  if (kind === 'start') {
    await unfinished.removeLeft();
  } else if (!saves) {
    const id = await folders.begin(window, dirname(path), basename(path));
    for (const [number, bytes] of pieces.entries()) await folders.write(window, id, `frame-${number}.png`, bytes);
    await folders.commit(window, id);
  } else {
    const { id } =
      kind === 'beside' ? await saves.beginBeside(window, dirname(path), basename(path)) : await saves.begin(window, path);
    for (const bytes of pieces) await saves.write(window, id, bytes);
    await saves.commit(window, id);
  }
} catch (error) {
  await Promise.all([saves?.abortAll(window), folders.abortAll(window)]);
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 3;
}
