// Writes the man page, the shells' completions and the files for Linux desktops of the built command to out/share.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandFiles } from '../out/main/command-files.js';

const share = fileURLToPath(new URL('../out/share', import.meta.url));
mkdirSync(share, { recursive: true });
for (const [name, text] of Object.entries(commandFiles())) writeFileSync(join(share, name), text);
