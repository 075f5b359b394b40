import type { ChunkBox, EncodeChoice, OnSpan, ResidentBox } from '../chunks/backend.ts';
import { chooseCodecs, codedChunk, fallback, isConstant, payloadChunk } from '../chunks/choose.ts';
import type { ChosenChain, ChosenCodec } from '../chunks/chosen-codec.ts';
import { rawCodec } from '../chunks/raw-codec.ts';
import { bytesOfChunks, chunkBytes } from '../codec/batch.ts';
import type {
  ChunkSurvey,
  CodecDefinition,
  CodecElementBytes,
  CodecKernels,
  GpuChunk,
  GpuPayloads,
  GpuVoxels,
  KernelCall,
} from '../codec/codec.ts';
import { createKernels } from '../codecs/kernels.ts';
import { codecs } from '../codecs/registry.ts';
import type { Checksum } from '../format/checksum.ts';
import type { ComputedChunk, EncodedChunk } from '../format/chunk.ts';
import type { CommandTimes } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { LentBytes } from '../gpu/lent-bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import type { Dims3 } from '../shared/volume.ts';
import { analyzeOnGpu, analyzers } from './gpu-chunks.ts';
import { checksummer, gatherPayloads, type PlacedPayload } from './gpu-payloads.ts';
import { findRampsOnGpu } from './gpu-ramps.ts';

/** Between the shaders of two codecs. */
const pauseMs = 4;

interface EncodeMember {
  /** Index in the batch. */
  readonly index: number;
  readonly chosen: ChosenChain;
  /** Position in the list of the chains to encode the chunk by, of which the smallest result is kept. */
  readonly rank: number;
}

/** The chunks of a batch with one codec or chain. */
interface EncodeGroup extends Pick<ChosenChain, 'codec' | 'second'> {
  readonly members: EncodeMember[];
}

/** A payload in GPU memory, and how it was encoded. */
interface Encoded extends PlacedPayload {
  readonly stages: readonly ChosenCodec[];
  /** With two stages: the length of the first one's payload. */
  readonly firstLength?: number | undefined;
}

/** An encoded chunk in GPU memory. */
export type PlacedChunk = ComputedChunk | (Encoded & { readonly kind: 'coded'; readonly decodedChecksum: Checksum });

export interface EncodedBatch {
  readonly chunks: EncodedChunk[];
  /** The memory that holds the payloads. Undefined if there are none. */
  readonly lent: LentBytes | undefined;
}

/**
 * Encodes chunks of boxes in GPU memory: each with its codec, and the payload with the second codec if there is one.
 *
 * The CPU waits three times for most batches: for the analysis, for the lengths of the payloads, and for the payloads. Codecs
 * run in parallel, and write their payloads without a wait.
 */
