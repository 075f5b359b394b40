import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The parts of the store that only document-change.ts may set, and the parts that panels may set; see docs/ARCHITECTURE.md. */
const ofDocument = ['life', 'document', 'compression', 'compressed', 'save', 'residency', 'chunks'];
const ofPanels = ['overlay', 'notice', 'showBricks', 'showChunks', 'sliceAxis'];

const sources = readdirSync('src/renderer', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !/(\.test|-testing)\./.test(path))
  .map((path) => ({ path, text: readFileSync(`src/renderer/${path}`, 'utf8') }));

/** The names that a file sets in the store, if the call itself contains them. */
function written(text: string): string[] {
  return [...text.matchAll(/[sS]tore\.setState\(\s*(?:\([^)]*\)\s*=>\s*\()?\{([^}]*)/g)].flatMap(([, body = '']) =>
    [...body.matchAll(/(?:^|[,{\s])(\w+)\s*(?=[:,]|$)/g)].map(([, name = '']) => name),
  );
}

test('only the machine changes the document in the store', () => {
  const found = sources.flatMap(({ path, text }) =>
    written(text)
      .filter((name) => ofDocument.includes(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(found).toEqual([]);
});

test('panels set only overlays, notices and what is painted over the views in the store', () => {
  const panels = sources.filter(({ path }) => path.startsWith('panels/'));
  const names = panels.flatMap(({ text }) => [...text.matchAll(/[sS]tore\.setState\(([^;]*)/g)].map(([call]) => call));
  expect(names.length).toBeGreaterThan(3);
  const strange = names.filter((call) => !ofPanels.some((name) => call.includes(name)));
  expect(strange).toEqual([]);
});

test('a write to the document is found', () => {
  expect(written("this.#store.setState({ notice: 'a', compression: { kind: 'idle' } });")).toContain('compression');
  expect(written('store.setState({ document });')).toContain('document');
});
