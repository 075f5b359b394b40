import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Finding {
  readonly category: string;
  readonly path: string;
}

// What each room must not do. The files are planted in a folder with the project's own biome.json and linted at once.
const forbidden = [
  ['core/shared imports nothing of core', 'src/core/shared/a.ts', "import { a } from '../gpu/gpu.ts';"],
  ['core/gpu knows no codec', 'src/core/gpu/a.ts', "import { a } from '../codecs/codec.ts';"],
  ['core/format knows no engine', 'src/core/format/a.ts', "import { a } from '../engine/backend.ts';"],
  ['core/io knows no container', 'src/core/io/a.ts', "import { a } from '../format/chunk.ts';"],
  ['core/codecs knows no container', 'src/core/codecs/rle/a.ts', "import { a } from '../../format/chunk.ts';"],
  ['core/engine knows no bench', 'src/core/engine/d.ts', "import { a } from '../bench/run.ts';"],
  ['core/bench knows no results', 'src/core/bench/a.ts', "import { a } from '../../../bench/baselines/metal-rice.ts';"],
  ['core/bench knows no Node', 'src/core/bench/b.ts', "import { a } from 'node:fs';"],
  ['core knows no Node', 'src/core/engine/a.ts', "import { a } from 'node:fs';"],
  ['core knows no webgpu package', 'src/core/gpu/b.ts', "import { a } from 'webgpu';"],
  ['the viewer knows no React', 'src/renderer/viewer/a.ts', "import { a } from 'react';"],
  ['playback knows no React', 'src/renderer/playback/a.ts', "import { a } from 'react';"],
  ['panels know no three', 'src/renderer/panels/a.tsx', "import { a } from 'three/webgpu';"],
  ['preload knows no engine', 'src/preload/a.ts', "import { a } from '../core/engine/backend.ts';"],
  ['main knows no engine', 'src/main/a.ts', "import { a } from '../core/gpu/gpu.ts';"],
  ['the command knows no renderer', 'src/cli/a.ts', "import { a } from '../renderer/host/host.ts';"],
  ['core touches no DOM', 'src/core/io/b.ts', 'const a = document.title;'],
  ['core touches no Node global', 'src/core/io/c.ts', 'const a = process.argv;'],
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
  copyFileSync('biome.json', join(folder, 'biome.json'));
  for (const [, path, code] of forbidden) plant(path, `${code}\nexport const b = a;\n`);
  for (const [path, code] of cycle) plant(path, code);
  plant('src/core/engine/allowed.ts', "import { a } from '../codecs/codec.ts';\nexport const b = a;\n");
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

describe('the import table of docs/ARCHITECTURE.md is enforced', () => {
  test.each(forbidden)('%s', (_, path) => {
    const restricted = /noRestricted(Imports|Globals)/;
    expect(findings.filter((finding) => finding.path.endsWith(path) && restricted.test(finding.category))).toHaveLength(1);
  });

  test('import cycles are errors, those of types included', () => {
    for (const [path] of cycle) {
      expect(findings).toContainEqual({ category: 'lint/suspicious/noImportCycles', path: expect.stringContaining(path) });
    }
  });

  test('what is allowed is allowed', () => {
    expect(findings.filter(({ path }) => path.endsWith('allowed.ts'))).toEqual([]);
  });
});
