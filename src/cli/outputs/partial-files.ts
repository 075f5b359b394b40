import { rmSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { crc32 } from '../../core/io/common/crc32.ts';
import { displayText } from '../../core/shared/display-text.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formatBytes } from '../terminal/text.ts';

/** Temporary files and folders that this process has open. An orderly exit removes them. */
const ownPartials = new Set<string>();
process.on('exit', () => {
  for (const path of ownPartials) {
    try {
      rmSync(path, { recursive: true });
    } catch {
      // It is already gone.
    }
  }
});

const hex8 = (value: number) => (value >>> 0).toString(16).padStart(8, '0');

/** Identifies this machine, because others may share its folders and their processes cannot be probed. */
const thisHost = () => hex8(crc32(new TextEncoder().encode(hostname())));

/** The temporary file beside a target: `.NAME.HOST-PID-RANDOM.partial`. */
export function partialPath(target: string): string {
  // This need not be secret: the file must not exist when it is created. (Loading node:crypto takes some milliseconds.)
  const random = hex8(Math.floor(Math.random() * 2 ** 32));
  return join(dirname(target), `${namePrefix(target)}${thisHost()}-${process.pid}-${random}.partial`);
}

/** How the names of temporary files of a target begin. */
function namePrefix(target: string): string {
  let name = basename(target);
  // File systems allow names of up to 255 bytes.
  while (Buffer.byteLength(name) > 200) name = name.slice(0, -1);
  return `.${name}.`;
}

/** The temporary folder beside a target: `.NAME.HOST-PID-RANDOM.partial-folder`. */
export function partialFolder(target: string): string {
  return `${partialPath(target)}-folder`;
}

/**
 * Holds a folder's former contents until the new ones are in place: `.NAME.HOST-PID-RANDOM.replaced`. It is not a leftover, because
 * it may be the only copy.
 */
export function replacedFolder(target: string): string {
  return partialPath(target).replace(/partial$/, 'replaced');
}

/** Former contents of a target that killed runs on any machine left under such names. */
export async function findReplaced(target: string): Promise<string[]> {
  const prefix = namePrefix(target);
  const names = await readdir(dirname(target)).catch(() => []);
  const found = names.filter(
    (name) => name.startsWith(prefix) && /^[0-9a-f]{8}-\d+-[0-9a-f]{8}\.replaced$/.test(name.slice(prefix.length)),
  );
  return found.map((name) => join(dirname(target), name));
}

export const partials = {
  add: (path: string) => void ownPartials.add(path),
  delete: (path: string) => void ownPartials.delete(path),
};

export interface Leftover {
  readonly path: string;
  readonly bytes: number;
}

/** Temporary files and folders in a folder that a killed process of this machine and user left behind. */
export async function findLeftovers(folder: string): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const [, host, pid, kind] = /^\..+\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.partial(-folder)?$/.exec(name) ?? [];
    if (host !== thisHost() || isAlive(Number(pid))) continue;
    const path = join(folder, name);
    const facts = await lstat(path).catch(() => undefined);
    const isKind = kind === undefined ? facts?.isFile() : facts?.isDirectory();
    if (facts && isKind && (process.getuid === undefined || facts.uid === process.getuid())) {
      found.push({ path, bytes: kind === undefined ? facts.size : await bytesBelow(path) });
    }
  }
  return found;
}

/** The most folders below one folder that are searched: an output may be any folder, such as one's own. */
const mostSearched = 500;

/** Folders below a folder, those near it first. Links are not followed. */
async function foldersBelow(folder: string): Promise<string[]> {
  const found = [folder];
  for (let at = 0; at < found.length && found.length < mostSearched; at++) {
    const parent = found[at] as string;
    const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
    // What a killed run left as a folder is found as a whole.
    const own = entries.filter((entry) => entry.isDirectory() && !/\.(partial-folder|replaced)$/.test(entry.name));
    found.push(...own.map(({ name }) => join(parent, name)));
  }
  return found.slice(1, mostSearched);
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries.map(async (entry) => {
    const facts = entry.isFile() ? await lstat(join(entry.parentPath, entry.name)).catch(() => undefined) : undefined;
    return facts?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Leftovers beyond these are only counted: a killed run that restored pictures may leave thousands. */
const mostListed = 10;

/**
 * Lists what killed runs left in an output's folder before the output is written, and removes it if the user agrees.
 * @param outputs files that will be written
 * @param inputs files that are being read; these are never removed
 * @param root a folder in whose subfolders files may be written, too
 */
export async function offerLeftovers(
  outputs: readonly string[],
  inputs: readonly string[],
  terminal: Pick<Terminal, 'note' | 'ask'>,
  signal: AbortSignal,
  root?: string,
): Promise<void> {
  const kept = new Set(inputs.map((input) => resolve(input)));
  const folders = new Set(outputs.filter((path) => path !== standardStream).map((path) => dirname(path)));
  for (const folder of root === undefined ? [] : await foldersBelow(root)) folders.add(folder);
  const found = await Promise.all([...folders].map(findLeftovers));
  const leftovers = found.flat().filter(({ path }) => !kept.has(resolve(path)));
  if (leftovers.length === 0) return;
  const files = leftovers.slice(0, mostListed).map(({ path, bytes }) => `  ${displayText(path)} (${formatBytes(bytes)})`);
  if (leftovers.length > mostListed) files.push(`  and ${leftovers.length - mostListed} more`);
  const lines = [
    leftovers.length === 1 ? 'A killed run left this file:' : 'Killed runs left these files:',
    ...files,
    '`stria recover FILE -o OUT` saves every intact chunk of a .stria.',
  ];
  terminal.note(lines.join('\n'));
  const answer = await terminal.ask(leftovers.length === 1 ? 'Remove it?' : 'Remove them?', signal);
  if (answer) for (const { path } of leftovers) await rm(path, { recursive: true }).catch(() => {});
  if (answer === undefined && leftovers.length > mostListed) {
    terminal.note('Run the command in a terminal, and it offers to remove them.');
  } else if (answer === undefined) {
    const paths = leftovers.map(({ path }) => shellWord(resolve(path)));
    const command = paths.some((path) => /-folder['"]?$/.test(path)) ? 'rm -r' : 'rm';
    terminal.note(`If you do not need ${leftovers.length === 1 ? 'it' : 'them'}: ${command} ${paths.join(' ')}`);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process belongs to another user, so it is alive.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function shellWord(path: string): string {
  if (process.platform === 'win32') return `"${path}"`;
  // A name with unprintable characters is quoted so that it can be typed.
  if (displayText(path) !== path) return `$'${displayText(path.replace(/[\\']/g, '\\$&'))}'`;
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
