import compactShader from '../../../shaders/bench/parle-compact.wgsl';
import maskShader from '../../../shaders/bench/parle-mask.wgsl';
import scatterShader from '../../../shaders/bench/parle-scatter.wgsl';
import { codecs } from '../../codecs/registry.ts';
import { exclusiveScan } from '../../gpu/scan.ts';
import { createRandom } from '../../samples/random.ts';
import { benchCodec } from '../harness/codec-cases.ts';
import { type BenchContext, type CaseFacts, caseOf, shareOf } from '../harness/context.ts';
import { expectSame } from '../harness/expect-same.ts';

/** The eleven sizes in PARLE's plot. */
const sizes = [10_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 40_000_000];
const kinds = ['random', 'compressible'] as const;
/** Stria's run-length codecs, in chunks of the engine's default size. */
const ours = ['parle', 'rle'];
const chunkLength = 2 ** 18;
/** Enough workgroups to fill a GPU. Their invocations stride over the values. */
const mostWorkgroups = 4096;

/** PARLE's plot: eleven sizes, with values that rarely repeat and with values that mostly do. */
export async function benchParle(context: BenchContext): Promise<void> {
  const { gpu } = context;
  const most = Math.max(...sizes) * shareOf(context);
  const wanted = sizes.filter((size, index) => index === 0 || size <= most);
  for (const kind of kinds) {
    const all = integers(kind, wanted.at(-1) as number);
    for (const length of wanted) {
      const values = all.slice(0, length);
      const subject = `${kind}, ${length} int32`;
      context.begin(`PARLE: ${subject}`);
      if (4 * (length + 1) > gpu.maxBindingBytes) {
        const reason = `the scan takes ${4 * (length + 1)} bytes in one buffer; this GPU allows ${gpu.maxBindingBytes}`;
        context.leaveOut({ table: 'parle', subject, method: 'PARLE', reason });
        continue;
      }
      using scope = gpu.scope('bench.parle');
      const buffer = scope.storage('values', values.byteLength, values);
      await benchKernels(context, subject, values, buffer, kind);
      const voxels = { buffer, dims: [length, 1, 1], elementBytes: 4 } as const;
      const expected = new Uint8Array(values.buffer);
      for (const codec of codecs.filter(({ name }) => ours.includes(name))) {
        const method = `Stria ${codec.name}, ${kind}`;
        const chunkShape = [chunkLength, 1, 1] as const;
        await benchCodec(context, { table: 'parle', subject, x: length, codec, method, voxels, expected, chunkShape, axis: 'x' });
      }
    }
  }
}

/** `random`: each number is one of ten values. `compressible`: each repeats the previous one, or with probability 1/6 is drawn again. */
function integers(kind: (typeof kinds)[number], length: number): Uint32Array<ArrayBuffer> {
  const random = createRandom(kind === 'random' ? 1 : 2);
  const values = new Uint32Array(length);
  let value = Math.floor(10 * random());
  for (let index = 0; index < length; index++) {
    if (kind === 'random' || random() < 1 / 6) value = Math.floor(10 * random());
    values[index] = value;
  }
  return values;
}

/** The post's CPU encoder. @returns the number of runs */
export function encodeRuns(values: Uint32Array, symbols: Uint32Array, counts: Uint32Array): number {
  let runs = 0;
  let symbol = values[0] as number;
  let count = 1;
  for (let index = 1; index < values.length; index++) {
    const value = values[index] as number;
    if (value === symbol) {
      count++;
      continue;
    }
    symbols[runs] = symbol;
    counts[runs++] = count;
    symbol = value;
    count = 1;
  }
  symbols[runs] = symbol;
  counts[runs++] = count;
  return runs;
}

async function benchKernels(
  context: BenchContext,
  subject: string,
  values: Uint32Array<ArrayBuffer>,
  buffer: GPUBuffer,
  kind: string,
): Promise<void> {
  const { gpu, meter } = context;
  const length = values.length;
  const expected = { symbols: new Uint32Array(length), counts: new Uint32Array(length) };
  let runs = 0;
  const cpu = await meter.timeCpu(() => {
    runs = encodeRuns(values, expected.symbols, expected.counts);
  });

  using scope = gpu.scope('bench.parle.kernels');
  const marks = scope.storage('marks', 4 * (length + 1));
  const starts = scope.storage('starts', 4 * (length + 1));
  const symbols = scope.storage('symbols', 4 * length);
  const counts = scope.storage('counts', 4 * length);
  const total = scope.storage('total', 4);
  const uniform = scope.uniform('length', [length]);
  const mask = gpu.kernel({ label: 'bench.parle.mask', shader: maskShader });
  const compact = gpu.kernel({ label: 'bench.parle.compact', shader: compactShader });
  const scatter = gpu.kernel({ label: 'bench.parle.scatter', shader: scatterShader });
  const workgroups = [Math.min(mostWorkgroups, Math.ceil((length + 1) / 256)), 1, 1] as const;
  const timing = await meter.time(async (onTimes) => {
    using work = gpu.scope('bench.parle.scan');
    const commands = gpu.commands('parle', onTimes);
    commands.stage('mask').dispatch(mask, [uniform, buffer, marks], workgroups);
    exclusiveScan(gpu, commands.stage('scan'), work, marks, length + 1);
    commands.stage('compact').dispatch(compact, [uniform, marks, starts, total], workgroups);
    commands.stage('scatter').dispatch(scatter, [starts, total, buffer, symbols, counts], workgroups);
    await commands.submit();
  });
  expectSame(await gpu.readWords(total), Uint32Array.of(runs), `PARLE on ${subject}, number of runs`);
  expectSame(await gpu.readWords(symbols, 0, 4 * runs), expected.symbols.subarray(0, runs), `PARLE on ${subject}, symbols`);
  expectSame(await gpu.readWords(counts, 0, 4 * runs), expected.counts.subarray(0, runs), `PARLE on ${subject}, counts`);
  const copy = await meter.copyOf(buffer);
  const facts = {
    table: 'parle',
    subject,
    x: length,
    operation: 'encode',
    inputBytes: 4 * length,
    outputBytes: 8 * runs,
    movedBytesAre: 'passes',
  } as const;
  const gpuFacts: CaseFacts = {
    ...facts,
    method: `PARLE, ${kind}`,
    processor: 'gpu',
    // Per value: the mask reads it and writes a mark; the scan reads the mark twice and writes a sum; the compaction reads the sum.
    // Per run: the compaction writes its start; the scatter reads start and symbol, and writes symbol and count.
    movedBytes: 24 * length + 20 * runs,
    verified: 'compared with the runs found by the CPU',
  };
  context.add(caseOf(gpuFacts, timing, copy));
  const cpuFacts: CaseFacts = {
    ...facts,
    method: `one CPU thread, ${kind}`,
    processor: 'cpu',
    movedBytes: 4 * length + 8 * runs,
    verified: 'the counts add up to the number of values',
  };
  const counted = expected.counts.subarray(0, runs).reduce((sum, count) => sum + count, 0);
  expectSame(Uint32Array.of(counted), Uint32Array.of(length), `one CPU thread on ${subject}, sum of counts`);
  context.add(caseOf(cpuFacts, cpu, copy));
}
