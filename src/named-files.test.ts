import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// Docs, comments and shader headers name files by their paths, which no compiler checks when a file moves.

const named = /(?<![\w./-])(?:src\/[\w./-]+|(?:core|stream|volume)\/[\w./-]+)\.(?:ts|tsx|wgsl)\b/g;
const files = ['docs', 'python/src', 'src', 'testdata'].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path)),
);
const texts = [...files, 'README.md', 'CONTRIBUTING.md'].filter((path) => /\.(md|py|wgsl|tsx?)$/.test(path));
/** Lines that are text: all of Markdown, Python and WGSL, and comments of TypeScript. */
const isText = (path: string, line: string): boolean => !/\.tsx?$/.test(path) || /^\s*(\/\/|\/?\*)/.test(line);
const isThere = (path: string): boolean =>
  ['', 'src', 'src/core', 'src/shaders', 'src/renderer'].some((root) => existsSync(join(root, path)));

test('every file that docs, comments and shaders name by its path exists', () => {
  const missing = texts.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        (isText(path, line) ? [...line.matchAll(named)] : []).map(([name]) => ({ name, place: `${path}:${at + 1}` })),
      )
      .filter(({ name }) => !isThere(name)),
  );
  expect(missing).toEqual([]);
});
