import { expect, test } from 'vitest';
import { openNodeGpu } from '../../node/node-gpu.ts';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { memorySink, memorySource } from '../shared/bytes.ts';
import { compressVolume } from '../stream/compress/compress.ts';
import { auto, infoOf, voxelsOf } from '../stream/engine-testing.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { checkBenchResult } from './check-result.ts';
import { createCrew } from './crew.ts';
import { createCrewMember } from './crew-messages.ts';
import { benchAuto } from './harness/auto-case.ts';
import type { BenchContext, BenchHost } from './harness/context.ts';
import { Meter } from './harness/meter.ts';
import { type BenchCase, caseKey } from './harness/result.ts';
import { type BenchRunner, runGpuSuite } from './run.ts';
import { compareStoredTexels } from './stored-texels.ts';

const gpu = await openTestGpu();

const runner: BenchRunner = { stria: 'test', cpu: 'test', threads: 2, platform: 'test', runtime: 'test' };
/** A crew whose members all run on this thread. */
const host: BenchHost = {
  openCrew: async () =>
    createCrew(
      [1, 2].map(() => {
        const answer = createCrewMember();
        return { ask: async (message) => answer(message), end: async () => undefined };
      }),
    ),
};

test('the tables of the seeds are measured, every output is checked, and the memory is freed', async () => {
  const before = gpu.memory.liveBytes();
  const request = { suite: 'seeds', size: 16, type: 'u8', codecs: [], repetitions: 1 } as const;
  const heard: BenchCase[] = [];
  const result = await runGpuSuite('seeds', gpu, host, runner, request, { onCase: (found) => heard.push(found) });
  expect(gpu.memory.liveBytes()).toBe(before);
  expect(checkBenchResult(JSON.parse(JSON.stringify(result))).cases).toHaveLength(heard.length);
  const keys = heard.map(caseKey);
  expect(new Set(keys).size).toBe(keys.length);
  const methods = (table: string) => [...new Set(heard.filter((found) => found.table === table).map(({ method }) => method))];
  expect(methods('rutter')).toEqual(
    expect.arrayContaining(['Rutter, rows', 'Rutter, columns', 'Stria rle, columns', 'all CPU threads, rows', 'gzip -6']),
  );
  expect(methods('parle')).toEqual(expect.arrayContaining(['PARLE, random', 'one CPU thread, compressible']));
  expect(methods('cuvle-entropy')).toEqual(expect.arrayContaining(['PAVLE', 'CUVLE in two passes', 'one CPU thread']));
  expect(methods('cuvle-plane')).toEqual(['PAVLE', 'CUVLE in two passes']);
  expect(heard.filter(({ table }) => table === 'cuvle-plane').map(({ y }) => y)).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((y) => [y, y]),
  );
  expect(methods('metal-rice')).toEqual(expect.arrayContaining(['MetalRice', 'Stria rice']));
  expect(result.gaps).toEqual([]);
});

test('a stack is played from compressed memory, its frames are checked, and the memory is freed', async () => {
  const before = gpu.memory.liveBytes();
  const request = { suite: 'playback', size: 8, type: 'u8', codecs: ['rice'], repetitions: 1 } as const;
  const result = await runGpuSuite('playback', gpu, host, runner, request);
  expect(gpu.memory.liveBytes()).toBe(before);
  const [found] = checkBenchResult(JSON.parse(JSON.stringify(result))).cases;
  expect(found).toMatchObject({ table: 'playback', operation: 'decode and draw', outputBytes: 32 * 24 });
  expect(found?.wallMs.repetitions).toBe(720);
  expect(found?.gpuMs?.p99).toBeGreaterThan(0);
  expect(Object.keys(found?.stages ?? {})).toEqual(['decode', 'draw']);
});

test('compressing open volumes is timed: the first time, again, after a pause and with the check; the memory is freed', async () => {
  const before = gpu.memory.liveBytes();
  const request = { suite: 'compress', size: 16, type: 'u8', codecs: [], samples: ['phantom'], repetitions: 1 } as const;
  const result = await runGpuSuite('compress', gpu, host, runner, request);
  expect(gpu.memory.liveBytes()).toBe(before);
  const { cases } = checkBenchResult(JSON.parse(JSON.stringify(result)));
  const moments = ['first', 'again', 'after a pause', 'checked'];
  expect(cases.map(({ method }) => method)).toEqual(moments.map((moment) => `auto, balanced, ${moment}`));
  for (const { method, stages, inputBytes, outputBytes } of cases) {
    const always = ['Analyse', 'Encode', 'Measure', 'kernels', 'Read back', 'in host memory'];
    expect(Object.keys(stages)).toEqual(expect.arrayContaining(always));
    expect('Check' in stages).toBe(method.endsWith('checked'));
    expect(inputBytes).toBe(16 ** 3);
    expect(outputBytes).toBeGreaterThan(0);
  }
});

