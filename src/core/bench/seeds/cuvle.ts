import measureShader from '../../../shaders/bench/cuvle-measure.wgsl';
import writeShader from '../../../shaders/bench/cuvle-write.wgsl';
import compactShader from '../../../shaders/bench/pavle-compact.wgsl';
import pavleShader from '../../../shaders/bench/pavle-encode.wgsl';
import { codecs } from '../../codecs/registry.ts';
import type { Commands } from '../../gpu/commands.ts';
import { exclusiveScan } from '../../gpu/scan.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { benchCodec } from '../harness/codec-cases.ts';
import { type BenchContext, type CaseFacts, caseOf, shareOf } from '../harness/context.ts';
import { expectSame } from '../harness/expect-same.ts';
import type { Timing } from '../harness/meter.ts';
import type { BenchCase } from '../harness/result.ts';
import { entropyBytes } from './entropy-bytes.ts';
import { type CodeTable, codedBits, countBytes, encodeCodes, huffmanCodes } from './prefix-codes.ts';

const entropies = [0, 1, 2, 3, 4, 5, 6, 7, 8];
/** Sizes in units of 2^20 bytes, which the paper calls MB. */
const sizes = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256];
/**
 * The paper's ranges of entropies and sizes as a plane, for the two GPU encoders. Sizes go up to 64 MB in factors of four. With
 * all sizes the suite would take over five minutes on a fast GPU, most of it on the CPU. Two lines through the plane have all
 * encoders and sizes.
 */
const planeSizes = sizes.filter((size, index) => index % 2 === 0 && size <= 64);
const sizeOfEntropies = 64;
/** The minimum size, even if less was requested. */
const leastSize = 1 / 64;
const entropyOfSizes = 4;
const ours = 'huffman';
const chunkLength = 2 ** 18;
const pavleBlockWords = 256;
const pavleSlotWords = 512;
const cuvleThreadWords = 16;

type Place = Pick<BenchCase, 'table' | 'subject' | 'x' | 'y'>;

interface Data extends Place {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly buffer: GPUBuffer;
  readonly codes: CodeTable;
  readonly bits: number;
  /** The CPU's output. */
  readonly expected: Uint32Array;
}

/**
 * CUVLE's experiments with entropies of 0 to 8 bits and files of 0.25 to 256 MB: PAVLE, CUVLE in two passes, one CPU thread and
 * Stria.
 */
export async function benchCuvle(context: BenchContext): Promise<void> {
  const most = Math.max(leastSize, Math.max(...sizes) * shareOf(context));
  const atSize = Math.min(sizeOfEntropies, most);
  for (const entropy of entropies) {
    const place: Place = { table: 'cuvle-entropy', subject: subjectOf(entropy, atSize), x: entropy };
    await benchBytes(context, place, entropyBytes(entropy, byteCount(atSize)));
  }
  for (const size of sizesUpTo(most, sizes)) {
    const place: Place = { table: 'cuvle-size', subject: subjectOf(entropyOfSizes, size), x: size };
    await benchBytes(context, place, entropyBytes(entropyOfSizes, byteCount(size)));
  }
  const within = sizesUpTo(most, planeSizes);
  for (const entropy of entropies) {
    const bytes = entropyBytes(entropy, byteCount(Math.max(...within)));
    for (const size of within) {
      const place: Place = { table: 'cuvle-plane', subject: subjectOf(entropy, size), x: size, y: entropy };
      await benchBytes(context, place, bytes.subarray(0, byteCount(size)), { only: 'the GPU encoders' });
    }
  }
}

/** The sizes up to `most`, or `most` itself if all are larger. */
function sizesUpTo(most: number, all: readonly number[]): readonly number[] {
  const within = all.filter((size) => size <= most);
  return within.length > 0 ? within : [most];
}

const byteCount = (size: number): number => 4 * Math.floor((size * 2 ** 20) / 4);
const subjectOf = (entropy: number, size: number): string => `${entropy} bits, ${size} MB`;

/** @param bytes must start at the beginning of their buffer */
async function benchBytes(
  context: BenchContext,
  place: Place,
  bytes: Uint8Array<ArrayBuffer>,
  { only }: { readonly only?: 'the GPU encoders' } = {},
): Promise<void> {
  const { gpu, meter } = context;
  const { table, subject, x } = place;
  context.begin(`CUVLE: ${subject}`);
  const words = new Uint32Array(bytes.buffer, 0, bytes.length / 4);
  const slotBytes = Math.ceil(words.length / pavleBlockWords) * pavleSlotWords * 4;
  if (slotBytes > gpu.maxBindingBytes) {
    const reason = `PAVLE's blocks take ${slotBytes} bytes in one buffer; this GPU allows ${gpu.maxBindingBytes}`;
    context.leaveOut({ table, subject, method: 'all', reason });
    return;
  }
  const counts = countBytes(bytes);
  const codes = huffmanCodes(counts);
  const bits = codedBits(counts, codes);
  const output = new Uint32Array(Math.ceil(bits / 32) + 1);
  const encode = () => encodeCodes(words, codes, output);
  const cpu = only ? encode() : await meter.timeCpu(encode);
  using scope = gpu.scope('bench.cuvle');
  const buffer = scope.storage('words', words.byteLength, words);
  const data: Data = { ...place, words, buffer, codes, bits, expected: output.subarray(0, Math.ceil(bits / 32)) };

  await report(context, data, { method: 'PAVLE', processor: 'gpu', reads: 1 }, await benchPavle(context, data, scope));
  await report(
    context,
    data,
    { method: 'CUVLE in two passes', processor: 'gpu', reads: 2 },
    await benchTwoPasses(context, data, scope),
  );
  if (!cpu) return;
  await report(context, data, { method: 'one CPU thread', processor: 'cpu', reads: 1 }, cpu);

  const codec = codecs.find(({ name }) => name === ours);
  if (!codec) return;
  const voxels = { buffer, dims: [bytes.length, 1, 1], elementBytes: 1 } as const;
  const chunkShape = [chunkLength, 1, 1] as const;
  const method = `Stria ${codec.name}`;
  await benchCodec(context, { table, subject, x, codec, method, voxels, expected: bytes, chunkShape, axis: 'x' });
}

