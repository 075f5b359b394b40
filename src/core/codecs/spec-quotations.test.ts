import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// Comments quote SPEC.md and FORMAT.md word for word. CONTRIBUTING.md, 'Quotations', says what counts as a quotation.

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const foldersIn = (path: string) =>
  readdirSync(new URL(path, root), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

const codecs = foldersIn('src/core/codecs/');
const pathOfSpec = (codec: string) => `src/core/codecs/${codec}/SPEC.md`;
const every = [...codecs.map(pathOfSpec), 'docs/FORMAT.md'];

/** Folders with comments that quote, each with the texts that they may quote. */
const rooms: [folder: string, specifications: string[]][] = [
  ...codecs.map((codec): [string, string[]] => [`src/core/codecs/${codec}/`, [pathOfSpec(codec), 'docs/FORMAT.md']]),
  ...codecs.map((codec): [string, string[]] => [`src/shaders/${codec}/`, [pathOfSpec(codec), 'docs/FORMAT.md']]),
  ['src/core/codec/', every],
  ['src/core/format/', ['docs/FORMAT.md']],
  ['src/shaders/bricks/', every],
  ['src/shaders/gpu-chunks/', every],
];

/** The text without Markdown markup, and with single spaces. */
function plain(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|`/g, '')
    .replace(/(?<!\w)_([^_\n]+)_(?!\w)/g, '$1')
    .replace(/\s+/g, ' ');
}

/** Comments as running text. Consecutive `//` lines are joined. */
function commentsOf(source: string): string[] {
  const lines: string[] = [];
  let isComment = false;
  for (const line of source.split('\n')) {
    const own = /^\s*\/\/ (.*)$/.exec(line);
    if (own && isComment) lines[lines.length - 1] += ` ${own[1]}`;
    else lines.push(line);
    isComment = /(^|\s)\/\/ /.test(line);
  }
  const comments = [...lines.join('\n').matchAll(/\/\*\*?([\s\S]*?)\*\/|(?:^|\s)\/\/ (.*)$/gm)];
  return comments.map(([, block, line]) => plain(line ?? (block as string).replace(/^\s*\* ?/gm, ' ')));
}

interface Quotation {
  /** The text from the opening mark to each mark that may close it, shortest first. */
  readonly readings: readonly string[];
  readonly isSection: boolean;
}

function quotationsIn(comment: string): Quotation[] {
  const quotations: Quotation[] = [];
  let from = 0;
  for (;;) {
    const opening = /(?<![\w'])'(?=[^\s'])/.exec(comment.slice(from));
    if (!opening) return quotations;
    const start = from + opening.index + 1;
    const isSection = /(SPEC|FORMAT)\.md, (section )?$/.test(comment.slice(0, start - 1));
    // An apostrophe may also precede a space: bricks' lengths.
    const readings = [...comment.slice(start).matchAll(/'(?!\w)/g)].map(({ index }) => comment.slice(start, start + index));
    const [shortest] = readings;
    if (shortest === undefined) return quotations;
    // One word in quotation marks is a name or a value.
    if (isSection || shortest.includes(' ')) quotations.push({ readings, isSection });
    from = start + shortest.length + 1;
  }
}

function isIn(text: string, quotation: string): boolean {
  let from = 0;
  for (const part of quotation.split('…')) {
    const at = text.indexOf(part.trim(), from);
    if (at < 0) return false;
    from = at + part.trim().length;
  }
  return true;
}

/** Quotations that occur in none of the specifications. */
function wrongQuotations(comment: string, specifications: readonly string[]): string[] {
  const texts = specifications.map(plain);
  const headings = specifications.flatMap((text) => [...text.matchAll(/^#+ (.*)$/gm)].map(([, name]) => plain(name as string)));
  return quotationsIn(comment).flatMap(({ readings, isSection }) => {
    const isRight = (reading: string) =>
      isSection ? headings.includes(reading) : texts.some((text) => text.includes(reading) || isIn(text, reading));
    return readings.some(isRight) ? [] : [readings[0] as string];
  });
}

const specification = "## The bricks' order\n\nA brick has _one_ code,\nof **8** bits. The bricks' lengths are `n` bytes.\n";
test.each([
  ["'A brick has one code, of 8 bits.'", []],
  ["'A brick … 8 bits'", []],
  ["'The bricks' lengths are n bytes.' And so on.", []],
  ["SPEC.md, 'The bricks' order': its kind is 'auto', the brick's own", []],
  ["'A brick has a code.'", ['A brick has a code.']],
  ["SPEC.md, 'Bricks'", ['Bricks']],
])('%s', (comment, wrong) => {
  expect(wrongQuotations(comment, [specification])).toEqual(wrong);
});

test('comments are found, whatever their form', () => {
  const source = "const a = 1; // 'one\n// two'\n/**\n * 'three\n * four'\n */\nconst b = 2;\n";
  expect(commentsOf(source).map((comment) => comment.trim())).toEqual(["'one two'", "'three four'"]);
});

test.each(rooms)('every quotation in %s is verbatim', (folder, specifications) => {
  const texts = specifications.map(read);
  const files = readdirSync(new URL(folder, root)).filter(
    (name) => /\.(ts|wgsl)$/.test(name) && name !== 'spec-quotations.test.ts',
  );
  const wrong = files.flatMap((name) =>
    commentsOf(read(folder + name)).flatMap((comment) =>
      wrongQuotations(comment, texts).map((quotation) => `${name}: '${quotation}'`),
    ),
  );
  expect(wrong).toEqual([]);
});
