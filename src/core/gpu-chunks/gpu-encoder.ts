import type { ChunkBox, EncodeChoice, OnSpan, ResidentBox } from '../chunks/backend.ts';
import { chooseCodecs, codedChunk, fallback, isConstant } from '../chunks/choose.ts';
import type { ChosenChain } from '../chunks/chosen-codec.ts';
import { rawCodec } from '../chunks/raw-codec.ts';
import { bytesOfChunks } from '../codec/batch.ts';
import type { ChunkSurvey, CodecElementBytes, KernelCall } from '../codec/codec.ts';
import type { EncodedChunk, RampRule } from '../format/chunk.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { LentBytes } from '../gpu/lent-bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import type { Dims3 } from '../shared/volume.ts';
import { analyzeOnGpu, analyzers, type GpuChunkAnalysis } from './gpu-chunks.ts';
import { checksummer } from './gpu-payloads.ts';
import { findRampsOnGpu, rampCandidates } from './gpu-ramps.ts';
import { type ChainGroup, type Encoded, type GroupCall, GroupEncoder, readsPayloads } from './group-encoder.ts';
import { betweenShaders, likelyCodecs } from './likely-codecs.ts';
import type { PlacedChunk } from './placed-chunk.ts';

export interface EncodedBatch {
  readonly chunks: EncodedChunk[];
  /** The memory that holds the payloads. */
  readonly lent: readonly LentBytes[];
}

/** Within this time a batch that is being read shows which codecs it needs, and guesses would keep this thread from it. */
const guessPauseMs = 60;

/**
 * Encodes chunks of boxes in GPU memory: each with its codec, and the payload with the second codec if there is one.
 *
 * The CPU waits twice for most batches: for the analysis, by which it chooses codecs, and for the payloads.
 */
