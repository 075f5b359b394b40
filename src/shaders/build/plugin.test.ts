import { describe, expect, test } from 'vitest';
import { parseShader } from './parse.ts';
import { moduleOf } from './plugin.ts';

const library = {
  'lib/tools.wgsl': 'fn cut() {}\nstruct Box { size: u32 }\n@if(wide) alias Word = vec2u;\nvar<workgroup> wg_words: u32;',
};
const build = (source: string) => moduleOf(source, 'room/main.wgsl', (path) => (library as Record<string, string>)[path]);

test('a module imports the modules of the files that its text names, and has no comments', () => {
  const code = build(
    '// words\nimport package::lib::tools::{cut, Word};\n@if(wide) import constants::threads;\nfn main() { cut(); Word(); threads; }',
  );
  expect(code).toContain('import file0 from "../lib/tools.wgsl";');
  expect(code).toContain(`{ from: 'constants', ...{"names":["threads"],"when":"wide"} }`);
  expect(code).not.toContain('// words');
});

test('names are those of functions, types, constants and variables, not of members and locals', () => {
  expect(parseShader(library['lib/tools.wgsl'], '').names).toEqual(new Set(['cut', 'Box', 'Word', 'wg_words']));
  expect(
    parseShader('@id(1) override a: u32 = 1;\n@group(0) @binding(0) var b: sampler;\nfn c() { let d = 1; }', '').names,
  ).toEqual(new Set(['a', 'b', 'c']));
});

describe('what is wrong is named with file and line', () => {
  test.each([
    [
      'a file that is not there',
      '\nimport package::lib::other::cut;\nfn f() { cut(); }',
      'room/main.wgsl:2: there is no lib/other.wgsl',
    ],
    [
      'a name that is not there',
      'import package::lib::tools::size;\nfn f() { size; }',
      'room/main.wgsl:1: lib/tools.wgsl declares no size',
    ],
    [
      'a name that is not used',
      '\n\nimport package::lib::tools::{cut, Box};\nfn f() { cut(); }',
      'room/main.wgsl:3: Box is not used',
    ],
    ['a constant that is not used', 'import constants::threads;', 'room/main.wgsl:1: threads is not used'],
    ['another form of import', 'import super::cut;', 'room/main.wgsl:1: an import looks like'],
    ['@else by itself', 'fn f() {}\n@else fn f() {}', 'room/main.wgsl:2: @else does not follow'],
    ['two conditions', '@if(a) @if(b) const c = 1;', 'room/main.wgsl:1: a condition inside of another one'],
    ['a condition in one', '@if(a) fn f() {\n  @if(b) return;\n}', 'room/main.wgsl:2: a condition inside of another one'],
    ['an expression', '@if(a && b) const c = 1;', 'room/main.wgsl:1: @if wants one name'],
    [
      'an else without a block',
      'fn f() {\n  @if(a) if (b) { c(); } else { d(); }\n}',
      'room/main.wgsl:2: a conditional statement with an `else` must stand in a block',
    ],
    ['no end', '@if(a) fn f() {', 'room/main.wgsl:1: this has no end'],
  ])('%s', (_, source, message) => {
    expect(() => build(source)).toThrow(message);
  });
});
