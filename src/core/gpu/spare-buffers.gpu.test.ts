import { expect, test, vi } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { spareUsage, uploadUsage } from './spare-buffers.ts';

const gpu = await openTestGpu();

/** The number of buffers created while `work` runs. */
function madeBy(work: () => void): number {
  const { device } = gpu;
  const own = device.createBuffer;
  let made = 0;
  device.createBuffer = (descriptor) => {
    made++;
    return own.call(device, descriptor);
  };
  try {
    work();
  } finally {
    device.createBuffer = own;
  }
  return made;
}

test('a batch after another takes the same buffers, and the ledger knows them as used or spare', async () => {
  const before = gpu.memory.liveBytes();
  const batch = (bytes: number) => {
    using scope = gpu.scope('test');
    const buffer = scope.reused('payloads', bytes);
    expect(buffer.size).toBeGreaterThanOrEqual(bytes);
    expect(gpu.memory.liveBytes('test.payloads')).toBe(buffer.size);
    scope.reused('sizes', 4);
    expect(gpu.memory.liveBytes('spare')).toBe(0);
  };
  expect(madeBy(() => batch(100_000))).toBe(2);
  await gpu.finish();
  const spare = gpu.memory.liveBytes('spare');
  expect(spare).toBeGreaterThanOrEqual(100_004);
  expect(spare).toBeLessThan(1.13 * 100_004);
  expect(madeBy(() => batch(90_000))).toBe(0);
  expect(gpu.memory.liveBytes('spare')).toBe(spare);
  gpu.spare.free();
  expect(gpu.memory.liveBytes()).toBe(before);
});

test('what is much longer is left to others, and two at a time are two', () => {
  const made = madeBy(() => {
    {
      using scope = gpu.scope('test');
      expect(scope.reused('a', 4096)).not.toBe(scope.reused('b', 4096));
    }
    using scope = gpu.scope('test');
    scope.reused('short', 2048);
  });
  expect(made).toBe(3);
});

test.each([
  ['512 MiB of the GPU', spareUsage, [96, 104, 112, 120, 128], 464],
  ['256 MiB that the CPU shares', uploadUsage, [64, 96, 128], 224],
])('no more than %s wait: the one that has waited longest goes first', (_, usage, sizes, left) => {
  const { beforeUse } = gpu.spare;
  gpu.spare.beforeUse = undefined;
  try {
    for (const mebibytes of sizes) {
      using scope = gpu.scope('test');
      scope.reused('payloads', mebibytes * 2 ** 20, usage());
    }
    expect(gpu.memory.liveBytes('spare')).toBe(left * 2 ** 20);
  } finally {
    gpu.spare.beforeUse = beforeUse;
  }
});

test('if more was in use at once, as much stays until spare memory is freed', () => {
  const { beforeUse } = gpu.spare;
  gpu.spare.beforeUse = undefined;
  const sizes = [96, 104, 112, 120, 128];
  const use = (some: readonly number[]) => {
    using scope = gpu.scope('test');
    for (const mebibytes of some) scope.reused('payloads', mebibytes * 2 ** 20);
  };
  try {
    use(sizes);
    expect(gpu.memory.liveBytes('spare')).toBe(560 * 2 ** 20);
    gpu.spare.free();
    for (const size of sizes) use([size]);
    expect(gpu.memory.liveBytes('spare')).toBe(464 * 2 ** 20);
  } finally {
    gpu.spare.beforeUse = beforeUse;
  }
});

test('a buffer over the limit is refused', () => {
  using scope = gpu.scope('test');
  expect(() => scope.reused('huge', gpu.maxBindingBytes + 4)).toThrow(/needs \d+ bytes .* allows \d+/);
});

test('memory that the CPU writes is mapped as soon as it is made', () => {
  const buffer = gpu.spare.take(4096, 'test', uploadUsage(), true);
  expect(buffer.mapState).toBe('mapped');
  buffer.destroy();
  const refusal = vi.spyOn(gpu.device, 'createBuffer').mockImplementation(() => {
    throw new RangeError('too large to be mapped');
  });
  expect(() => gpu.spare.take(4096, 'test', uploadUsage(), true)).toThrow(
    expect.objectContaining({ tag: 'out-of-memory', message: expect.stringContaining('4096 bytes') }),
  );
  refusal.mockRestore();
});

test.each([spareUsage, uploadUsage, () => GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST])(
  'a buffer that the device refused is not reused, even before the refusal is told',
  async (usage) => {
    const { device } = gpu;
    const { beforeUse } = gpu.spare;
    gpu.spare.beforeUse = undefined;
    device.pushErrorScope('validation');
    const create = device.createBuffer.bind(device);
    const made = vi.spyOn(device, 'createBuffer').mockImplementationOnce((descriptor) => {
      const invalid = create({ ...descriptor, size: 4 * (device.limits.maxBufferSize + 4) });
      return Object.defineProperty(invalid, 'size', { value: descriptor.size });
    });
    const use = () => {
      using scope = gpu.scope('test');
      scope.reused('payloads', 4096, usage());
    };
    try {
      for (const count of [1, 2, 3]) {
        use();
        expect(made).toHaveBeenCalledTimes(count);
      }
      await gpu.settle();
      use();
      expect(made).toHaveBeenCalledTimes(3);
    } finally {
      made.mockRestore();
      gpu.spare.beforeUse = beforeUse;
    }
    expect(await device.popErrorScope()).not.toBeNull();
  },
);
