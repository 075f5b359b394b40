import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

// An export that no other file imports misleads: it looks as if something needed it.

const roots = ['src', 'e2e', 'bench', 'scripts'];
const paths = [
  ...readdirSync('.').filter((path) => path.endsWith('.config.ts')),
  ...roots.flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path))),
];
const files = paths
  // In AssemblyScript, exports are what WebAssembly exports.
  .filter((path) => /\.(tsx?|mjs|mts)$/.test(path) && !path.startsWith(join('src', 'assembly')))
  .map((path) => ({ path: normalize(path), text: readFileSync(path, 'utf8') }));

interface Imported {
  readonly names: Set<string>;
  /** All of it, by `import * as` or by `import()`. */
  isWhole: boolean;
}

/** What is imported from each file. */
function importsOf(sources: typeof files): ReadonlyMap<string, Imported> {
  const found = new Map<string, Imported>();
  const of = (from: string, to: string): Imported => {
    const path = normalize(join(dirname(from), to.replace(/\?.*$/, '')));
    const imported = found.get(path) ?? { names: new Set(), isWhole: false };
    found.set(path, imported);
    return imported;
  };
  for (const { path, text } of sources) {
    for (const [, list = '', to = ''] of text.matchAll(/(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/g)) {
      const names = list.split(',').map((one) =>
        one
          .trim()
          .replace(/^type\s+/, '')
          .replace(/\s+as\s+.*$/, ''),
      );
      for (const name of names) of(path, to).names.add(name);
    }
    for (const [, to = ''] of text.matchAll(/(?:\*\s+as\s+\w+\s+from|import\(|export\s+\*\s+from)\s*'(\.[^']+)'/g))
      of(path, to).isWhole = true;
    for (const [, name = '', to = ''] of text.matchAll(/import\s+(\w+)\s+from\s+'(\.[^']+)'/g)) of(path, to).names.add(name);
  }
  return found;
}

/** Values that are exported and imported nowhere; types, too, where their own file does not use them either. */
function unusedIn(sources: typeof files): string[] {
  const imports = importsOf(sources);
  return sources.flatMap(({ path, text }) => {
    const imported = imports.get(path);
    if (!path.startsWith('src') || imported?.isWhole) return [];
    const values = [...text.matchAll(/^export (?:async )?(?:function\*?|const|let|class|abstract class) (\w+)/gm)];
    const types = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)];
    const isAlone = (name: string) => [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length === 1;
    return [
      ...values.map(([, name = '']) => name).filter((name) => !imported?.names.has(name)),
      ...types.map(([, name = '']) => name).filter((name) => !imported?.names.has(name) && isAlone(name)),
    ].map((name) => `${path}: ${name}`);
  });
}

test('nothing is exported that no other file uses: leave out `export`, or delete it', () => {
  expect(files.length).toBeGreaterThan(500);
  expect(unusedIn(files)).toEqual([]);
});

test('an export is used by a name, by another name, by all of a file, or not at all', () => {
  const one = { path: 'src/a.ts', text: 'export const used = 1;\nexport function unused() {}\nexport interface Alone {}\n' };
  const use = (text: string) => ({ path: 'src/b/c.ts', text });
  const left = ['src/a.ts: unused', 'src/a.ts: Alone'];
  expect(unusedIn([one, use("import { used as mine } from '../a.ts';")])).toEqual(left);
  expect(unusedIn([one, use("import {\n  type Alone,\n  unused,\n  used,\n} from '../a.ts';")])).toEqual([]);
  expect(unusedIn([one, use("const all = await import('../a.ts');")])).toEqual([]);
  expect(unusedIn([one])).toEqual(['src/a.ts: used', ...left]);
});
