interface Conditional {
  /** `checks` or `!checks`; undefined: always. */
  readonly when?: string | undefined;
}

/** The parts of a .wgsl file. ../link.ts joins them. */
export interface ParsedShader {
  readonly pieces: readonly (Conditional & { readonly text: string })[];
  readonly imports: readonly ParsedImport[];
  /** Its declarations outside functions. */
  readonly names: ReadonlySet<string>;
}

export interface ParsedImport extends Conditional {
  /** `rice/planes.wgsl`, or `constants`. */
  readonly from: string;
  readonly names: readonly string[];
  readonly line: number;
}

const starts = /@(if|else)\b(?:\(\s*(!?\w+)\s*\))?|\bimport\s/g;
const importForm = /^\s*import\s+(?:package::((?:\w+::)+)|constants::)(?:(\w+)|\{([\w\s,]+)\})\s*;$/;
const declaration = /\b(?:fn|struct|alias|const|override|var(?:\s*<[^>]*>)?)\s+(\w+)/g;

/**
 * Reads the part of WESL (wesl-lang.dev) that Stria uses: `import package::folder::file::{name, name};` (`_` in the path is a `-`),
 * `import constants::name;`, and `@if(name)`, `@if(!name)` and `@else` before an import, a declaration or a statement.
 * @throws SyntaxError with path and line
 */
export function parseShader(source: string, path: string): ParsedShader {
  // Without comments. Lines stay where they are.
  const code = source.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, blank).replace(/[ \t]+$/gm, '');
  const pieces: (Conditional & { text: string })[] = [];
  const imports: ParsedImport[] = [];
  let last = { when: '', end: 0 };
  for (const { 0: found, 1: attribute, 2: name, index } of code.matchAll(starts)) {
    const line = code.slice(0, index).split('\n').length;
    const check = (isRight: boolean, problem: string): void => {
      if (!isRight) throw new SyntaxError(`${path}:${line}: ${problem}`);
    };
    if (index < last.end && !attribute) continue;
    check(index >= last.end, 'a condition inside of another one');
    check(attribute !== 'if' || name !== undefined, '@if wants one name: @if(name) or @if(!name)');
    const between = code.slice(last.end, index);
    check(attribute !== 'else' || (last.when !== '' && between.trim() === ''), '@else does not follow an @if');
    const when = attribute === 'else' ? `!${last.when}`.replace('!!', '') : name;
    const start = attribute ? index + found.length : index;
    const isImport = /^\s*import\s/.test(code.slice(start));
    const end = endOfDeclaration(code, start, isImport);
    check(end > start, 'this has no end');
    check(
      !attribute || !/^\s*else\b/.test(code.slice(end)),
      'a conditional statement with an `else` must stand in a block: @if(name) { … }',
    );
    const text = code.slice(start, end);
    if (isImport) {
      const [form, folders, single, list] = importForm.exec(text) ?? [];
      check(form !== undefined, 'an import looks like `import package::folder::file::{name, name};`');
      const from = folders ? `${folders.slice(0, -2).replaceAll('::', '/').replaceAll('_', '-')}.wgsl` : 'constants';
      imports.push({ from, names: (single ?? list ?? '').match(/\w+/g) ?? [], when, line });
    }
    pieces.push({ text: between }, { text: isImport ? blank(text) : text, when });
    last = { when: when ?? '', end };
  }
  pieces.push({ text: code.slice(last.end) });
  let outer = pieces.map(({ text }) => text).join('');
  while (/\{[^{}]*\}/.test(outer)) outer = outer.replace(/\{[^{}]*\}/g, ' ');
  const names = new Set(Array.from(outer.matchAll(declaration), ([, name]) => name as string));
  return { pieces: pieces.filter(({ text }) => text !== ''), imports, names };
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, '');
}

/**
 * Behind the first `;` outside of parentheses (a `for` has some in them), or the `}` that closes the first `{`; an import's braces end with its
 * `;`. -1: there is none.
 */
function endOfDeclaration(code: string, start: number, isImport: boolean): number {
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    const character = code[at] as string;
    if ('{('.includes(character)) depth++;
    if ('})'.includes(character)) depth--;
    if (depth === 0 && (character === ';' || (character === '}' && !isImport))) return at + 1;
  }
  return -1;
}
