import type { Variant } from '../../../shaders/link.ts';
import codeShader from '../../../shaders/wave/code.wgsl';
import copyShader from '../../../shaders/wave/copy.wgsl';
import fitShader from '../../../shaders/wave/fit.wgsl';
import fitBytesShader from '../../../shaders/wave/fit-bytes.wgsl';
import predictShader from '../../../shaders/wave/predict.wgsl';
import sampleShader from '../../../shaders/wave/sample.wgsl';
import spreadShader from '../../../shaders/wave/spread.wgsl';
import surveyShader from '../../../shaders/wave/survey.wgsl';
import symbolsShader from '../../../shaders/wave/symbols.wgsl';
import { boxLayout, chunkBytes, placePayloads } from '../../codec/batch.ts';
import type { GpuChunk, GpuPayloads, GpuVoxels, KernelCall } from '../../codec/codec.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { Kernel, KernelDescriptor } from '../../gpu/kernel.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { biasesOf, chooseRange, fitSums, levelsOf, sampleCount, solveWeights, specialsOf } from './choose.ts';
import { headerBytes, partKinds } from './header.ts';
import { directoryBytes, laneCount, laneLimit, planeType } from './layout.ts';
import { type Coding, inPlaneCount, type Model, neighbourCount, signCells } from './model.ts';
import { type PartPlace, partWords, tableBuffer } from './part-table.ts';
import { type FinishedPart, Pieces } from './pieces.ts';
import { elementsOf, type Scratch, scratchWordsOf, slotWordsOf } from './scratch.ts';
import { levelCount, phaseCount, tokenCount } from './tables.ts';

const sampleWords = 4 + sampleCount / 2;
const weightWords = 40;
const codingWords = 88;
const cellCount = signCells ** 2;
const countWords = 2 * cellCount + levelCount * phaseCount * tokenCount;
const fitSlabSlices = 8;

/** What `sumsAt` returns. */
const sums = new Float64Array(fitSums);

/** The sums of a fit as doubles, until the next call; on the GPU, each is two words. */
function sumsAt(words: Uint32Array, number: number): Float64Array {
  const low = number * 2 * fitSums;
  const high = low + fitSums;
  for (let i = 0; i < fitSums; i++) sums[i] = (words[low + i] as number) + (words[high + i] as number) * 2 ** 32;
  return sums;
}

/** Encodes a group of chunks: runs the kernels, and makes the CPU's choices between them. */
export class EncodeGroup {
  readonly #gpu: Gpu;
  readonly #voxels: GpuVoxels;
  readonly #chunks: readonly GpuChunk[];
  readonly #parts: readonly PartPlace[];
  readonly #call: KernelCall;
  readonly #work: GpuScope;
  readonly #models: Model[];
  readonly #codings: Coding[] = [];
  readonly #scratch: Scratch;
  readonly #slotStarts: number[] = [];
  readonly #table: Uint32Array<ArrayBuffer>;
  readonly #box: GPUBuffer;
  readonly #records: GPUBuffer;

  constructor(
    gpu: Gpu,
    voxels: GpuVoxels,
    chunks: readonly GpuChunk[],
    parts: readonly PartPlace[],
    scratch: Scratch,
    call: KernelCall,
  ) {
    this.#gpu = gpu;
    this.#voxels = voxels;
    this.#chunks = chunks;
    this.#parts = parts;
    this.#scratch = scratch;
    this.#call = call;
    this.#work = call.scope.scope('wave.encode');
    const none = new Int32Array(neighbourCount);
    const type = planeType(voxels.elementBytes);
    this.#models = parts.map(() => ({ ...type, lowest: 0, range: 0, specials: [], weights: none, firstWeights: none }));
    this.#table = new Uint32Array(partWords * parts.length);
    let [elements, slots] = [0, 0];
    for (const [i, part] of parts.entries()) {
      const slotWords = slotWordsOf(part, voxels.elementBytes);
      const { extent, firstWord, plane, chunk, number, partCount } = part;
      this.#table.set([...extent, firstWord, plane, chunk, number, partCount, 0, 0, elements, slots, slotWords], partWords * i);
      this.#slotStarts.push(slots);
      elements += scratchWordsOf(part);
      slots += slotWords * extent[1];
    }
    const { rowWords, sliceWords } = boxLayout(voxels);
    this.#box = this.#work.uniform('box', [rowWords, sliceWords, 0, parts.length]);
    this.#records = this.#work.storage('parts', this.#table.byteLength, this.#table);
  }

  async encode(): Promise<GpuPayloads> {
    try {
      await this.#sample();
      const scratch = this.#scratch;
      const first = this.#commands().stage('spread');
      first.dispatch(this.#sourceKernel('spread', spreadShader), [...this.#source, scratch.values], this.#slabs());
      await this.#fit(first, scratch, 0);
      const second = this.#commands();
      this.#predict(second, scratch, true);
      await this.#fit(second, scratch, 1);
      const third = this.#commands();
      this.#predict(third, scratch, false);
      await this.#survey(third, scratch);
      return await this.#write(await this.#code(scratch));
    } finally {
      this.#work.destroy();
    }
  }

  /** A kernel that reads the box of elements. */
  #sourceKernel(name: string, shader: ShaderFile): Kernel {
    return this.#gpu.kernel({ label: `wave.${name}`, shader, constants: { element_bytes: this.#voxels.elementBytes } });
  }