test('a volume turns in the 3D view, looks the same without skipping, and the memory is freed', async () => {
  const before = gpu.memory.liveBytes();
  const request = { suite: 'view', size: 8, type: 'u16', codecs: [], repetitions: 1 } as const;
  const result = await runGpuSuite('view', gpu, host, runner, request);
  expect(gpu.memory.liveBytes()).toBe(before);
  const { cases } = checkBenchResult(JSON.parse(JSON.stringify(result)));
  expect(cases.map(({ x }) => x)).toEqual(['composite', 'mip', 'isosurface', 'composite with phantom', 'composite with labels']);
  for (const found of cases) {
    expect(found).toMatchObject({ table: 'view', operation: 'draw', outputBytes: 4 * 30 * 17 });
    expect(found.wallMs.repetitions).toBe(8);
    expect(found.gpuMs?.median).toBeGreaterThan(0);
    // Copying so few bytes may take less than the clock's resolution.
    if (!String(found.x).includes('with')) expect(found.copyMs).toBeGreaterThanOrEqual(0);
    expect(found.note).toMatch(/frames a second/);
  }
});

test('auto is timed with its statistics, its survey and the chosen codecs, and its output is decoded', async () => {
  const before = gpu.memory.liveBytes();
  const cases: BenchCase[] = [];
  const context: BenchContext = {
    gpu,
    meter: new Meter(gpu, gpu.scope('test'), 1, undefined),
    host,
    request: { suite: 'codecs', size: 16, type: 'u8', codecs: ['auto'], repetitions: 1 },
    job: {},
    begin: () => undefined,
    add: (found) => cases.push(found),
    leaveOut: () => undefined,
  };
  using scope = gpu.scope('test');
  const expected = Uint8Array.from({ length: 32 * 16 * 16 }, (_, at) => (at % 32 < 16 ? 7 : (at * 0x9e3779b1) >>> 28));
  const voxels = { buffer: scope.storage('voxels', expected.length, expected), dims: [32, 16, 16], elementBytes: 1 } as const;
  const work = { table: 'codecs', subject: 'noise', x: 'noise', voxels, expected, chunkShape: [16, 16, 16] } as const;
  await benchAuto(context, { ...work, prefer: 'speed' });
  expect(cases.map(({ operation }) => operation)).toEqual(['encode', 'decode']);
  expect(cases[0]).toMatchObject({ method: 'auto, speed', inputBytes: 8192, note: 'constant 1, rice 1' });
  expect(Object.keys(cases[0]?.stages ?? {})).toEqual(expect.arrayContaining(['analyze', 'survey', 'rice.encode.write']));
  expect(gpu.beforeTimed).toBe(undefined);
  scope.destroy();
  gpu.spare.free();
  expect(gpu.memory.liveBytes()).toBe(before);
});

test('transcoding a slow codec for GPU memory is timed, checked, and its memory is freed', async () => {
  const before = gpu.memory.liveBytes();
  const request = { suite: 'codecs', size: 16, type: 'u8', codecs: ['wave'], samples: ['phantom'], repetitions: 1 } as const;
  const result = await runGpuSuite('codecs', gpu, host, runner, request);
  expect(gpu.memory.liveBytes()).toBe(before);
  const { cases } = checkBenchResult(JSON.parse(JSON.stringify(result)));
  expect(cases.map(({ operation }) => operation)).toEqual(['encode', 'decode', 'transcode']);
  const [encoded, , transcoded] = cases;
  expect(transcoded).toMatchObject({
    method: 'wave',
    inputBytes: 4096,
    note: `${encoded?.outputBytes} bytes became rice`,
  });
  expect(Object.keys(transcoded?.stages ?? {})).toEqual(expect.arrayContaining(['decode', 'analyze', 'rice.encode.write']));
});

test('a cancelled run ends as cancelled and frees its memory', async () => {
  const before = gpu.memory.liveBytes();
  const controller = new AbortController();
  const request = { suite: 'codecs', size: 16, type: 'u8', codecs: ['rle'], repetitions: 1 } as const;
  const listener = { signal: controller.signal, onCase: () => controller.abort() };
  await expect(runGpuSuite('codecs', gpu, host, runner, request, listener)).rejects.toMatchObject({ tag: 'aborted' });
  expect(gpu.memory.liveBytes()).toBe(before);
});

