import { afterAll, expect, test } from 'vitest';
import { openNodeGpu } from '../../node/node-gpu.ts';
import { KernelCache } from './kernel.ts';

const gpu = await openNodeGpu({ software: true });
afterAll(() => gpu.destroy());

const shaderOf = (text: string): ShaderFile => ({ path: 'test.wgsl', pieces: [{ text }], imports: [] });

const scaling = (factor: number) =>
  shaderOf(`
override factor: u32 = ${factor}u;
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&words)) { words[id.x] *= factor; }
}`);

test('a kernel runs, is timed, and its scope gives all memory back', async () => {
  gpu.spare.free();
  const before = gpu.memory.liveBytes();
  {
    using scope = gpu.scope('test');
    const buffer = scope.storage(
      'words',
      400,
      Uint32Array.from({ length: 100 }, (_, i) => i),
    );
    const kernel = gpu.kernel({ label: 'test.scale', shader: scaling(2), constants: { factor: 3 } });
    const times = await gpu
      .commands('test', () => {})
      .stage('double')
      .dispatch(kernel, [buffer], [2, 1, 1])
      .submit();
    expect(times.stages[0]?.gpuMs).toBeGreaterThanOrEqual(0);
    expect([...(await gpu.readWords(buffer)).slice(0, 4)]).toEqual([0, 3, 6, 9]);
  }
  gpu.spare.free();
  expect(gpu.memory.liveBytes()).toBe(before);
});

test('a buffer over the limit is refused with both sizes', () => {
  using scope = gpu.scope('test');
  expect(() => scope.storage('huge', gpu.maxBindingBytes + 4)).toThrow(/needs \d+ bytes .* allows \d+/);
});

test('kernels of one label and different text have two pipelines; of the same text and constants one', () => {
  const label = 'test.scale';
  const twice = gpu.kernel({ label, shader: scaling(2) });
  expect(gpu.kernel({ label, shader: scaling(3) }).pipeline).not.toBe(twice.pipeline);
  expect(gpu.kernel({ label, shader: scaling(2), constants: { factor: 4 } }).pipeline).not.toBe(twice.pipeline);
  expect(gpu.kernel({ label: 'test.other', shader: scaling(2) }).pipeline).toBe(twice.pipeline);
});

test('kernels that are prepared are compiled once, and one that does not compile is left to whoever needs it', async () => {
  const problems: string[] = [];
  const kernels = new KernelCache(gpu.device, (problem) => problems.push(problem));
  const { device } = gpu;
  const own = device.createComputePipeline;
  let compiled = 0;
  device.createComputePipeline = (descriptor) => {
    compiled++;
    return own.call(device, descriptor);
  };
  try {
    const descriptors = [5, 6].map((factor) => ({ label: 'test.prepared', shader: scaling(1), constants: { factor } }));
    const wrong = { label: 'test.unprepared', shader: shaderOf('@compute @workgroup_size(1) fn main() { let a = missing; }') };
    expect(descriptors.map((descriptor) => kernels.has(descriptor))).toEqual([false, false]);
    await Promise.all([kernels.prepare([...descriptors, wrong]), kernels.prepare(descriptors)]);
    expect([...descriptors, wrong].map((descriptor) => kernels.has(descriptor))).toEqual([true, true, false]);
    const [five, six] = descriptors.map((descriptor) => kernels.get(descriptor));
    expect(five?.pipeline).not.toBe(six?.pipeline);
    expect(compiled).toBe(0);
    expect(problems.every((problem) => problem.startsWith('test.unprepared does not compile'))).toBe(true);
  } finally {
    device.createComputePipeline = own;
  }
});

test('settling waits for kernels that are still being compiled', async () => {
  const kernels = new KernelCache(gpu.device, () => {});
  let isCompiled = false;
  void kernels.prepare([{ label: 'test.late', shader: scaling(9) }]).then(() => {
    isCompiled = true;
  });
  expect(isCompiled).toBe(false);
  await kernels.settle();
  expect(isCompiled).toBe(true);
});

test('a compile error names the file and the line that are wrong', async () => {
  const helper = { ...shaderOf('\n\nfn one() -> u32 { return nothing; }\n'), path: 'test/helper.wgsl' };
  const shader = {
    ...shaderOf('\n@compute @workgroup_size(1) fn main() { let two = one() + one(); }'),
    path: 'test/wrong.wgsl',
    imports: [{ from: () => helper, names: ['one'] }],
  };
  const problem = new Promise<string>((resolve) => {
    const stop = gpu.onError((message) => {
      if (!message.startsWith('test.wrong does not compile')) return;
      stop();
      resolve(message);
    });
  });
  gpu.kernel({ label: 'test.wrong', shader });
  expect(await problem).toMatch(/test\/helper\.wgsl:3:\d+: .*nothing/);
});

test('a read that fails before its device is known to be lost is told as the loss', async () => {
  const lost = await openNodeGpu({ software: true });
  const scope = lost.scope('test');
  const buffer = scope.storage('words', 16, new Uint8Array(16));
  const { device } = lost;
  const createBuffer = device.createBuffer.bind(device);
  // Chromium rejects `mapAsync` with an AbortError first, and then settles `device.lost`.
  device.createBuffer = (descriptor) =>
    Object.assign(createBuffer(descriptor), {
      mapAsync: () => {
        setTimeout(() => device.destroy());
        return Promise.reject(new DOMException('the device was destroyed', 'AbortError'));
      },
    });
  await expect(lost.read(buffer)).rejects.toMatchObject({ tag: 'device-lost' });
  scope.destroy();
});