export class GpuEncoder {
  readonly #gpu: Gpu;
  readonly #groups: GroupEncoder;
  /** Whether the codecs of a batch are known, so that what `prepare` has not begun is no longer guessed. */
  #hasChosen = false;

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
    this.#groups = new GroupEncoder(gpu);
  }

  /** Compiles what `encode` will probably need for such chunks, while the CPU does something else. */
  async prepare(shapes: readonly Dims3[], elementBytes: CodecElementBytes, choice: EncodeChoice): Promise<void> {
    if (!this.#gpu.preparesKernels) return;
    for (const [number, { codec, width, chunks, isSecond }] of likelyCodecs(shapes, elementBytes, choice).entries()) {
      if (number > 0) await betweenShaders(choice.codec === 'auto' ? guessPauseMs : undefined);
      if (this.#hasChosen || !this.#gpu.preparesKernels) return;
      void this.#groups.kernelsOf(codec).prepareEncode(width, chunks, isSecond);
      // These compile sooner than the first codec.
      if (number === 0) void this.#gpu.prepareKernels([...analyzers(elementBytes, choice.codec === 'auto'), checksummer]);
    }
  }

  /**
   * @param read whether the payloads are in lent memory, which the caller releases, or in the caller's own
   * @throws StriaError `unsupported`, `aborted`, `device-lost`, `limit-too-small`
   */
  async encode(
    box: ResidentBox,
    choice: EncodeChoice,
    call: KernelCall,
    read: 'lent' | 'own',
    onSpan?: OnSpan,
  ): Promise<EncodedBatch> {
    const lent: LentBytes[] = [];
    try {
      const placed = await this.#place(box, choice, { ...call, options: choice.options, read, lent }, onSpan);
      const chunks = placed.map((chunk): EncodedChunk => {
        if (chunk.kind !== 'coded') return chunk;
        return codedChunk(chunk.stages, chunk.bytes as Uint8Array, chunk.decodedChecksum, chunk.checksum);
      });
      return { chunks, lent };
    } catch (error) {
      for (const { release } of lent) release();
      throw error;
    }
  }

  /** Like `encode`, but the payloads stay in buffers that `call.scope` owns. @param read `later` for their checksums */
  encodeInPlace(
    box: ResidentBox,
    choice: EncodeChoice,
    call: KernelCall,
    read?: 'later',
    onSpan?: OnSpan,
  ): Promise<readonly PlacedChunk[]> {
    return this.#place(box, choice, { ...call, options: choice.options, read, lent: [] }, onSpan);
  }

  async #place(box: ResidentBox, choice: EncodeChoice, call: GroupCall, onSpan?: OnSpan): Promise<readonly PlacedChunk[]> {
    const { voxels, chunks } = box;
    const start = performance.now();
    const analyses = await analyzeOnGpu(this.#gpu, box, call, choice.codec === 'auto');
    onSpan?.('analyze', start, performance.now(), bytesOfChunks(chunks, voxels.elementBytes));
    // These chunks are encoded, if they are no ramps, after the first round, during which the GPU tests them.
    const candidates = new Set(rampCandidates(box, analyses));
    let testing = candidates.size > 0 ? findRampsOnGpu(this.#gpu, box, [...candidates], call) : undefined;
    // Whoever awaits it gets the error.
    testing?.catch(() => {});
    const placed = new Array<PlacedChunk>(chunks.length);
    const smallest: ({ readonly result: Encoded; readonly rank: number } | undefined)[] = [];
    let hasRanks = false;
    let waiting: ChainGroup[] = [];
    const add = (index: number, chosen: ChosenChain, rank = 0) => {
      const { codec, second } = chosen;
      let group: ChainGroup | undefined;
      for (const one of waiting) if (one.codec === codec && one.second === second) group = one;
      if (group) group.members.push({ index, chosen, rank });
      else waiting.push({ codec, second, members: [{ index, chosen, rank }] });
    };
    const geometryOf = (index: number) => ({ shape: (chunks[index] as ChunkBox).shape, elementBytes: voxels.elementBytes });
    const choose = (index: number, ramp?: RampRule) => {
      const analysis = analyses[index] as GpuChunkAnalysis;
      const { checksum: decodedChecksum } = analysis;
      if (ramp || isConstant(analysis)) {
        const element = analysis.head().slice(0, voxels.elementBytes);
        placed[index] = ramp
          ? { kind: 'ramp', ...ramp, element, decodedChecksum }
          : { kind: 'constant', element, decodedChecksum };
        return;
      }
      const chains = chooseCodecs(analysis, geometryOf(index), choice, () => analysis.survey() as ChunkSurvey);
      if (chains.length > 1) hasRanks = true;
      for (const [rank, chosen] of chains.entries()) add(index, chosen, rank);
    };
    for (const index of chunks.keys()) if (!candidates.has(index)) choose(index);

    this.#hasChosen = true;
    // Raw comes last: it takes the chunks that the other codecs did not make smaller.
    while (waiting.length > 0 || testing) {
      throwIfAborted(call.signal);
      const others = waiting.filter(({ codec }) => codec !== rawCodec);
      const round = others.length > 0 ? others : waiting;
      waiting = waiting.filter((group) => !round.includes(group));
      const readStart = performance.now();
      const [results, ramps] = await Promise.all([this.#encodeRound(round, box, call, hasRanks), testing]);
      testing = undefined;
      round.forEach(({ members }, at) => {
        members.forEach(({ index, rank }, i) => {
          const result = results[at]?.[i];
          const before = smallest[index];
          if (!result) return;
          const difference = before ? result.byteLength - before.result.byteLength || rank - before.rank : -1;
          if (difference < 0) smallest[index] = { result, rank };
        });
      });
      const kept: Encoded[] = [];
      for (const { codec, members } of round) {
        for (const { index, chosen, rank } of members) {
          const analysis = analyses[index] as GpuChunkAnalysis;
          const result = smallest[index]?.result;
          if (result && !placed[index]) {
            placed[index] = Object.assign(result, { kind: 'coded' as const, decodedChecksum: analysis.checksum });
            kept.push(result);
          } else if (!result && codec === rawCodec) throw new StriaError('internal', 'the raw codec returned no bytes');
          else if (!result && rank === 0) add(index, fallback(chosen, analysis, geometryOf(index), choice.options));
        }
      }
      if (hasRanks && readsPayloads(call)) await this.#groups.read(kept, call);
      if (readsPayloads(call)) onSpan?.('readback', readStart, performance.now(), bytesOf(kept));
      if (ramps) for (const index of candidates) choose(index, ramps.get(index));
    }
    return placed;
  }

  /** @param hasRanks whether chunks are in several groups @returns as `GroupEncoder.encode` */
  async #encodeRound(
    round: readonly ChainGroup[],
    box: ResidentBox,
    call: GroupCall,
    hasRanks: boolean,
  ): Promise<(Encoded | undefined)[][]> {
    if (!hasRanks) return round.length > 0 ? this.#groups.encode(round, box, call) : [];
    const results: (Encoded | undefined)[][] = [];
    // Of several results only the smallest is read. Groups take turns, so that they share scratch memory.
    const read = call.read === 'later' ? 'later' : undefined;
    for (const group of round) results.push(...(await this.#groups.encode([group], box, { ...call, read })));
    return results;
  }
}

function bytesOf(payloads: readonly Encoded[]): number {
  return payloads.reduce((sum, { byteLength }) => sum + byteLength, 0);
}
