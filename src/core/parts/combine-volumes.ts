import { constantChecksum } from '../chunks/analyze.ts';
import type { Backend, ChunkBox, EncodeChoice } from '../chunks/backend.ts';
import { stackedChunks } from '../chunks/boxes.ts';
import type { ConstantChunk, EncodedChunk } from '../format/chunk.ts';
import { type ChunkShape, codecElementBytes, elementsPerVoxel } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { ContainerWriter } from '../format/container-writer.ts';
import { partName } from '../format/part.ts';
import type { ByteSink } from '../shared/bytes.ts';
import type { CombineRule } from '../shared/combine-rule.ts';
import { inContext, StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { type Dims3, type ElementType, typedVoxels, type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import { lostWords } from '../stream/damage-list.ts';
import { rawSource } from '../stream/memory-volume.ts';
import { writingTo } from '../stream/pipeline.ts';
import { bytesOfValue, Combiner, identityOf, resultType } from './combiner.ts';
import type { PartInput } from './survey-parts.ts';

export interface CombineSettings {
  readonly backend: Backend;
  readonly choice: EncodeChoice;
  readonly rule: CombineRule;
  /** Type of the result. Default: that of the volumes. */
  readonly type?: ElementType | undefined;
}

export interface CombineReport {
  readonly volumeCount: number;
  readonly chunkCount: number;
  /** Chunks that were copied because one volume alone fills them, and chunks that were decoded and combined. */
  readonly copiedCount: number;
  readonly combinedCount: number;
  /** Voxels whose value was limited to what the type holds. */
  readonly saturatedCount: number;
  readonly voxelBytes: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly timesMs: { readonly total: number };
}

/** The memory for values that are being combined, 8 bytes a voxel. */
const bytesTogether = 2 ** 26;
const chunksTogether = 4096;

/**
 * Combines volumes of one grid voxel by voxel, such as the partial volumes of a simulation whose domain was divided. Chunks that one
 * volume alone fills are copied; the others are decoded, combined and encoded. The result has a raw source. The sink is closed once
 * everything is written, or aborted once if anything fails.
 * @throws StriaError `invalid-input` for volumes that differ in their grid, and for rules that their values do not allow; `corrupt`,
 * `not-readable`, `not-writable`, `aborted`
 */
export function combineVolumes(
  inputs: readonly PartInput[],
  sink: ByteSink,
  { backend, choice, rule, type: wanted }: CombineSettings,
  job: JobOptions = {},
): Promise<CombineReport> {
  return writingTo([sink], async () => {
    const start = performance.now();
    const volumes = await openVolumes(inputs, rule, job);
    const [first] = volumes as [Volume];
    const { volume: info, chunkShape } = first.reader.header;
    const type = resultType(info.type, wanted, rule);
    const result: VolumeInfo = { ...info, type };
    const [width, ...lengths] = chunkShape;
    const shape: ChunkShape = [(width / elementsPerVoxel(info.type)) * elementsPerVoxel(type), ...lengths];
    const writer = await ContainerWriter.create(sink, { volume: result, chunkShape: shape, sourceFormat: 'raw' });
    const work = new Combination(volumes, writer, { backend, choice, rule, signal: job.signal });
    const { grid } = writer;
    const total = volumeBytes(result);
    const most = Math.max(1, Math.floor(bytesTogether / (volumeBytes({ dims: [...grid.box(0).shape, 1], type: 'u8' }) * 8)));
    for (let number = 0; number < grid.count; ) {
      throwIfAborted(job.signal);
      number += await work.next(number, most);
      job.onProgress?.({ stage: 'Merging', done: total * (number / grid.count), total });
    }
    await writer.finish(rawSource('volume.raw'));
    return {
      volumeCount: inputs.length,
      chunkCount: grid.count,
      copiedCount: work.copiedCount,
      combinedCount: work.combinedCount,
      saturatedCount: work.saturatedCount,
      voxelBytes: volumeBytes(result),
      bytesIn: volumes.reduce((sum, { size }) => sum + size, 0),
      bytesOut: writer.bytesWritten,
      timesMs: { total: performance.now() - start },
    };
  });
}

interface Volume {
  readonly path: string;
  readonly reader: ContainerReader;
  readonly size: number;
}

async function openVolumes(inputs: readonly PartInput[], rule: CombineRule, { signal }: JobOptions): Promise<Volume[]> {
  const volumes: Volume[] = [];
  for (const { path, open } of inputs) {
    throwIfAborted(signal);
    try {
      const source = await open();
      const reader = await ContainerReader.open(source, { signal });
      const { header } = reader;
      if (header.part) {
        const name = partName(header.part, header.volume.type);
        throw new StriaError('invalid-input', `the file holds only ${name}; merge its parts first, without --by`);
      }
      if (reader.lostCount > 0) throw new StriaError('corrupt', lostWords(reader));
      const fault = difference(volumes[0]?.reader.header ?? header, header) ?? ruleFault(header.volume, rule);
      if (fault !== undefined) throw new StriaError('invalid-input', fault);
      volumes.push({ path, reader, size: source.size });
    } catch (error) {
      throw inContext(path, error);
    }
  }
  if (volumes.length < 2) throw new StriaError('invalid-input', `--by ${rule} combines at least two volumes`);
  return volumes;
}

type Header = ContainerReader['header'];

function difference(a: Header, b: Header): string | undefined {
  const differs = (what: string) => `it is on another grid than the first volume: the ${what} differs`;
  if (a.volume.dims.join() !== b.volume.dims.join()) return differs('size');
  if (a.volume.type !== b.volume.type) return differs('voxel type');
  if (a.chunkShape.join() !== b.chunkShape.join()) return differs('chunk shape');
  if (a.volume.affine.join() !== b.volume.affine.join()) return differs('affine');
  if (a.volume.spatialUnit !== b.volume.spatialUnit) return differs('unit of length');
  if (a.volume.valueUnit !== b.volume.valueUnit) {
    const unitOf = ({ valueUnit }: VolumeInfo) => (valueUnit === undefined ? 'no unit' : `the unit '${valueUnit}'`);
    return `its values have ${unitOf(b.volume)}, those of the first volume ${unitOf(a.volume)}`;
  }
  if (a.volume.slope !== b.volume.slope || a.volume.intercept !== b.volume.intercept) return differs('slope or intercept');
  return undefined;
}

/** Combining stored values must be equivalent to combining the real values that they stand for. */
function ruleFault({ type, slope, intercept }: VolumeInfo, rule: CombineRule): string | undefined {
  if (rule === 'or' && type.startsWith('f')) return '--by or needs integers, not floating-point values';
  const isPlain = rule === 'or' ? slope === 1 && intercept === 0 : rule === 'sum' ? intercept === 0 : slope > 0;
  return isPlain ? undefined : `--by ${rule} has no meaning for values of ${slope} × stored + ${intercept}`;
}

class Combination {
  copiedCount = 0;
  combinedCount = 0;
  saturatedCount = 0;
  readonly #volumes: readonly Volume[];
  readonly #writer: ContainerWriter;
  readonly #settings: Omit<CombineSettings, 'type'> & { readonly signal: AbortSignal | undefined };
  readonly #from: ElementType;
  readonly #to: ElementType;
  /** The neutral element of the rule in the volumes' type. */
  readonly #identity: Uint8Array;
  readonly #empty = new Map<string, ConstantChunk>();

  constructor(
    volumes: readonly Volume[],
    writer: ContainerWriter,
    settings: Omit<CombineSettings, 'type'> & { signal: AbortSignal | undefined },
  ) {
    this.#volumes = volumes;
    this.#writer = writer;
    this.#settings = settings;
    this.#from = (volumes[0] as Volume).reader.header.volume.type;
    this.#to = writer.header.volume.type;
    this.#identity = bytesOfValue(identityOf(settings.rule, this.#from), this.#from);
  }

  /** Writes some chunks from `first` on, `most` of them combined, and returns their number. */
  async next(first: number, most: number): Promise<number> {
    const { grid } = this.#writer;
    const chunks: (EncodedChunk | undefined)[] = [];
    const combined: { readonly number: number; readonly volumes: readonly Volume[] }[] = [];
    let copy: { volume: Volume; first: number; count: number } | undefined;
    let copiedBytes = 0;
    const copyNow = async () => {
      if (!copy) return;
      const { volume, first: from, count } = copy;
      copy = undefined;
      const read = await this.#read(volume, from, count);
      for (const [at, chunk] of read.entries()) chunks[from + at - first] = chunk;
      this.copiedCount += count;
    };
    let number = first;
    for (; number < grid.count && number - first < chunksTogether && combined.length < most && copiedBytes < 2 ** 24; number++) {
      const filling = this.#volumes.filter(({ reader }) => !this.#isEmpty(reader, number));
      if (filling.length === 0) {
        chunks[number - first] = this.#emptyChunk(grid.box(number).shape);
      } else if (filling.length === 1 && this.#from === this.#to) {
        const [volume] = filling as [Volume];
        const entry = volume.reader.entry(number);
        if (entry.kind === 'coded') copiedBytes += entry.recordLength;
        if (copy?.volume !== volume || copy.first + copy.count !== number) {
          await copyNow();
          copy = { volume, first: number, count: 0 };
        }
        copy.count++;
      } else {
        combined.push({ number, volumes: filling });
      }
    }
    await copyNow();
    for (const [at, chunk] of (await this.#combine(combined)).entries()) {
      chunks[(combined[at] as (typeof combined)[number]).number - first] = chunk;
    }
    await this.#writer.chunks(first, chunks as EncodedChunk[]);
    return number - first;
  }

  #isEmpty(reader: ContainerReader, number: number): boolean {
    const entry = reader.entry(number);
    if (entry.kind !== 'constant') return false;
    const { element } = entry;
    // The halves of an f64 are equal in a constant chunk, but not in infinity.
    if (this.#from === 'f64' || this.#to === 'f64')
      return this.#identity.every((byte) => byte === 0) && element.every((byte) => byte === 0);
    return element.every((byte, at) => byte === this.#identity[at]);
  }

  #emptyChunk(shape: Dims3): EncodedChunk {
    const known = this.#empty.get(shape.join());
    if (known) return known;
    const elementBytes = codecElementBytes(this.#to);
    const element = bytesOfValue(identityOf(this.#settings.rule, this.#from), this.#to).slice(0, elementBytes);
    const chunk: ConstantChunk = {
      kind: 'constant',
      element,
      decodedChecksum: constantChecksum(element, { shape, elementBytes }),
    };
    this.#empty.set(shape.join(), chunk);
    return chunk;
  }

  async #read({ reader, path }: Volume, first: number, count: number): Promise<EncodedChunk[]> {
    try {
      return await reader.readChunks(first, count, { signal: this.#settings.signal });
    } catch (error) {
      throw inContext(path, error);
    }
  }

  /** Decodes the chunks at one position from all volumes that fill them, combines them, and encodes the result. */
  async #combine(items: readonly { readonly number: number; readonly volumes: readonly Volume[] }[]): Promise<EncodedChunk[]> {
    if (items.length === 0) return [];
    const { backend, choice, rule, signal } = this.#settings;
    const shapesIn = ({ grid }: Pick<ContainerReader, 'grid'>) => items.map(({ number }) => grid.box(number).shape);
    const from = stackedChunks(shapesIn((this.#volumes[0] as Volume).reader));
    const to = stackedChunks(shapesIn(this.#writer));
    const combiner = new Combiner(rule, this.#to, (from.dims[0] * from.dims[1] * from.dims[2]) / elementsPerVoxel(this.#from));
    for (const volume of this.#volumes) {
      const own = items.flatMap((item, at) =>
        item.volumes.includes(volume) ? [{ number: item.number, box: from.boxes[at] as ChunkBox }] : [],
      );
      if (own.length === 0) continue;
      const chunks: EncodedChunk[] = [];
      for (const { number } of own) chunks.push(...(await this.#read(volume, number, 1)));
      const elementBytes = codecElementBytes(this.#from);
      const bytes = new Uint8Array(from.dims[0] * from.dims[1] * from.dims[2] * elementBytes);
      try {
        await backend.decode(
          chunks,
          own.map(({ box }) => box),
          { bytes, dims: from.dims, elementBytes },
          { signal },
        );
      } catch (error) {
        throw inContext(volume.path, error);
      }
      const voxels = typedVoxels(this.#from, bytes);
      const planeVoxels = (from.dims[0] * from.dims[1]) / elementsPerVoxel(this.#from);
      for (const [at, item] of items.entries()) {
        if (item.volumes.includes(volume)) continue;
        // This volume has no chunk here, and the decoder may have left anything in the buffer.
        const { origin, shape } = from.boxes[at] as ChunkBox;
        voxels.fill(identityOf(rule, this.#from), origin[2] * planeVoxels, (origin[2] + shape[2]) * planeVoxels);
      }
      combiner.add(voxels);
    }
    const { bytes, saturatedCount } = combiner.result();
    this.saturatedCount += saturatedCount;
    this.combinedCount += items.length;
    return backend.encode({ bytes, dims: to.dims, elementBytes: codecElementBytes(this.#to) }, to.boxes, choice, { signal });
  }
}
