import type { ChunkBox, EncodeChoice, OnSpan, ResidentBox } from '../chunks/backend.ts';
import { chooseCodec, codedChunk, fallback, isConstant, payloadChunk, rawCodec } from '../chunks/choose.ts';
import type { ChosenChain, ChosenCodec } from '../chunks/chosen-codec.ts';
import { bytesOfChunks, chunkBytes } from '../codec/batch.ts';
import type { ChunkSurvey, CodecDefinition, CodecKernels, GpuPayloads, GpuVoxels, KernelCall } from '../codec/codec.ts';
import { createKernels } from '../codecs/kernels.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { CommandTimes } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { analyzeOnGpu } from './gpu-chunks.ts';
import { findRampsOnGpu } from './gpu-ramps.ts';

interface EncodeMember {
  /** Index in the batch. */
  readonly index: number;
  readonly chosen: ChosenChain;
}

interface Encoded {
  readonly stages: readonly ChosenCodec[];
  readonly payload: Uint8Array;
}

/** Encodes chunks of boxes in GPU memory: each with its codec, and the payload with the second codec if there is one. */
export class GpuEncoder {
  readonly #gpu: Gpu;
  readonly #kernels = new Map<CodecDefinition, CodecKernels>();

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /** @throws StriaError `unsupported`, `aborted`, `device-lost`, `limit-too-small` */
  async encode(box: ResidentBox, choice: EncodeChoice, call: KernelCall, onSpan?: OnSpan): Promise<EncodedChunk[]> {
    const { voxels, chunks } = box;
    const start = performance.now();
    const analyses = await analyzeOnGpu(this.#gpu, box, call, choice.codec === 'auto');
    onSpan?.('analyze', start, performance.now(), bytesOfChunks(chunks, voxels.elementBytes));
    const ramps = await findRampsOnGpu(this.#gpu, box, analyses, call);
    const encoded = new Array<EncodedChunk>(chunks.length);
    const waiting = new Map<string, EncodeMember[]>();
    const rawChain = chainName({ codec: rawCodec });
    const add = (index: number, chosen: ChosenChain) => {
      const members = waiting.get(chainName(chosen));
      if (members) members.push({ index, chosen });
      else waiting.set(chainName(chosen), [{ index, chosen }]);
    };
    const geometryOf = (index: number) => ({ ...(chunks[index] as ChunkBox), elementBytes: voxels.elementBytes });
    analyses.forEach((analysis, index) => {
      const { head, checksum: decodedChecksum } = analysis;
      const element = head.slice(0, voxels.elementBytes);
      const ramp = ramps.get(index);
      const survey = () => analysis.survey as ChunkSurvey;
      if (isConstant(analysis)) encoded[index] = { kind: 'constant', element, decodedChecksum };
      else if (ramp) encoded[index] = { kind: 'ramp', ...ramp, element, decodedChecksum };
      else add(index, chooseCodec(analysis, geometryOf(index), choice, survey));
    });
    // Raw comes last: it takes the chunks that the other codecs did not make smaller.
    while (waiting.size > 0) {
      throwIfAborted(call.signal);
      const chain = [...waiting.keys()].find((one) => one !== rawChain) ?? rawChain;
      const members = waiting.get(chain) as EncodeMember[];
      waiting.delete(chain);
      const results = await this.#encodeWith(members, box, choice, call, onSpan);
      members.forEach(({ index, chosen }, at) => {
        const result = results[at];
        const analysis = analyses[index] as (typeof analyses)[number];
        if (result) encoded[index] = codedChunk(result.stages, result.payload, analysis.checksum);
        else if (chain === rawChain) throw new StriaError('internal', 'the raw codec returned no bytes');
        else add(index, fallback(chosen, analysis, geometryOf(index), choice.options));
      });
    }
    return encoded;
  }

  /** @param members all of one chain @returns undefined for a chunk that would not be smaller than its voxels */
  async #encodeWith(
    members: readonly EncodeMember[],
    { voxels, chunks }: ResidentBox,
    { options }: EncodeChoice,
    call: KernelCall,
    onSpan: OnSpan | undefined,
  ): Promise<(Encoded | undefined)[]> {
    using scope = call.scope.scope('payloads');
    const places = members.map(({ index, chosen }) => ({ ...(chunks[index] as ChunkBox), parameters: chosen.parameters }));
    const { codec, second } = (members[0] as EncodeMember).chosen;
    const isFirstStage = second !== undefined && codec.preparesEntropy;
    const first = await this.#run(codec, voxels, places, { ...call, scope, isFirstStage });
    const results = new Array<Encoded | undefined>(members.length);
    const voxelBytes = places.map(({ shape }) => chunkBytes({ shape, elementBytes: voxels.elementBytes }));
    const indices = second ? [...members.keys()].filter((i) => first.byteLengths[i]) : [];
    if (second && indices.length > 0) {
      throwIfAborted(call.signal);
      const payloads = indices.map((i) => ({
        ...payloadChunk(second, first.byteLengths[i] as number, options),
        origin: [first.byteOffsets[i] as number, 0, 0] as const,
        sections: first.sections?.[i],
      }));
      const buffer = first.buffer as GPUBuffer;
      const box: GpuVoxels = { buffer, dims: [buffer.size, 1, 1], elementBytes: 1 };
      const shorter = await this.#run(second, box, payloads, { ...call, scope });
      (await this.#read(shorter, onSpan)).forEach((payload, at) => {
        const i = indices[at] as number;
        const { parameters } = payloads[at] as (typeof payloads)[number];
        if (!payload || payload.byteLength >= (voxelBytes[i] as number)) return;
        results[i] = { stages: [(members[i] as EncodeMember).chosen, { codec: second, parameters }], payload };
      });
    }
    // The first payload need not be read if the second codec made it shorter, or was not useful.
    const isRaw = codec === rawCodec;
    const byteLengths = first.byteLengths.map((length, i) =>
      results[i] || (length >= (voxelBytes[i] as number) && !isRaw) ? 0 : length,
    );
    (await this.#read({ ...first, byteLengths }, onSpan)).forEach((payload, i) => {
      if (payload) results[i] = { stages: [(members[i] as EncodeMember).chosen], payload };
    });
    return results;
  }

  #run(codec: CodecDefinition, ...[voxels, chunks, call]: Parameters<CodecKernels['encode']>): Promise<GpuPayloads> {
    const kernels = this.#kernels.get(codec) ?? createKernels(codec, this.#gpu);
    this.#kernels.set(codec, kernels);
    return kernels.encode(voxels, chunks, labelled(call, `${codec.name}.encode`));
  }

  /** The payloads' bytes; undefined for those of length 0. */
  async #read(
    { buffer, byteOffsets, byteLengths }: GpuPayloads,
    onSpan: OnSpan | undefined,
  ): Promise<(Uint8Array | undefined)[]> {
    const ends = byteLengths.map((length, i) => (length === 0 ? 0 : (byteOffsets[i] as number) + length));
    const end = Math.max(0, ...ends);
    const start = performance.now();
    const bytes = buffer && end > 0 ? await this.#gpu.read(buffer, 0, end) : new Uint8Array(0);
    if (end > 0) onSpan?.('readback', start, performance.now(), end);
    return ends.map((one, i) => (one === 0 ? undefined : bytes.subarray(byteOffsets[i], one)));
  }
}

function chainName({ codec, second }: Pick<ChosenChain, 'codec' | 'second'>): string {
  return second ? `${codec.name}+${second.name}` : codec.name;
}

/** The call with a prefix for the names of its stages. */
export function labelled(call: KernelCall, prefix: string): KernelCall {
  const { onTimes } = call;
  if (!onTimes) return call;
  const rename = ({ stages, wallMs }: CommandTimes) =>
    onTimes({ wallMs, stages: stages.map(({ label, gpuMs }) => ({ label: `${prefix}.${label}`, gpuMs })) });
  return { ...call, onTimes: rename };
}
