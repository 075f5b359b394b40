import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { niftiFile, requireBuild, stria } from './cli-testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'stria-cli-gpu-'));
const at = (name: string) => join(folder, name);
beforeAll(requireBuild);
afterAll(() => rmSync(folder, { recursive: true }));

test('stria gpu names the adapter and its limits', async () => {
  const { code, stdout } = await stria('gpu', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ state: 'ready', limits: { maxStorageBuffersPerShaderStage: expect.any(Number) } });
  expect((await stria('gpu')).stdout).toMatch(/^Adapter .*maxBufferSize/s);
});

test('GPU, smallest GPU and CPU write the same file, and each restores it', async () => {
  const source = niftiFile([130, 71, 67], 2);
  writeFileSync(at('scan.nii'), source);
  const ways = { cpu: ['--device', 'cpu'], gpu: ['--device', 'gpu'], least: ['--device', 'gpu', '--gpu-limits', 'default'] };
  for (const [name, way] of Object.entries(ways)) {
    const pressed = await stria('compress', at('scan.nii'), '-o', at(`${name}.stria`), ...way);
    expect(pressed, pressed.stderr).toMatchObject({ code: 0 });
    expect(Buffer.compare(readFileSync(at(`${name}.stria`)), readFileSync(at('cpu.stria')))).toBe(0);
    const restored = await stria('decompress', at(`${name}.stria`), '-o', at('b'), ...way);
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    expect(Buffer.compare(readFileSync(at('b')), source)).toBe(0);
  }
  const verified = await stria('verify', at('gpu.stria'), '--device', 'gpu');
  expect(verified, verified.stderr).toMatchObject({ code: 0 });
});