test('cases too large for the GPU are left out with a reason', async () => {
  const small = await openNodeGpu({ software: true, limits: 'default' });
  const request = { suite: 'seeds', size: 16, type: 'u8', codecs: [], repetitions: 1 } as const;
  Object.defineProperty(small, 'maxBindingBytes', { value: 4096 });
  const result = await runGpuSuite('seeds', small, host, runner, request);
  small.destroy();
  expect(result.gaps.map(({ table }) => table)).toEqual(expect.arrayContaining(['rutter', 'parle', 'cuvle-entropy']));
  expect(result.gaps.every(({ reason }) => /allows 4096/.test(reason))).toBe(true);
});

test('bricks are decoded, turned, flown through and compared, a series plays in 3D, and the memory is freed', async () => {
  const before = gpu.memory.liveBytes();
  const request = { suite: 'bricks', size: 16, type: 'f32', codecs: ['rice'], repetitions: 1 } as const;
  const result = await runGpuSuite('bricks', gpu, host, runner, request);
  expect(gpu.memory.liveBytes()).toBe(before);
  const { cases } = checkBenchResult(JSON.parse(JSON.stringify(result)));
  expect(cases.map(({ x }) => x)).toEqual([
    'decode every codec',
    'decode rice',
    'paged mip',
    'paged mip without a texture',
    'series',
    'turn mip',
    'fly',
  ]);
  expect(cases[2]?.subject).toBe('phantom 16³ f32, turning');
  for (const found of cases) {
    expect(found.gpuMs?.median).toBeGreaterThan(0);
    expect(found.note).toMatch(found.operation === 'decode' ? /GB\/s by the clock/ : /the longest took/);
  }
  expect(Object.keys(cases[0]?.stages ?? {})).toEqual(['decode', 'ranges']);
  expect(Object.keys(cases[4]?.stages ?? {})).toEqual(expect.arrayContaining(['texture', 'draw']));
  expect(Object.keys(cases[6]?.stages ?? {})).toEqual(['draw', 'decode', 'texture', 'copy', 'host', 'wait', 'garbage']);
  expect(cases[6]?.longestFrames?.length).toBeGreaterThan(0);
});

test('the volume of a file is turned and flown through instead of the computed one', async () => {
  const info = infoOf([96, 96, 96, 1], 'u8');
  const sink = memorySink();
  const settings = { backend: createCpuBackend(inlinePool()), choice: auto, levels: true };
  await compressVolume(memoryVolume(info, voxelsOf(info, 'blobs')), sink, settings);
  const file = { source: memorySource('a.stria', sink.bytes()), pool: inlinePool() };
  const request = { suite: 'bricks', size: 16, type: 'u8', codecs: ['rice'], repetitions: 1 } as const;
  const { cases } = await runGpuSuite('bricks', gpu, { ...host, file }, runner, request);
  expect(cases.map(({ subject, x, inputBytes }) => [subject, x, inputBytes])).toEqual(
    ['turn mip', 'fly'].map((x) => ['a.stria: 96 × 96 × 96 u8', x, 96 ** 3]),
  );
});

test('textures are compared byte by byte, where the device has two ways to fill them', async () => {
  expect((await compareStoredTexels(gpu)) > 0).toBe(gpu.canStoreBytes);
  // Claims the other way, but fills all textures by copies.
  let asked = 0;
  const claiming = new Proxy(gpu, {
    get: (target, name) => {
      if (name === 'canStoreBytes') return asked++ === 0;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: () => true,
  });
  expect(await compareStoredTexels(claiming)).toBeGreaterThan(12_000_000);
});

test('surfaces from voxels, from compressed chunks and on the CPU are equal, and the memory is freed', async () => {
  const before = gpu.memory.liveBytes();
  const request = { suite: 'mesh', size: 24, type: 'u16', codecs: ['auto'], repetitions: 1 } as const;
  const { cases } = checkBenchResult(JSON.parse(JSON.stringify(await runGpuSuite('mesh', gpu, host, runner, request))));
  expect(gpu.memory.liveBytes()).toBe(before);
  const methods = ['GPU, from voxels', 'GPU, from rice', 'one thread'];
  expect(cases.map(({ x, method }) => [x, method])).toEqual(
    ['phantom', 'labels'].flatMap((x) => methods.map((method) => [x, method])),
  );
  expect(Object.keys(cases[0]?.stages ?? {})).toEqual(['classify', 'count', 'corners', 'triangles']);
  for (const { note } of cases) expect(note).toMatch(/^[1-9][\d,]+ triangles of \d+ surfaces?/);
});