export class GpuEncoder {
  readonly #gpu: Gpu;
  readonly #kernels = new Map<CodecDefinition, CodecKernels>();
  /** Whether the codecs of a batch are known, so that what `prepare` has not begun is no longer guessed. */
  #hasChosen = false;

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /** Compiles what `encode` will probably need for such chunks, while the CPU does something else. */
  async prepare(shapes: readonly Dims3[], elementBytes: CodecElementBytes, { codec, options }: EncodeChoice): Promise<void> {
    if (this.#gpu.isSoftware) return;
    const isAuto = codec === 'auto';
    void this.#gpu.prepareKernels([...analyzers(elementBytes, isAuto), checksummer]);
    for (const { one, isSecond } of isAuto ? likelyStages() : codec.map((one, at) => ({ one, isSecond: at > 0 }))) {
      const width = isSecond ? 1 : elementBytes;
      if (!one.elementBytes.includes(width)) continue;
      // Parsing a codec's shaders takes 10 to 30 ms of this thread. Reads and GPU events go first.
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (this.#hasChosen) return;
      const chunks = (isSecond ? [] : shapes).map((shape) => {
        const parameters = one.choose({ changes: [1, 1, 1] }, { shape, elementBytes }, options);
        return { shape, parameters };
      });
      void this.#kernelsOf(one).prepareEncode?.(width, chunks);
    }
  }

  /**
   * The payloads are in lent memory, which the caller releases.
   * @throws StriaError `unsupported`, `aborted`, `device-lost`, `limit-too-small`
   */
  async encode(box: ResidentBox, choice: EncodeChoice, call: KernelCall, onSpan?: OnSpan): Promise<EncodedBatch> {
    const { placed, later } = await this.#place(box, choice, call, onSpan);
    const payloads = placed.filter((chunk) => chunk.kind === 'coded');
    const readStart = performance.now();
    const gathering = gatherPayloads(this.#gpu, payloads, call);
    try {
      await allOf([gathering, ...later]);
    } catch (error) {
      await gathering.then(({ lent }) => lent?.release()).catch(() => {});
      throw error;
    }
    const { lent, checksums, byteOffsets } = await gathering;
    if (lent) onSpan?.('readback', readStart, performance.now(), lent.bytes.byteLength);
    let at = 0;
    const chunks = placed.map((chunk): EncodedChunk => {
      if (chunk.kind !== 'coded') return chunk;
      const { stages, byteLength, decodedChecksum } = chunk;
      const byteOffset = byteOffsets[at] as number;
      const payload = (lent as LentBytes).bytes.subarray(byteOffset, byteOffset + byteLength);
      return codedChunk(stages, payload, decodedChecksum, checksums[at++]);
    });
    return { chunks, lent };
  }

  /** Like `encode`, but the payloads stay in buffers that `call.scope` owns. */
  async encodeInPlace(box: ResidentBox, choice: EncodeChoice, call: KernelCall): Promise<readonly PlacedChunk[]> {
    const { placed, later } = await this.#place(box, choice, call);
    await allOf(later);
    return placed;
  }

  /** @returns also submitted work whose results later commands see, to be awaited before anything is freed */
  async #place(
    box: ResidentBox,
    choice: EncodeChoice,
    call: KernelCall,
    onSpan?: OnSpan,
  ): Promise<{ readonly placed: readonly PlacedChunk[]; readonly later: readonly Promise<unknown>[] }> {
    const { voxels, chunks } = box;
    const start = performance.now();
    const analyses = await analyzeOnGpu(this.#gpu, box, call, choice.codec === 'auto');
    onSpan?.('analyze', start, performance.now(), bytesOfChunks(chunks, voxels.elementBytes));
    const ramps = await findRampsOnGpu(this.#gpu, box, analyses, call);
    const placed = new Array<PlacedChunk>(chunks.length);
    const smallest: ({ readonly result: Encoded; readonly rank: number } | undefined)[] = [];
    let waiting: EncodeGroup[] = [];
    const add = (index: number, chosen: ChosenChain, rank = 0) => {
      const { codec, second } = chosen;
      let group: EncodeGroup | undefined;
      for (const one of waiting) if (one.codec === codec && one.second === second) group = one;
      if (group) group.members.push({ index, chosen, rank });
      else waiting.push({ codec, second, members: [{ index, chosen, rank }] });
    };
    const geometryOf = (index: number) => ({ shape: (chunks[index] as ChunkBox).shape, elementBytes: voxels.elementBytes });
    analyses.forEach((analysis, index) => {
      const { checksum: decodedChecksum } = analysis;
      const ramp = ramps.get(index);
      if (ramp || isConstant(analysis)) {
        const element = analysis.head().slice(0, voxels.elementBytes);
        placed[index] = ramp
          ? { kind: 'ramp', ...ramp, element, decodedChecksum }
          : { kind: 'constant', element, decodedChecksum };
        return;
      }
      const chains = chooseCodecs(analysis, geometryOf(index), choice, () => analysis.survey() as ChunkSurvey);
      for (const [rank, chosen] of chains.entries()) add(index, chosen, rank);
    });

    this.#hasChosen = true;
    const later: Promise<unknown>[] = [];
    const submitted = (work: Promise<unknown>) => {
      // Its error is thrown where the work is awaited.
      work.catch(() => {});
      later.push(work);
    };
    // The bench's hook delays submits, and buffers could be freed before them.
    const inner = { ...call, later: this.#gpu.beforeTimed ? undefined : submitted };
    // Raw comes last: it takes the chunks that the other codecs did not make smaller.
    while (waiting.length > 0) {
      throwIfAborted(call.signal);
      const others = waiting.filter(({ codec }) => codec !== rawCodec);
      const round = others.length > 0 ? others : waiting;
      waiting = waiting.filter((group) => !round.includes(group));
      const results = await allOf(round.map(({ members }) => this.#encodeWith(members, box, choice, inner)));
      round.forEach(({ members }, at) => {
        members.forEach(({ index, rank }, i) => {
          const result = results[at]?.[i];
          const before = smallest[index];
          if (!result) return;
          const difference = before ? result.byteLength - before.result.byteLength || rank - before.rank : -1;
          if (difference < 0) smallest[index] = { result, rank };
        });
      });
      for (const { codec, members } of round) {
        for (const { index, chosen, rank } of members) {
          const analysis = analyses[index] as (typeof analyses)[number];
          const kept = smallest[index];
          if (kept) placed[index] ??= placedAs(kept.result, analysis.checksum);
          else if (codec === rawCodec) throw new StriaError('internal', 'the raw codec returned no bytes');
          else if (rank === 0) add(index, fallback(chosen, analysis, geometryOf(index), choice.options));
        }
      }
    }
    return { placed, later };
  }

  /** @param members all of one chain @returns undefined for a chunk that would not be smaller than its voxels */
  async #encodeWith(
    members: readonly EncodeMember[],
    { voxels, chunks }: ResidentBox,
    { options }: EncodeChoice,
    call: KernelCall,
  ): Promise<(Encoded | undefined)[]> {
    const places = members.map(({ index, chosen }): GpuChunk => {
      const { origin, shape } = chunks[index] as ChunkBox;
      return { origin, shape, parameters: chosen.parameters };
    });
    const { codec, second } = (members[0] as EncodeMember).chosen;
    const isFirstStage = second !== undefined && codec.preparesEntropy;
    // Compiles while the first codec's kernels do.
    const prepared = second && this.#kernelsOf(second).prepareEncode?.(1, []);
    const first = await this.#run(codec, voxels, places, { ...call, isFirstStage });
    const voxelBytes = places.map(({ shape }) => chunkBytes({ shape, elementBytes: voxels.elementBytes }));
    // The first payload is used if the second codec did not make it shorter.
    const results = members.map(({ chosen }, i): Encoded | undefined => {
      const place = placeOf(first, i);
      return place && (place.byteLength < (voxelBytes[i] as number) || codec === rawCodec)
        ? encodedAt([chosen], place)
        : undefined;
    });
    const indices = second ? [...members.keys()].filter((i) => first.byteLengths[i]) : [];
    if (!second || indices.length === 0) return results;
    throwIfAborted(call.signal);
    const payloads = indices.map((i): GpuChunk => {
      const { shape, parameters } = payloadChunk(second, first.byteLengths[i] as number, options);
      return { origin: [first.byteOffsets[i] as number, 0, 0], shape, parameters, sections: first.sections?.[i] };
    });
    const buffer = first.buffer as GPUBuffer;
    const box: GpuVoxels = { buffer, dims: [buffer.size, 1, 1], elementBytes: 1 };
    await prepared;
    const shorter = await this.#run(second, box, payloads, call);
    indices.forEach((i, at) => {
      const place = placeOf(shorter, at);
      if (!place || place.byteLength >= (voxelBytes[i] as number)) return;
      const { parameters } = payloads[at] as (typeof payloads)[number];
      const stages = [(members[i] as EncodeMember).chosen, { codec: second, parameters }];
      results[i] = encodedAt(stages, place, first.byteLengths[i]);
    });
    return results;
  }

  #run(codec: CodecDefinition, ...[voxels, chunks, call]: Parameters<CodecKernels['encode']>): Promise<GpuPayloads> {
    return this.#kernelsOf(codec).encode(voxels, chunks, labelled(call, `${codec.name}.encode`));
  }

  #kernelsOf(codec: CodecDefinition): CodecKernels {
    const kernels = this.#kernels.get(codec) ?? createKernels(codec, this.#gpu);
    this.#kernels.set(codec, kernels);
    return kernels;
  }
}

/** What 'auto' often chooses. Chains come first, because two codecs must be compiled for them. */
function likelyStages(): { readonly one: CodecDefinition; readonly isSecond: boolean }[] {
  const firsts = codecs.filter((one) => !one.decodedLength && one !== rawCodec);
  const ofChains = firsts.filter(({ estimateWithEntropy, preparesEntropy }) => estimateWithEntropy && !preparesEntropy);
  const seconds = codecs.filter(({ decodedLength }) => decodedLength).map((one) => ({ one, isSecond: true }));
  const others = firsts.filter((one) => !ofChains.includes(one));
  return [...ofChains.map((one) => ({ one, isSecond: false })), ...seconds, ...others.map((one) => ({ one, isSecond: false }))];
}

function placedAs({ stages, buffer, byteOffset, byteLength, firstLength }: Encoded, decodedChecksum: Checksum): PlacedChunk {
  return { kind: 'coded', stages, buffer, byteOffset, byteLength, firstLength, decodedChecksum };
}

function encodedAt(
  stages: readonly ChosenCodec[],
  { buffer, byteOffset, byteLength }: PlacedPayload,
  firstLength?: number,
): Encoded {
  return { stages, buffer, byteOffset, byteLength, firstLength };
}

/** The location of a payload. Undefined if it has no bytes. */
function placeOf({ buffer, byteOffsets, byteLengths }: GpuPayloads, index: number): PlacedPayload | undefined {
  const byteLength = byteLengths[index] as number;
  return buffer && byteLength > 0 ? { buffer, byteOffset: byteOffsets[index] as number, byteLength } : undefined;
}

/** All results, once all work has ended, or the first error: all work must have ended when its scope is destroyed. */
async function allOf<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** The call with a prefix for the names of its stages. */
export function labelled(call: KernelCall, prefix: string): KernelCall {
  const { onTimes } = call;
  if (!onTimes) return call;
  const rename = ({ stages, wallMs }: CommandTimes) =>
    onTimes({ wallMs, stages: stages.map(({ label, gpuMs }) => ({ label: `${prefix}.${label}`, gpuMs })) });
  return { ...call, onTimes: rename };
}
