import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

// What the parts of the soak share.

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const cli = join(root, 'out', 'main', 'cli.js');

/** Counts of one part and seed. They are on the disk after every case, so that an interrupted run counts, and the next goes on. */
export class Tally {
  #path;
  #state;

  /** @param from the first case, in place of the one after the last */
  constructor(part, seed, from) {
    this.#path = join(root, 'out', 'soak', `${part}-${seed}.json`);
    mkdirSync(join(root, 'out', 'soak'), { recursive: true });
    this.#state = { part, seed, next: 0, counts: {} };
    try {
      this.#state = JSON.parse(readFileSync(this.#path, 'utf8'));
    } catch {
      // It is the first run.
    }
    if (from !== undefined) this.#state.next = from;
  }

  /** The number of the next case. */
  get next() {
    return this.#state.next;
  }

  get counts() {
    return this.#state.counts;
  }

  /** Adds one to each of these counts. */
  add(...names) {
    for (const name of names) this.counts[name] = (this.counts[name] ?? 0) + 1;
  }

  /** The case is over. */
  done() {
    this.#state.next++;
    writeFileSync(`${this.#path}.new`, JSON.stringify(this.#state, null, 2));
    renameSync(`${this.#path}.new`, this.#path);
  }

  toString() {
    return Object.entries(this.counts)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  }
}

/** Runs cases until the time is over. @param work gets the number of a case, and a fresh folder */
export async function repeat(tally, seconds, work) {
  const endMs = performance.now() + 1000 * seconds;
  while (performance.now() < endMs) {
    const place = temporaryFolder();
    await work(tally.next, place);
    rmSync(place, { recursive: true });
    tally.done();
  }
}

/** An empty folder, removed when the process ends. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'stria-soak-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.setMaxListeners(0);
  return folder;
}

/** Runs the command, which must succeed. */
export function stria(...args) {
  const { status, stderr } = spawnSync(process.execPath, [cli, ...args, '--quiet'], { encoding: 'utf8' });
  if (status !== 0) fail(`stria ${args.join(' ')} ended with ${status}: ${stderr}`);
}

/** Starts a program, and collects its errors. @returns how it ended */
export function started(program, args, options = {}) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options });
  let errors = '';
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, errors })));
  return { child, ended };
}

/** A hash of a file or of all files of a folder, by their paths; undefined if there is nothing. */
export function digest(path) {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts) return undefined;
  const hash = createHash('sha256');
  if (!facts.isDirectory()) return hash.update(readFileSync(path)).digest('hex');
  for (const name of readdirSync(path, { recursive: true }).sort()) {
    const file = join(path, name);
    if (statSync(file).isFile()) hash.update(`${name}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Of a file, or of all files of a folder. */
export function byteLength(path) {
  const facts = statSync(path);
  if (!facts.isDirectory()) return facts.size;
  return readdirSync(path).reduce((sum, name) => sum + byteLength(join(path, name)), 0);
}

/** A module of the sources, which imports only what needs no bundler. */
export async function load(path) {
  return (await runnerImport(join(root, path), { configFile: false, logLevel: 'error' })).module;
}

export function say(text) {
  console.log(`soak: ${text}`);
}

export function fail(text) {
  console.error(`soak: ${text}`);
  process.exit(1);
}
