import { afterAll, expect, test } from 'vitest';
import { openNodeGpu } from '../../node/node-gpu.ts';

const gpu = await openNodeGpu({ software: true });
afterAll(() => gpu.destroy());

const doubled = `
override factor: u32 = 2u;
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&words)) { words[id.x] *= factor; }
}`;

test('a kernel runs, is timed, and its scope gives all memory back', async () => {
  const before = gpu.memory.liveBytes();
  {
    using scope = gpu.scope('test');
    const buffer = scope.storage(
      'words',
      400,
      Uint32Array.from({ length: 100 }, (_, i) => i),
    );
    const kernel = gpu.kernel({ label: 'test.double', code: doubled, constants: { factor: 3 } });
    const times = await gpu
      .commands('test', () => {})
      .stage('double')
      .dispatch(kernel, [buffer], [2, 1, 1])
      .submit();
    expect(times.stages[0]?.gpuMs).toBeGreaterThanOrEqual(0);
    expect([...(await gpu.readWords(buffer)).slice(0, 4)]).toEqual([0, 3, 6, 9]);
  }
  expect(gpu.memory.liveBytes()).toBe(before);
});

test('a buffer over the limit is refused with both sizes', () => {
  using scope = gpu.scope('test');
  expect(() => scope.storage('huge', gpu.maxBindingBytes + 4)).toThrow(/needs \d+ bytes .* allows \d+/);
});
