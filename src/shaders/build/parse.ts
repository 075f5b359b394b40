/** What a .wgsl file says for itself: see ../link.ts for what becomes of it. */
export interface ParsedShader {
  readonly pieces: readonly { readonly text: string; readonly when?: string | undefined }[];
  readonly imports: readonly ParsedImport[];
  readonly constants: readonly { readonly name: string; readonly when?: string | undefined }[];
  /** What it declares outside of functions. */
  readonly names: ReadonlySet<string>;
}

export interface ParsedImport {
  /** `rice/planes.wgsl` */
  readonly path: string;
  readonly names: readonly string[];
  readonly when?: string | undefined;
  readonly line: number;
}

/**
 * Reads the part of WESL (wesl-lang.dev) that Stria uses: `import package::folder::file::{name, name};` (with `_` for a `-` in the path),
 * `import constants::name;`, and `@if(name)`, `@if(!name)` and `@else` before an import, a declaration or a statement.
 * @throws SyntaxError with path and line
 */
export function parseShader(source: string, path: string): ParsedShader {
  const code = withoutComments(source);
  const fail = (at: number, problem: string) => new SyntaxError(`${path}:${lineOf(code, at)}: ${problem}`);
  const pieces: { text: string; when?: string | undefined }[] = [];
  const imports: ParsedImport[] = [];
  const constants: { name: string; when?: string | undefined }[] = [];
  let done = 0;
  let last: { when: string; end: number } | undefined;
  for (const { 0: found, 1: attribute, 2: name, index } of code.matchAll(/@(if|else)\b(?:\(\s*(!?\w+)\s*\))?|\bimport\s/g)) {
    if (index < done) {
      if (!found.startsWith('@')) continue;
      throw fail(index, 'a condition inside of another one');
    }
    const isElse = attribute === 'else';
    if (isElse && !(last && code.slice(last.end, index).trim() === '')) throw fail(index, '@else does not follow an @if');
    if (attribute === 'if' && name === undefined) throw fail(index, '@if wants one name: @if(name) or @if(!name)');
    const when = isElse ? negated((last as { when: string }).when) : name;
    const start = index + (attribute ? found.length : 0);
    const end = endOfDeclaration(code, start);
    if (end === undefined) throw fail(index, 'this has no end');
    let text = code.slice(start, end);
    if (/^\s*import\s/.test(text)) {
      const { from, names } = importIn(text) ?? {};
      if (!from || !names) throw fail(index, 'an import looks like `import package::folder::file::{name, name};`');
      if (from === 'constants') constants.push(...names.map((name) => ({ name, when })));
      else imports.push({ path: from, names, when, line: lineOf(code, index) });
      text = text.replace(/[^\n]/g, '');
    }
    pieces.push({ text: code.slice(done, index) }, { text, when });
    done = end;
    last = when === undefined ? undefined : { when, end };
  }
  pieces.push({ text: code.slice(done) });
  const names = namesIn(pieces.map(({ text }) => text).join(''));
  return { pieces: pieces.filter(({ text }) => text !== ''), imports, constants, names };
}

function negated(when: string): string {
  return when.startsWith('!') ? when.slice(1) : `!${when}`;
}

/** Lines stay where they are. */
export function withoutComments(source: string): string {
  return source.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, '')).replace(/[ \t]+$/gm, '');
}

export function lineOf(code: string, at: number): number {
  return code.slice(0, at).split('\n').length;
}

/** Behind the first `;`, or the `}` that closes the first `{`. An import's braces end with its `;`. */
function endOfDeclaration(code: string, start: number): number | undefined {
  const isImport = /^\s*import\s/.test(code.slice(start));
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    const letter = code[at];
    if (letter === '{') depth++;
    if (letter === '}' && --depth === 0 && !isImport) return at + 1;
    if (letter === ';' && depth === 0) return at + 1;
  }
  return undefined;
}

function importIn(text: string): { from: string; names: string[] } | undefined {
  const found = /^\s*import\s+(?:package::((?:\w+::)+)|(constants)::)(?:(\w+)|\{([\w\s,]+)\})\s*;$/.exec(text);
  if (!found) return undefined;
  const [, folders, constants, name, list = ''] = found;
  const names = name ? [name] : list.split(',').map((one) => one.trim());
  return {
    from: constants ?? `${(folders as string).slice(0, -2).replaceAll('::', '/').replaceAll('_', '-')}.wgsl`,
    names: names.filter(Boolean),
  };
}

function namesIn(code: string): Set<string> {
  let outer = code;
  for (let before = ''; before !== outer; ) {
    before = outer;
    outer = outer.replace(/\{[^{}]*\}/g, ' ');
  }
  return new Set(
    Array.from(outer.matchAll(/\b(?:fn|struct|alias|const|override|var(?:\s*<[^>]*>)?)\s+(\w+)/g), ([, name]) => name as string),
  );
}
