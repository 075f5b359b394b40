import defragShader from '../../../shaders/bench/rutter-defrag.wgsl';
import encodeShader from '../../../shaders/bench/rutter-encode.wgsl';
import { codecByName } from '../../codecs/registry.ts';
import { exclusiveScan } from '../../gpu/scan.ts';
import type { SampleKind } from '../../samples/sample-kinds.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { benchCodec } from '../harness/codec-cases.ts';
import { sampleBytes } from '../harness/codecs.ts';
import { type BenchContext, type CaseFacts, type CpuCrew, caseOf } from '../harness/context.ts';
import { expectSame } from '../harness/expect-same.ts';
import { gunzip, gzip } from '../harness/gzip.ts';
import { encodePairs } from './rutter-pairs.ts';

const volumes: readonly SampleKind[] = ['zero', 'sequence254', 'sequence255', 'potential'];
const chunkShape: Dims3 = [64, 64, 64];

interface Volume {
  readonly kind: SampleKind;
  readonly subject: string;
  readonly side: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly buffer: GPUBuffer;
}

/** Rutter's tables: four volumes, encoded by rows and by columns on the GPU and on the CPU, and the readback of the results. */
export async function benchRutter(context: BenchContext): Promise<void> {
  const { gpu, host, request, job } = context;
  // Rows consist of whole words, without padding.
  const side = request.size - (request.size % 4);
  context.begin('Rutter: starting threads');
  const crew = await host.openCrew();
  try {
    for (const kind of volumes) {
      context.begin(`Rutter: ${kind}`);
      using scope = gpu.scope('bench.rutter');
      const bytes = await sampleBytes(kind, [side, side, side], 'u8', job);
      const subject = `${kind} ${side}³ u8`;
      const volume: Volume = { kind, subject, side, bytes, buffer: scope.storage('voxels', bytes.byteLength, bytes) };
      for (const order of ['rows', 'columns'] as const) {
        const expected = pairsOf(volume, order);
        await benchKernels(context, volume, order, expected);
        await benchCpu(context, volume, order, expected, crew);
      }
      for (const [axis, order] of [
        ['x', 'rows'],
        ['y', 'columns'],
      ] as const) {
        context.begin(`Rutter: ${kind}, Stria along ${axis}`);
        const voxels = { buffer: volume.buffer, dims: [side, side, side], elementBytes: 1 } as const;
        const method = `Stria rle, ${order}`;
        const codec = codecByName('rle');
        const work = { table: 'rutter', subject, x: kind, codec, method, voxels, expected: bytes, chunkShape, axis } as const;
        const payloadBytes = await benchCodec(context, work);
        if (order === 'columns') await benchReadBack(context, volume, 'Stria rle, columns', volume.buffer, bytes, payloadBytes);
      }
      await benchReadBack(context, volume, 'raw', volume.buffer, bytes, bytes.byteLength);
      await benchGzip(context, volume);
    }
  } finally {
    await crew.close();
  }
}

function pairsOf({ bytes, side }: Volume, order: 'rows' | 'columns'): Uint8Array<ArrayBuffer> {
  const output = new Uint8Array(2 * bytes.byteLength);
  return output.subarray(0, encodePairs(bytes, side, order, output));
}

/** Times Rutter's two kernels and the scan between them. */
async function benchKernels(
  context: BenchContext,
  volume: Volume,
  order: 'rows' | 'columns',
  expected: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const { gpu, meter } = context;
  const { kind, subject, side, bytes, buffer } = volume;
  const method = `Rutter, ${order}`;
  context.begin(`Rutter: ${kind}, Rutter's kernels on ${order}`);
  if (2 * bytes.byteLength > gpu.maxBindingBytes) {
    const reason = `the slots take ${2 * bytes.byteLength} bytes in one buffer; this GPU allows ${gpu.maxBindingBytes}`;
    context.leaveOut({ table: 'rutter', subject, method, reason });
    return;
  }
  using scope = gpu.scope('bench.rutter.kernels');
  const rowCount = side * side;
  const slots = scope.storage('slots', 2 * bytes.byteLength);
  const output = scope.storage('output', 2 * bytes.byteLength);
  const lengths = scope.storage('lengths', 4 * (rowCount + 1));
  const cube = scope.uniform('cube', [side, rowCount]);
  const encode = gpu.kernel({
    label: 'bench.rutter.encode',
    shader: encodeShader,
    constants: { columns: order === 'columns' ? 1 : 0 },
  });
  const defrag = gpu.kernel({ label: 'bench.rutter.defrag', shader: defragShader });
  // One more invocation than rows: it writes the 0 after the lengths.
  const workgroups = Math.ceil((rowCount + 1) / 256);
  const timing = await meter.time(async (onTimes) => {
    using work = gpu.scope('bench.rutter.scan');
    const commands = gpu.commands('rutter', onTimes);
    commands.stage('encode').dispatch(encode, [cube, buffer, slots, lengths], workgroups);
    exclusiveScan(gpu, commands.stage('scan'), work, lengths, rowCount + 1);
    commands.stage('defrag').dispatch(defrag, [cube, slots, lengths, output], workgroups);
    await commands.submit();
  });
  const copy = await meter.copyOf(buffer);
  expectSame(await gpu.read(output, 0, expected.byteLength), expected, `${method} on ${subject}`);
  const facts: CaseFacts = {
    table: 'rutter',
    subject,
    x: kind,
    method,
    operation: 'encode',
    processor: 'gpu',
    inputBytes: bytes.byteLength,
    outputBytes: expected.byteLength,
    // Each row's length is written, summed, scanned in place, and read twice.
    movedBytes: bytes.byteLength + 3 * expected.byteLength + 24 * rowCount,
    movedBytesAre: 'passes',
    verified: 'compared byte by byte with the pairs from the CPU',
  };
  context.add(caseOf(facts, timing, copy));
  if (order === 'columns') await benchReadBack(context, volume, method, output, expected, expected.byteLength);
}

