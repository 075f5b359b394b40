import { expect, test } from 'vitest';
import { parseShader } from './build/parse.ts';
import { linkShader } from './link.ts';

/** Files by their paths, as the plugin makes them. */
function shaders(sources: Readonly<Record<string, string>>): (path: string) => ShaderFile {
  const files = new Map<string, ShaderFile>();
  for (const [path, source] of Object.entries(sources)) {
    const { pieces, imports } = parseShader(source, path);
    const linked = imports.map(({ from, names, when }) => {
      return { from: from === 'constants' ? from : () => files.get(from) as ShaderFile, names, when } as const;
    });
    files.set(path, { path, pieces, imports: linked });
  }
  return (path) => files.get(path) as ShaderFile;
}

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

test('a file is included once, before those that import it, and cycles end', () => {
  const file = shaders({
    'a/main.wgsl': 'import package::a::one::x;\nimport package::a::two::y;\nfn main() { x(); y(); }',
    'a/one.wgsl': 'import package::a::two::y;\nfn x() { y(); }',
    'a/two.wgsl': 'import package::a::one::x;\nfn y() { }\nconst z = 1;',
  });
  expect(lines(linkShader(file('a/main.wgsl')).text)).toEqual([
    'fn y() { }',
    'const z = 1;',
    'fn x() { y(); }',
    'fn main() { x(); y(); }',
  ]);
});

test('conditions choose imports, declarations and statements', () => {
  const file = shaders({
    'main.wgsl': `@if(small) import package::lib::small::size;
@else import package::lib::large::size;
fn main() {
  @if(!small) grow();
  @else { shrink(); }
}`,
    'lib/small.wgsl': 'const size = 1;',
    'lib/large.wgsl': 'const size = 2;',
  });
  const text = (small: boolean) => lines(linkShader(file('main.wgsl'), { small }).text).map((line) => line.trim());
  expect(text(true)).toEqual(['const size = 1;', 'fn main() {', '{ shrink(); }', '}']);
  expect(text(false)).toEqual(['const size = 2;', 'fn main() {', 'grow();', '}']);
  expect(lines(linkShader(file('main.wgsl')).text)).toContain('const size = 2;');
});

test('a conditional loop is left out whole', () => {
  const file = shaders({ 'main.wgsl': 'fn main() {\n  @if(many) for (var i = 0; i < 4; i++) { one(i); }\n  last();\n}' });
  const text = (many: boolean) => lines(linkShader(file('main.wgsl'), { many }).text).map((line) => line.trim());
  expect(text(true)).toEqual(['fn main() {', 'for (var i = 0; i < 4; i++) { one(i); }', 'last();', '}']);
  expect(text(false)).toEqual(['fn main() {', 'last();', '}']);
});

test('constants come from the variant; one that is missing is named, unless its condition does not hold', () => {
  const file = shaders({
    'main.wgsl': 'import constants::{parts};\n@if(checks) import constants::binding;\nfn main() { parts; }',
  });
  const { text } = linkShader(file('main.wgsl'), { parts: 2, unused: 3 });
  expect(lines(text)).toEqual(['const parts = 2u;', 'fn main() { parts; }']);
  expect(() => linkShader(file('main.wgsl'), { parts: 2, checks: true })).toThrow('main.wgsl imports constants::binding');
  expect(() => linkShader(file('main.wgsl'), { parts: true })).toThrow('constants::parts');
});

test('with values, overrides become constants, and the lines stay', () => {
  const file = shaders({
    'main.wgsl':
      'override bytes: u32 = 1u;\noverride bits: u32 =\n  8u * bytes;\noverride half: bool = false;\noverride way: i32;\nfn main() { bits; }',
  })('main.wgsl');
  expect(linkShader(file, {}, { bytes: 2, half: 1 }).text.split('\n').slice(1)).toEqual([
    'const bytes: u32 = u32(2);',
    'const bits: u32 =',
    '  8u * bytes;',
    'const half: bool = bool(1);',
    'override way: i32;',
    'fn main() { bits; }',
  ]);
  expect(linkShader(file).text).toContain('override bytes');
  expect(() => linkShader(file, {}, { bytes: 2, other: 1 })).toThrow('main.wgsl has no override other');
});

test('each line of the text is located in its file, whatever was left out before it', () => {
  const sources = {
    'main.wgsl':
      '// A comment.\nimport package::lib::{\n  one,\n};\n\n@if(no) const gone = 1;\n/* two\nlines */ const here = one;',
    'lib.wgsl': '// A comment.\n\nconst one = 1;\n',
  };
  const { text, locate } = linkShader(shaders(sources)('main.wgsl'));
  const placeOf = (code: string) => locate(text.split('\n').findIndex((line) => line.includes(code)) + 1);
  expect(placeOf('const one')).toBe('lib.wgsl:3');
  expect(placeOf('const here')).toBe('main.wgsl:8');
});

test('the same file and variant are linked once', () => {
  const file = shaders({ 'main.wgsl': 'import constants::a;\n@if(b) const c = a;' })('main.wgsl');
  expect(linkShader(file, { b: true, a: 1 })).toBe(linkShader(file, { a: 1, b: true }));
  expect(linkShader(file, { a: 2, b: true })).not.toBe(linkShader(file, { a: 1, b: true }));
  expect(linkShader(file, { a: 1 }, {})).not.toBe(linkShader(file, { a: 1 }));
});
