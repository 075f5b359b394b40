import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Gpu } from '../gpu/gpu.ts';
import { FittingBatches } from './fitting-batches.ts';
import { guarded, guardedAtOnce } from './guarded.ts';

class FakeError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}
class OutOfMemory extends FakeError {}

beforeAll(() => {
  vi.stubGlobal('GPUOutOfMemoryError', OutOfMemory);
});
afterAll(() => {
  vi.unstubAllGlobals();
});

/** A device with error scopes as WebGPU defines them: the innermost scope of its kind takes an error. */
function fakeGpu() {
  const scopes: { readonly filter: string; error: FakeError | null }[] = [];
  const uncaptured: FakeError[] = [];
  const device = {
    pushErrorScope: (filter: string) => void scopes.push({ filter, error: null }),
    popErrorScope: async () => {
      const scope = scopes.pop();
      if (!scope) throw new Error('there is no scope');
      return scope.error;
    },
  };
  const refuse = (error: FakeError): void => {
    const filter = error instanceof OutOfMemory ? 'out-of-memory' : 'validation';
    const scope = scopes.findLast((one) => one.filter === filter);
    if (scope) scope.error ??= error;
    else uncaptured.push(error);
  };
  const freed = vi.fn();
  const gpu = {
    device,
    checkAlive() {},
    causeOf: async (error: unknown) => error,
    spare: { free: freed },
  } as unknown as Gpu;
  return { gpu, refuse, scopes, uncaptured, freed };
}

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test('an error is raised, and its scopes are gone afterwards', async () => {
  const { gpu, refuse, scopes, freed } = fakeGpu();
  expect(await guarded(gpu, async () => 7)).toBe(7);
  await expect(guarded(gpu, async () => refuse(new FakeError('odd call')))).rejects.toMatchObject({ tag: 'internal' });
  expect(freed).not.toHaveBeenCalled();
  await expect(guarded(gpu, async () => refuse(new OutOfMemory('full')))).rejects.toMatchObject({ tag: 'out-of-memory' });
  expect(freed).toHaveBeenCalled();
  expect(scopes).toEqual([]);
});

