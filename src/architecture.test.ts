import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Finding {
  readonly category: string;
  readonly path: string;
}

// The linter must refuse each of these. They are planted in a folder with the project's own rules and linted at once.
const refused = [
  ['core/shared imports nothing of core', 'src/core/shared/a.ts', "import { a } from '../gpu/gpu.ts';"],
  ['core/shared imports no package', 'src/core/shared/b.ts', "import { a } from 'fflate';"],
  ['core/gpu knows no codec', 'src/core/gpu/a.ts', "import { a } from '../codec/codec.ts';"],
  ['core/format knows no chunk of the engine', 'src/core/format/a.ts', "import { a } from '../chunks/backend.ts';"],
  ['core/io knows no container', 'src/core/io/a.ts', "import { a } from '../format/chunk.ts';"],
  ['a codec knows no other codec', 'src/core/codecs/rle/a.ts', "import { a } from '../rice/layout.ts';"],
  ['a codec uses no shader of another', 'src/core/codecs/rle/b.ts', "import a from '../../../shaders/rice/brick.wgsl';"],
  ['compressing knows no drawing', 'src/core/stream/a.ts', "import { a } from '../draw/ray-pass.ts';"],
  ['the GPU backend knows no drawing', 'src/core/gpu-chunks/a.ts', "import { a } from '../draw/ray-pass.ts';"],
  ['the engine knows no benchmark', 'src/core/stream/b.ts', "import { a } from '../bench/run.ts';"],
  ['benchmarks know no results', 'src/core/bench/a.ts', "import { a } from '../../../bench/baselines/metal-rice.ts';"],
  ['core knows no Node', 'src/core/stream/c.ts', "import { a } from 'node:fs';"],
  ['core knows no webgpu package', 'src/core/gpu/b.ts', "import { a } from 'webgpu';"],
  ['the viewer knows no React', 'src/renderer/viewer/a.ts', "import { a } from 'react';"],
  ['the viewer imports no package that is not listed', 'src/renderer/viewer/slices/a.ts', "import { a } from 'sirv';"],
  ['playback knows no React', 'src/renderer/playback/a.ts', "import { a } from 'react';"],
  ['the state knows no panel', 'src/renderer/app/state/a.ts', "import { a } from '../../panels/hooks/use-app.ts';"],
  ['panels know no three', 'src/renderer/panels/panes/a.tsx', "import { a } from 'three/webgpu';"],
  ['panels open no GPU', 'src/renderer/panels/shell/a.tsx', "import { a } from '../../../core/gpu-chunks/gpu-backend.ts';"],
  ['preload knows no engine', 'src/preload/a.ts', "import { a } from '../core/stream/compress/compress.ts';"],
  ['main knows no engine', 'src/main/a.ts', "import { a } from '../core/gpu/gpu.ts';"],
  ['the command knows no renderer', 'src/cli/commands/a.ts', "import { a } from '../../renderer/host/host.ts';"],
  ['pictures know no canvas', 'src/cli/pictures/a.ts', "import { a } from '../../renderer/viewer/slices/slice-view.ts';"],
  ['what pictures draw with touches no DOM', 'src/renderer/viewer/draw/a.ts', 'const a = document.title;'],
  ['a dynamic import is an import', 'src/core/shared/c.ts', "const a = await import('../gpu/gpu.ts');"],
  ['an export of another file is an import', 'src/core/shared/d.ts', "export { a } from '../gpu/gpu.ts';\nconst a = 1;"],
  ['core tests know no command', 'src/core/stream/a.test.ts', "import { a } from '../../cli/main.ts';"],
  ['core touches no DOM', 'src/core/io/b.ts', 'const a = document.title;'],
  ['core touches no Node global', 'src/core/io/c.ts', 'const a = process.argv;'],
] as const;

const allowed = [
  ['core/gpu-chunks uses codecs', 'src/core/gpu-chunks/allowed.ts', "import { a } from '../codec/codec.ts';"],
  ['a codec uses its shaders', 'src/core/codecs/rle/allowed.ts', "import a from '../../../shaders/rle/tree.wgsl';"],
  ['the command uses Node', 'src/cli/commands/allowed.ts', "import { a } from 'node:fs/promises';"],
  ['the viewer uses three', 'src/renderer/viewer/space/allowed.ts', "import { a } from 'three/webgpu';"],
  ['panels use React', 'src/renderer/panels/panes/allowed.tsx', "import { a } from 'react';"],
  [
    'core tests use the GPU for tests',
    'src/core/stream/allowed.test.ts',
    "import { a } from '../../testing/node-gpu-testing.ts';",
  ],
] as const;

const cycle = [
  ['src/core/shared/first.ts', "import { b } from './second.ts';\nexport const a: number = b;\n"],
  ['src/core/shared/second.ts', "import { a } from './first.ts';\nexport const b: number = a;\n"],
  ['src/core/shared/third.ts', "import type { B } from './fourth.ts';\nexport type A = B;\n"],
  ['src/core/shared/fourth.ts', "import type { A } from './third.ts';\nexport type B = A;\n"],
] as const;

let folder = '';
let findings: Finding[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stria-lint-'));
  const plant = (path: string, code: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  };
  for (const file of ['biome.json', 'biome.rooms.json']) copyFileSync(file, join(folder, file));
  for (const [, path, code] of [...refused, ...allowed]) plant(path, `${code}\nexport const b = a;\n`);
  for (const [path, code] of cycle) plant(path, code);
  const biome = resolve('node_modules/@biomejs/biome/bin/biome');
  const { stdout } = spawnSync(process.execPath, [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const report = JSON.parse(stdout) as {
    diagnostics: { category: string; severity: string; location: { path: string | { file: string } } }[];
  };
  findings = report.diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ category, location: { path } }) => ({ category, path: typeof path === 'string' ? path : path.file }));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the linter enforces scripts/rooms.mjs', () => {
  const restricted = /noRestricted(Imports|Globals)/;
  const restrictedIn = (path: string): Finding[] =>
    findings.filter((finding) => finding.path.endsWith(path) && restricted.test(finding.category));

  test.each(refused)('%s', (_, path) => {
    expect(restrictedIn(path)).toHaveLength(1);
  });

  test.each(allowed)('%s', (_, path) => {
    expect(findings.filter((finding) => finding.path.endsWith(path))).toEqual([]);
  });

  test('import cycles are errors, those of types included', () => {
    for (const [path] of cycle) {
      expect(findings).toContainEqual({ category: 'lint/suspicious/noImportCycles', path: expect.stringContaining(path) });
    }
  });

  test('the rules and the table in ARCHITECTURE.md are those of scripts/rooms.mjs', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/import-rules.mjs', '--check'], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });
});

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join('src', path), 'utf8') }));

test('no two exported types share a name', () => {
  const places = new Map<string, string[]>();
  for (const { path, text } of sources) {
    for (const [, name = ''] of text.matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm)) {
      places.set(name, [...(places.get(name) ?? []), path]);
    }
  }
  expect([...places].filter(([, paths]) => paths.length > 1)).toEqual([]);
});

test('no test mocks a module: test files share modules, so it would depend on which file ran before', () => {
  const mocking = sources.filter(({ text }) => /\bvi\.(do)?[mM]ock\(/.test(text));
  expect(mocking.map(({ path }) => path)).toEqual([]);
});

test('types are imported by import statements, which the linter sees', () => {
  const inline = sources.filter(
    ({ path, text }) => path !== 'architecture.test.ts' && /(?<!await |typeof |=> |\.then\()\bimport\('\.{1,2}\//.test(text),
  );
  expect(inline.map(({ path }) => path)).toEqual([]);
});