  /** A kernel for elements of planes. 4-byte elements are planes of 2-byte elements. */
  #planeKernel(name: string, shader: ShaderFile, variant?: Variant, constants?: KernelDescriptor['constants']): Kernel {
    const element_bytes = Math.min(2, this.#voxels.elementBytes);
    return this.#gpu.kernel({ label: `wave.${name}`, shader, variant, constants: { element_bytes, ...constants } });
  }

  #commands(): Commands {
    throwIfAborted(this.#call.signal);
    return this.#gpu.commands('wave.encode', this.#call.onTimes);
  }

  /** The bindings of kernels that read the box of elements. */
  get #source(): GPUBuffer[] {
    return [this.#box, this.#records, this.#voxels.buffer];
  }

  /** Chooses the range and the special values of each part. */
  async #sample(): Promise<void> {
    const samples = this.#work.storage('samples', 4 * sampleWords * this.#parts.length);
    const commands = this.#commands().stage('sample');
    commands.dispatch(this.#sourceKernel('sample', sampleShader), [...this.#source, samples], this.#parts.length);
    const read = commands.readWords(samples);
    await commands.submit();
    const words = read();
    this.#work.free(samples);
    for (const [i, part] of this.#parts.entries()) {
      const own = words.subarray(sampleWords * i, sampleWords * (i + 1));
      const type = planeType(this.#voxels.elementBytes);
      const bounds = own as unknown as [number, number, number, number];
      const sampled = new Uint16Array(own.buffer, own.byteOffset + 16, Math.min(elementsOf(part), sampleCount));
      const { lowest, range } = chooseRange(bounds, sampled, type.bits);
      const mask = 2 ** type.bits - 1;
      // A loop, because `map` on a typed array would take longer than all the rest.
      for (let j = 0; j < sampled.length; j++) sampled[j] = ((sampled[j] as number) - lowest) & mask;
      const specials = specialsOf(sampled);
      this.#models[i] = { ...(this.#models[i] as Model), lowest, range, specials };
      this.#table.set([lowest, range, specials.length, ...specials], partWords * i + 13);
    }
    this.#gpu.device.queue.writeBuffer(this.#records, 0, this.#table);
  }

  /** Fits the weights. @param byResiduals 0 for the first fit, which weighs elements by gradients; 1 for the second one */
  async #fit(commands: Commands, { values, elements }: Scratch, byResiduals: 0 | 1): Promise<void> {
    const depth = Math.max(...this.#parts.map(({ extent }) => extent[2]));
    const slabs = 1 + Math.ceil((depth - 1) / fitSlabSlices);
    const sums = this.#work.storage('sums', 16 * fitSums * this.#parts.length);
    const shader = this.#voxels.elementBytes === 1 ? fitBytesShader : fitShader;
    const fit = this.#planeKernel('fit', shader, { by_residuals: byResiduals });
    commands.stage('fit').dispatch(fit, [this.#records, values, elements, sums], [slabs, this.#parts.length, 1]);
    const read = commands.readWords(sums);
    await commands.submit();
    const words = read();
    this.#work.free(sums);
    for (const [i, model] of this.#models.entries()) {
      this.#models[i] = {
        ...model,
        weights: solveWeights(sumsAt(words, 2 * i + 1), neighbourCount),
        firstWeights: solveWeights(sumsAt(words, 2 * i), inPlaneCount),
      };
    }
  }

  /** Predicts elements. @param forFit whether to predict only those that the second fit needs */
  #predict(commands: Commands, { values, elements, predictions }: Scratch, forFit: boolean): void {
    const weights = new Int32Array(weightWords * this.#parts.length);
    for (const [i, model] of this.#models.entries()) {
      weights.set(model.weights, weightWords * i);
      weights.set(model.firstWeights.subarray(0, inPlaneCount), weightWords * i + neighbourCount);
    }
    const buffer = this.#work.storage('weights', weights.byteLength, weights);
    const bindings = [this.#records, values, buffer, predictions, elements];
    const kernel = this.#planeKernel('predict', predictShader, {}, { for_fit: Number(forFit) });
    commands.stage('predict').dispatch(kernel, bindings, this.#slabs());
  }

  /** The dispatch of kernels that take slabs (slabs.wgsl): 16 rows of up to 16 slices. */
  #slabs(): [number, number, number] {
    const counts = this.#parts.map(({ extent }) => Math.ceil(extent[1] / 16) * Math.ceil(extent[2] / 16));
    return [Math.max(...counts), this.#parts.length, 1];
  }

  async #survey(commands: Commands, { predictions, elements }: Scratch): Promise<void> {
    const counts = this.#work.storage('counts', 4 * countWords * this.#parts.length);
    const bindings = [this.#records, predictions, elements, counts];
    commands.stage('survey').dispatch(this.#planeKernel('survey', surveyShader), bindings, this.#slabs());
    const read = commands.readWords(counts);
    await commands.submit();
    const words = read();
    this.#work.free(counts);
    for (let at = 0; at < words.length; at += countWords) {
      const own = words.subarray(at, at + countWords);
      const distances = new Int32Array(own.buffer, own.byteOffset, cellCount);
      const elements = new Int32Array(own.buffer, own.byteOffset + 4 * cellCount, cellCount);
      const result = { distances, elements, tokens: own.subarray(2 * cellCount) };
      this.#codings.push({ ...biasesOf(result), levels: levelsOf(result) });
    }
  }

  /** Encodes the lanes. @returns their lengths in bytes, 64 for each part */
  async #code({ predictions, elements, values }: Scratch): Promise<Uint32Array> {
    const codings = new Int32Array(codingWords * this.#parts.length);
    for (const [i, { levels, residualBias, gradientBias }] of this.#codings.entries()) {
      codings.set([...levels, ...residualBias, ...gradientBias], codingWords * i);
    }
    const work = this.#work;
    const lengths = work.storage('lengths', 4 * laneCount * this.#parts.length);
    const tables = tableBuffer(work);
    const commands = this.#commands();
    // In the buffers, symbols replace predictions, flags replace values, and then lanes replace elements.
    const choices = [work.storage('codings', codings.byteLength, codings), values, tables];
    const symbols = this.#planeKernel('symbols', symbolsShader, { table_binding: 5 });
    commands.stage('symbols').dispatch(symbols, [this.#records, predictions, elements, ...choices], this.#slabs());
    const code = this.#gpu.kernel({ label: 'wave.code', shader: codeShader, variant: { table_binding: 4 } });
    const bindings = [this.#box, this.#records, predictions, values, tables, elements, lengths];
    commands.stage('code').dispatch(code, bindings, this.#parts.length);
    const read = commands.readWords(lengths);
    await commands.submit();
    return read();
  }

  async #write(lengths: Uint32Array): Promise<GpuPayloads> {
    const { elementBytes } = this.#voxels;
    const parts = this.#parts.map((part, i) => this.#finished(part, i, lengths));
    const perChunk = new Map<number, FinishedPart[]>();
    for (const [i, { chunk }] of this.#parts.entries()) {
      const own = perChunk.get(chunk) ?? [];
      own.push(parts[i] as FinishedPart);
      perChunk.set(chunk, own);
    }
    const ofChunks = [...perChunk.values()];
    const byteLengths = ofChunks.map((own, i) => {
      const length = own.reduce((sum, part) => sum + part.byteLength, directoryBytes(own.length));
      return length < chunkBytes({ shape: (this.#chunks[i] as GpuChunk).shape, elementBytes }) ? length : 0;
    });
    const { byteOffsets, totalBytes } = placePayloads(byteLengths);
    if (totalBytes === 0) return { buffer: undefined, byteOffsets, byteLengths };
    const pieces = new Pieces();
    for (const [i, own] of ofChunks.entries()) {
      if (byteLengths[i] !== 0) pieces.add(own, byteOffsets[i] as number);
    }
    const { table, headers } = pieces.finish();
    const work = this.#work;
    const buffer = this.#call.scope.storage('wave.payloads', totalBytes);
    const pieceBuffer = work.storage('pieces', table.byteLength, table);
    const headerBuffer = work.storage('headers', headers.byteLength, headers);
    const bindings = [...this.#source, pieceBuffer, this.#scratch.elements, headerBuffer, buffer];
    await this.#commands()
      .stage('write')
      .dispatch(this.#sourceKernel('copy', copyShader), bindings, table.length / 4)
      .submit();
    return { buffer, byteOffsets, byteLengths };
  }

  /** A part's header, and its total length. */
  #finished({ extent }: PartPlace, index: number, lengths: Uint32Array): FinishedPart {
    const model = this.#models[index] as Model;
    const { bits, range, lowest } = model;
    const rawBytes = (extent[0] * extent[1] * extent[2] * bits) / 8;
    if (range === 0) {
      const header = Uint8Array.of(partKinds.oneValue, lowest & 255, lowest >> 8).subarray(0, 1 + bits / 8);
      return { index, header, lanes: [], rawBytes: 0, byteLength: header.byteLength };
    }
    const raw = { index, header: Uint8Array.of(partKinds.raw), lanes: [], rawBytes, byteLength: 1 + rawBytes };
    const laneLengths = [...lengths.subarray(laneCount * index, laneCount * index + extent[1])];
    if (laneLengths.some((length) => length > laneLimit(extent, bits))) return raw;
    const header = headerBytes({ model, coding: this.#codings[index] as Coding, laneLengths }, extent[2]);
    const byteLength = laneLengths.reduce((sum, length) => sum + length, header.byteLength);
    if (byteLength > rawBytes) return raw;
    const slotBytes = 4 * (this.#table[partWords * index + 12] as number);
    const start = 4 * (this.#slotStarts[index] as number);
    const lanes = laneLengths.map((length, lane) => ({ from: start + (lane + 1) * slotBytes - length, length }));
    return { index, header, lanes, rawBytes: 0, byteLength };
  }
}