async function benchCpu(
  context: BenchContext,
  { kind, subject, side, bytes, buffer }: Volume,
  order: 'rows' | 'columns',
  expected: Uint8Array,
  crew: CpuCrew,
): Promise<void> {
  const { meter } = context;
  const copy = await meter.copyOf(buffer);
  const output = new Uint8Array(2 * bytes.byteLength);
  const facts = {
    table: 'rutter',
    subject,
    x: kind,
    operation: 'encode',
    processor: 'cpu',
    inputBytes: bytes.byteLength,
    outputBytes: expected.byteLength,
    movedBytes: bytes.byteLength + expected.byteLength,
    movedBytesAre: 'passes',
  } as const;
  context.begin(`Rutter: ${kind}, ${order}, one CPU thread`);
  const one = await meter.timeCpu(() => encodePairs(bytes, side, order, output));
  expectSame(output.subarray(0, expected.byteLength), expected, `one CPU thread on ${subject}`);
  const method = `one CPU thread, ${order}`;
  context.add(caseOf({ ...facts, method, verified: 'compared with another run of the same code' }, one, copy));

  context.begin(`Rutter: ${kind}, ${order}, all CPU threads`);
  const sliceBytes = side * side;
  const threads = Math.min(crew.threads, side);
  const cut = (part: number): number => Math.round((part * side) / threads) * sliceBytes;
  await crew.load(Array.from({ length: threads }, (_, part) => bytes.subarray(cut(part), cut(part + 1))));
  let lengths: readonly number[] = [];
  const all = await meter.timeCpu(async () => {
    lengths = await crew.encode(side, order);
  });
  const total = lengths.reduce((sum, length) => sum + length, 0);
  expectSame(Uint32Array.of(total), Uint32Array.of(expected.byteLength), `all CPU threads on ${subject}, total length`);
  const verified = 'the lengths of the parts add up to the length from one thread';
  const note = `${threads} threads; each keeps its part, and the parts are not joined`;
  context.add(caseOf({ ...facts, method: `all CPU threads, ${order}`, verified, note }, all, copy));
}

async function benchGzip(context: BenchContext, { kind, subject, bytes, buffer }: Volume): Promise<void> {
  const { meter } = context;
  context.begin(`Rutter: ${kind}, gzip`);
  let made = new Uint8Array(0);
  const timing = await meter.timeCpu(async () => {
    made = await gzip(bytes);
  });
  expectSame(await gunzip(made), bytes, `gzip on ${subject}`);
  const facts: CaseFacts = {
    table: 'rutter',
    subject,
    x: kind,
    method: 'gzip -6',
    operation: 'encode',
    processor: 'cpu',
    inputBytes: bytes.byteLength,
    outputBytes: made.byteLength,
    movedBytes: bytes.byteLength + made.byteLength,
    movedBytesAre: 'least',
    verified: 'decompressed and compared byte by byte',
  };
  context.add(caseOf(facts, timing, await meter.copyOf(buffer)));
}

/** Times a readback of `length` bytes, since Rutter argues that compressed data reaches the host sooner. */
async function benchReadBack(
  context: BenchContext,
  { kind, subject, bytes, buffer }: Volume,
  method: string,
  from: GPUBuffer,
  holds: Uint8Array<ArrayBuffer>,
  length: number,
): Promise<void> {
  const { gpu, meter } = context;
  context.begin(`Rutter: ${kind}, reading back ${method}`);
  let read = new Uint8Array(0);
  const timing = await meter.time(async () => {
    read = await gpu.read(from, 0, length);
  });
  expectSame(read, holds.subarray(0, length), `the readback of ${method} on ${subject}`);
  const facts: CaseFacts = {
    table: 'rutter-transfer',
    subject,
    x: kind,
    method,
    operation: 'read back',
    processor: 'gpu',
    inputBytes: bytes.byteLength,
    outputBytes: length,
    movedBytes: 2 * length,
    movedBytesAre: 'least',
    verified: 'compared byte by byte',
    ...(method.startsWith('Stria') && { note: 'reads as many bytes of the volume as the payloads have' }),
  };
  context.add(caseOf(facts, timing, await meter.copyOf(buffer)));
}
