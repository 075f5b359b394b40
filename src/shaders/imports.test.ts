import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseShader } from './build/parse.ts';
import { linkShader, type Variant } from './link.ts';

// The plugin finds imports of names that do not exist or are not used. These tests find names that a file uses without importing them,
// and names that two files of one shader declare, because the linker renames nothing.

const files = Object.values(import.meta.glob<ShaderFile>('./**/*.wgsl', { eager: true, import: 'default' }));
const parsed = new Map(
  files.map(({ path }) => [path, parseShader(readFileSync(new URL(path, import.meta.url), 'utf8'), path)] as const),
);
const entries = files.filter(({ pieces }) => pieces.some(({ text }) => /@(compute|vertex|fragment)\b/.test(text)));

/** Folders that a folder may import from, besides itself. Each codec has its own shaders. */
const shared: Readonly<Record<string, readonly string[]>> = {
  'brick-draw': ['draw', 'volume'],
  bricks: ['predict', 'rice'],
  draw: ['brick-draw', 'volume'],
  huffman: ['faults'],
  labels: ['faults'],
  mesh: ['volume'],
  parle: ['faults'],
  predict: ['bricks', 'faults'],
  raw: ['faults'],
  rice: ['bricks', 'faults'],
  rle: ['faults'],
  wave: ['faults'],
};

/** Whether a file of the same folder, or of a shared one, declares a name. */
function isDeclaredNear(name: string, path: string): boolean {
  const [folder = ''] = path.split('/');
  const near = [folder, ...(shared[folder] ?? [])];
  return [...parsed].some(([other, { names }]) => names.has(name) && near.includes(other.split('/')[0] as string));
}

/** Conditions that an entry's kernels always or never set. With the other value its files do not fit together. */
function fixedConditions(entry: string): Variant {
  const fixed = { predict: entry.startsWith('predict/') };
  return entry.startsWith('rice/') ? { ...fixed, decodes: entry === 'rice/decode.wgsl' } : fixed;
}

/** All files that an entry may import, whatever the conditions. */
function reachableFrom(entry: ShaderFile): Set<ShaderFile> {
  const found = new Set([entry]);
  for (const file of found) for (const { from } of file.imports) if (from !== 'constants') found.add(from());
  return found;
}

/**
 * Variants that set any three conditions in every way: none, one or all but one of the conditions hold, or all. What is wrong in a
 * shader depends on few: on that of a name's use, on that of its declaration, and on that of the import between them.
 */
function variantsOf(entry: ShaderFile): Variant[] {
  const all = [...reachableFrom(entry)].flatMap(({ pieces, imports }) => [...pieces, ...imports]);
  const fixed = fixedConditions(entry.path);
  const names = [...new Set(all.flatMap(({ when }) => (when ? [when.replace('!', '')] : [])))].filter((name) => !(name in fixed));
  const constants = Object.fromEntries(
    all.flatMap((part) => ('names' in part && part.from === 'constants' ? part.names.map((name) => [name, 2] as const) : [])),
  );
  return [false, true].flatMap((most) =>
    [undefined, ...names].map((other) => ({
      ...constants,
      ...fixed,
      ...Object.fromEntries(names.map((name) => [name, (name === other) !== most])),
    })),
  );
}

/** The lines of each file in a linked text. */
function textsOf(entry: ShaderFile, variant: Variant): Map<string, string> {
  const { text, locate } = linkShader(entry, variant);
  const texts = new Map<string, string>();
  for (const [i, line] of text.split('\n').entries()) {
    const path = locate(i + 1).replace(/:\d+$/, '');
    texts.set(path, `${texts.get(path) ?? ''}${line}\n`);
  }
  return texts;
}

const declared = (text: string) => [...parseShader(text, '').names];
const identifiers = (text: string) => new Set(text.match(/(?<![.@\w])[a-zA-Z_]\w*/g) ?? []);
/** Names of locals, parameters and members, which hide others. */
const hiding = (text: string) =>
  new Set(Array.from(text.matchAll(/\b(?:let|var|const)\s+(\w+)|\b(\w+)\s*:/g), ([, a, b]) => a ?? b));

test.each(entries.map((entry) => [entry.path, entry] as const))(
  '%s: each name is declared in one file, and imported where it is used',
  (_, entry) => {
    for (const variant of variantsOf(entry)) {
      const texts = textsOf(entry, variant);
      const owners = new Map<string, string>();
      for (const [path, text] of texts) {
        for (const name of declared(text)) {
          expect(owners.get(name), `${name} of ${path}`).toBeUndefined();
          owners.set(name, path);
        }
      }
      for (const [path, text] of texts) {
        const imported = new Set(parsed.get(path)?.imports.flatMap(({ names }) => names));
        const own = new Set([...declared(text), ...hiding(text), ...imported]);
        const unsaid = [...identifiers(text)].filter(
          (name) => (owners.has(name) || isDeclaredNear(name, path)) && !own.has(name),
        );
        expect(unsaid, `${path} uses names that it does not import`).toEqual([]);
      }
    }
  },
);

test.each([...parsed])('%s imports only from its own folder and shared ones', (path, { imports }) => {
  const [folder = ''] = path.split('/');
  const foreign = imports
    .map(({ from }) => from.split('/')[0] as string)
    .filter((from) => from !== folder && from !== 'constants');
  expect(foreign.filter((from) => !shared[folder]?.includes(from))).toEqual([]);
});

test('every file is an entry, or imported by one', () => {
  const used = new Set(entries.flatMap((entry) => [...reachableFrom(entry)]));
  expect(files.filter((file) => !used.has(file)).map(({ path }) => path)).toEqual([]);
});