async function report(
  context: BenchContext,
  { table, subject, x, y, words, buffer, bits }: Data,
  { method, processor, reads }: { method: string; processor: 'gpu' | 'cpu'; reads: number },
  timing: Timing,
): Promise<void> {
  const codedBytes = Math.ceil(bits / 8);
  const facts: CaseFacts = {
    table,
    subject,
    x,
    ...(y !== undefined && { y }),
    method,
    operation: 'encode',
    processor,
    inputBytes: words.byteLength,
    // One length per symbol identifies the codes.
    outputBytes: codedBytes + 256,
    // PAVLE writes its codes, reads them again and writes them to their final position.
    movedBytes: reads * words.byteLength + (method === 'PAVLE' ? 3 : 1) * codedBytes,
    movedBytesAre: 'passes',
    verified: processor === 'gpu' ? 'compared bit by bit with the codes of the CPU' : 'two GPU encoders produced the same bits',
    ...(processor === 'gpu' && { note: 'codes are given; only the wall time includes zeroing the output' }),
  };
  context.add(caseOf(facts, timing, await context.meter.copyOf(buffer)));
}

async function benchPavle(context: BenchContext, data: Data, owner: GpuScope): Promise<Timing> {
  const { gpu } = context;
  using scope = owner.scope('pavle');
  const blocks = Math.ceil(data.words.length / pavleBlockWords);
  const uniform = scope.uniform('data', [data.words.length, blocks]);
  const table = scope.storage('codes', data.codes.byteLength, data.codes);
  const slots = scope.storage('slots', 4 * pavleSlotWords * blocks);
  const bits = scope.storage('bits', 4 * (blocks + 1));
  const output = scope.storage('output', 4 * data.expected.length);
  const constants = { slot_words: pavleSlotWords };
  const encode = gpu.kernel({ label: 'bench.pavle.encode', shader: pavleShader, constants });
  const compact = gpu.kernel({ label: 'bench.pavle.compact', shader: compactShader, constants });
  return await timeEncoder(context, data, 'PAVLE', output, (commands, work) => {
    commands.stage('encode').dispatch(encode, [uniform, data.buffer, table, slots, bits], blocks);
    exclusiveScan(gpu, commands.stage('scan'), work, bits, blocks + 1);
    commands.stage('compact').dispatch(compact, [uniform, slots, bits, output], blocks);
  });
}

async function benchTwoPasses(context: BenchContext, data: Data, owner: GpuScope): Promise<Timing> {
  const { gpu } = context;
  using scope = owner.scope('cuvle');
  const blocks = Math.ceil(data.words.length / (256 * cuvleThreadWords));
  const uniform = scope.uniform('data', [data.words.length, blocks]);
  const table = scope.storage('codes', data.codes.byteLength, data.codes);
  const bits = scope.storage('bits', 4 * (blocks + 1));
  const output = scope.storage('output', 4 * data.expected.length);
  const constants = { words_per_thread: cuvleThreadWords };
  const measure = gpu.kernel({ label: 'bench.cuvle.measure', shader: measureShader, constants });
  const write = gpu.kernel({ label: 'bench.cuvle.write', shader: writeShader, constants });
  return await timeEncoder(context, data, 'CUVLE in two passes', output, (commands, work) => {
    commands.stage('measure').dispatch(measure, [uniform, data.buffer, table, bits], blocks);
    exclusiveScan(gpu, commands.stage('scan'), work, bits, blocks + 1);
    commands.stage('write').dispatch(write, [uniform, data.buffer, table, bits, output], blocks);
  });
}

/** Times an encoder that needs a zeroed output, and compares its bits with the CPU's. */
async function timeEncoder(
  { gpu, meter }: BenchContext,
  { subject, expected }: Data,
  method: string,
  output: GPUBuffer,
  record: (commands: Commands, work: GpuScope) => void,
): Promise<Timing> {
  const timing = await meter.time(async (onTimes) => {
    using work = gpu.scope('bench.cuvle.scan');
    const commands = gpu.commands('cuvle', onTimes);
    commands.record((encoder) => encoder.clearBuffer(output));
    record(commands, work);
    await commands.submit();
  });
  expectSame(await gpu.readWords(output), expected, `${method} on ${subject}`);
  return timing;
}