test.each(['the first', 'the second'])(
  'of two calls that overlap, none misses an error of its own: %s ends first',
  async (first) => {
    const { gpu, refuse, scopes } = fakeGpu();
    const [one, other] = [gate(), gate()];
    // The error comes before the second call begins.
    const failing = guarded(gpu, async () => {
      refuse(new OutOfMemory('full'));
      await one.opened;
    });
    const beside = guarded(gpu, () => other.opened);
    const outcomes = Promise.allSettled([failing, beside]);
    for (const each of first === 'the first' ? [one, other] : [other, one]) {
      each.open();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect((await outcomes)[0]).toMatchObject({ status: 'rejected', reason: { tag: 'out-of-memory' } });
    expect(scopes).toEqual([]);
  },
);

test('calls that use memory which was refused fail for lack of memory, also those that began later', async () => {
  const { gpu, refuse } = fakeGpu();
  const [failing, beside, later] = [gate(), gate(), gate()];
  const first = guarded(gpu, async () => {
    refuse(new OutOfMemory('full'));
    await failing.opened;
  });
  const second = guarded(gpu, () => beside.opened);
  const ended = expect(second).rejects.toMatchObject({ tag: 'out-of-memory' });
  beside.open();
  await ended;
  const third = guarded(gpu, () => later.opened);
  const endedLater = expect(third).rejects.toMatchObject({ tag: 'out-of-memory' });
  refuse(new FakeError('a buffer is invalid'));
  later.open();
  await endedLater;
  const endedFirst = expect(first).rejects.toMatchObject({ tag: 'out-of-memory' });
  failing.open();
  await endedFirst;
  expect(await guarded(gpu, async () => 'fine')).toBe('fine');
});

test('work that makes its calls at once raises its own errors only, and its errors concern no other call', async () => {
  const { gpu, refuse, scopes } = fakeGpu();
  const ends = gate();
  const beside = guarded(gpu, async () => {
    await ends.opened;
    return 'fine';
  });
  await expect(guardedAtOnce(gpu, async () => refuse(new OutOfMemory('full')))).rejects.toMatchObject({ tag: 'out-of-memory' });
  expect(await guardedAtOnce(gpu, async () => 7)).toBe(7);
  ends.open();
  expect(await beside).toBe('fine');
  expect(scopes).toEqual([]);
});

test('batches become smaller until they fit, one at a time, and later ones begin with that size', async () => {
  const { gpu, refuse } = fakeGpu();
  const batches = new FittingBatches(gpu, { bytes: 2 ** 22, atOnce: 2 });
  const sizes: [number, number][] = [];
  const released: number[] = [];
  const work = (fitting: number) =>
    batches.run(async ({ bytes, atOnce }, hold) => {
      sizes.push([bytes / 2 ** 20, atOnce]);
      hold(() => released.push(bytes / 2 ** 20));
      if (bytes > fitting) refuse(new OutOfMemory('full'));
      return bytes;
    });
  expect(await work(2 ** 20)).toBe(2 ** 20);
  expect(await work(2 ** 20)).toBe(2 ** 20);
  expect(sizes).toEqual([
    [4, 2],
    [2, 1],
    [1, 1],
    [1, 1],
  ]);
  // What the work that succeeded holds is the caller's.
  expect(released).toEqual([4, 2]);
  batches.reset();
  sizes.length = 0;
  await expect(work(1000)).rejects.toMatchObject({ tag: 'out-of-memory' });
  expect(sizes.map(([bytes]) => bytes)).toEqual([4, 2, 1, 0.5, 0.25]);
});

test('minutes after a lack of memory, larger batches are tried again, one size after another', async () => {
  const { gpu, refuse } = fakeGpu();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const batches = new FittingBatches(gpu, { bytes: 2 ** 22, atOnce: 2 });
  const sizes: number[] = [];
  const work = (fitting: number) =>
    batches.run(async ({ bytes }) => {
      sizes.push(bytes / 2 ** 20);
      if (bytes > fitting) refuse(new OutOfMemory('full'));
    });
  try {
    for (const [minute, fitting] of [
      [0, 2 ** 20],
      [1, 2 ** 22],
      [3, 2 ** 20],
      [4, 2 ** 22],
      [6, 2 ** 22],
      [7, 2 ** 22],
      [8, 2 ** 22],
      [20, 2 ** 22],
    ] as const) {
      clock.mockReturnValue(minute * 60_000);
      await work(fitting);
    }
  } finally {
    clock.mockRestore();
  }
  expect(sizes).toEqual([4, 2, 1, 1, 2, 1, 1, 2, 2, 4, 4]);
});

test('if larger batches are refused, the size stays that of the ones beside them, which fitted', async () => {
  const { gpu, refuse } = fakeGpu();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const batches = new FittingBatches(gpu, { bytes: 2 ** 22, atOnce: 2 });
  const sizes: number[] = [];
  const work = (until: Promise<void>) =>
    batches.run(async ({ bytes }) => {
      sizes.push(bytes / 2 ** 20);
      if (bytes > 2 ** 21) refuse(new OutOfMemory('full'));
      await until;
    });
  try {
    await work(Promise.resolve());
    clock.mockReturnValue(60_000);
    const ends = gate();
    const beside = work(ends.opened);
    clock.mockReturnValue(180_000);
    const trial = work(ends.opened);
    ends.open();
    await Promise.all([beside, trial]);
    await work(Promise.resolve());
  } finally {
    clock.mockRestore();
  }
  expect(sizes.slice(0, 4)).toEqual([4, 2, 2, 4]);
  expect(sizes.slice(4).every((size) => size === 2)).toBe(true);
});

test('two calls that overlap are both done again if one of them lacks memory', async () => {
  const { gpu, refuse } = fakeGpu();
  const batches = new FittingBatches(gpu, { bytes: 2 ** 22, atOnce: 2 });
  const sizes: string[] = [];
  const both = [gate(), gate()] as const;
  const work = (name: 'a' | 'b') =>
    batches.run(async ({ bytes }) => {
      sizes.push(`${name} ${bytes / 2 ** 20}`);
      if (bytes < 2 ** 22) return `${name} is done`;
      if (name === 'a') refuse(new OutOfMemory('full'));
      await both[name === 'a' ? 0 : 1].opened;
      return 'zeros';
    });
  const running = [work('a'), work('b')];
  both[1].open();
  await new Promise((resolve) => setTimeout(resolve, 1));
  both[0].open();
  expect(await Promise.all(running)).toEqual(['a is done', 'b is done']);
  expect(sizes.sort()).toEqual(['a 2', 'a 4', 'b 2', 'b 4']);
});

test('other faults end the work', async () => {
  const { gpu, refuse } = fakeGpu();
  const batches = new FittingBatches(gpu, { bytes: 2 ** 22, atOnce: 1 });
  let runs = 0;
  const work = batches.run(async () => {
    runs++;
    refuse(new FakeError('odd call'));
  });
  await expect(work).rejects.toMatchObject({ tag: 'internal' });
  expect(runs).toBe(1);
});
