// Saves as the main process of the app does, to be killed: `saver.mjs file|beside|folder PATH`.
import { basename, dirname } from 'node:path';
import { createFolderSaves } from '../../src/main/folder-saves.ts';
import { createSaves } from '../../src/main/saves.ts';

const [kind, path = ''] = process.argv.slice(2);
const window = 1;
const pieces = Array.from({ length: 48 }, (_, number) => new Uint8Array(65_536).fill(number));
if (kind === 'folder') {
  const saves = createFolderSaves();
  const id = await saves.begin(window, dirname(path), basename(path));
  for (const [number, bytes] of pieces.entries()) await saves.write(window, id, `frame-${number}.png`, bytes);
  await saves.commit(window, id);
} else {
  const saves = createSaves();
  const { id } =
    kind === 'beside' ? await saves.beginBeside(window, dirname(path), basename(path)) : await saves.begin(window, path);
  for (const bytes of pieces) await saves.write(window, id, bytes);
  await saves.commit(window, id);
}
