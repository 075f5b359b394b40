import type { BackendJob, ChunkBox, ResidentBox } from '../chunks/backend.ts';
import { codecOfChunk, mismatch, reportDamage } from '../chunks/choose.ts';
import type { DecodedBy } from '../chunks/chosen-codec.ts';
import { type Ramp, rampOf } from '../chunks/ramp.ts';
import type { CodecElementBytes, GpuVoxels, KernelCall } from '../codec/codec.ts';
import { asRecorded } from '../codec/recorded.ts';
import { chainName } from '../codecs/registry.ts';
import { type Checksum, sameChecksum } from '../format/checksum.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { DecodePlanner, type PlannedChunk } from './decode-planner.ts';
import { FaultFlags, judgeChunk } from './fault-flags.ts';
import { analyzeOnGpu, analyzers, fillOnGpu } from './gpu-chunks.ts';
import { checksummer, readPlaces, recordChecksums } from './gpu-payloads.ts';
import { uploadPayloads } from './gpu-transfer.ts';
import { labelled } from './group-encoder.ts';

interface DecodeMember {
  readonly place: ChunkBox;
  readonly decodedBy: DecodedBy;
  readonly payload: Uint8Array;
  readonly payloadChecksum: Checksum;
  /** Index in the batch. */
  readonly index: number;
}

export interface DecodeWork {
  readonly call: KernelCall;
  /** Called with each chunk that cannot be decoded, by its index. */
  readonly damaged: (index: number, error: unknown) => void;
  /** If undefined, the kernels do not check payloads. */
  readonly flags?: FaultFlags;
  /** Whether payloads are compared with their checksums. */
  readonly checksPayloads?: boolean;
}

/** Decodes batches of chunks into boxes in GPU memory. */
export class GpuDecoder {
  readonly #gpu: Gpu;
  readonly #planner: DecodePlanner;

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
    this.#planner = new DecodePlanner(gpu);
  }

  /**
   * Decodes chunks, and compares their voxels with their checksums.
   * @param firstChunk the number of the first, for messages
   * @throws StriaError `corrupt` in the context of `chunk N`, unless the job takes damage; `aborted`, `device-lost`
   */
  async decodeChecked(
    box: ResidentBox,
    chunks: readonly EncodedChunk[],
    job: BackendJob,
    firstChunk: number,
    checksPayloads: boolean,
  ): Promise<void> {
    using scope = this.#gpu.scope('decode');
    const damagedChunks = new Set<number>();
    const damaged = (index: number, error: unknown) => {
      damagedChunks.add(index);
      reportDamage(firstChunk + index, error, job.onDamage);
    };
    const call = { scope, signal: job.signal, onTimes: job.onTimes };
    const flags = new FaultFlags(scope);
    await this.decode(box, chunks, { call, damaged, flags, checksPayloads });
    const [analyses, suspects] = await Promise.all([analyzeOnGpu(this.#gpu, box, call), flags.take(this.#gpu)]);
    for (const [index, { checksum }] of analyses.entries()) {
      if (damagedChunks.has(index)) continue;
      const chunk = chunks[index] as EncodedChunk;
      if (!sameChecksum(checksum, chunk.decodedChecksum)) damaged(index, mismatch());
      else if (suspects.has(index)) {
        const { shape } = box.chunks[index] as ChunkBox;
        await judgeChunk(chunk, shape, box.voxels.elementBytes, job.signal).catch((error) => damaged(index, error));
      }
    }
  }

  /** Decodes chunks, codec by codec. Their voxels are not checked. */
  async decode({ voxels, chunks: places }: ResidentBox, chunks: readonly EncodedChunk[], work: DecodeWork): Promise<void> {
    const byName = new Map<string, DecodeMember[]>();
    const filled: ChunkBox[] = [];
    const ramps: Ramp[] = [];
    places.forEach((place, index) => {
      const chunk = chunks[index] as EncodedChunk;
      const geometry = { shape: place.shape, elementBytes: voxels.elementBytes };
      try {
        if (chunk.kind !== 'coded') {
          ramps.push(rampOf(chunk, geometry));
          filled.push(place);
          return;
        }
        const decodedBy = codecOfChunk(chunk, geometry);
        const name = chainName(decodedBy.second ? [decodedBy.codec, decodedBy.second.codec] : [decodedBy.codec]);
        const members = byName.get(name) ?? [];
        members.push({ place, decodedBy, payload: chunk.payload, payloadChecksum: chunk.encodedChecksum, index });
        byName.set(name, members);
      } catch (error) {
        work.damaged(index, error);
      }
    });
    await this.#prepare([...byName.values()], voxels.elementBytes, work);
    await fillOnGpu(this.#gpu, { voxels, chunks: filled }, ramps, work.call);
    for (const [name, members] of byName) await this.#decodeWith(name, members, voxels, work);
  }

  /** Compiles what all groups need at once. Each would wait for its own kernels, one after the other. */
  async #prepare(
    groups: readonly (readonly DecodeMember[])[],
    elementBytes: CodecElementBytes,
    { flags, checksPayloads }: DecodeWork,
  ): Promise<void> {
    const decoders = groups.map((members) => {
      const chunks = members.map(({ place: { shape }, decodedBy: { parameters } }) => ({ shape, parameters }));
      return this.#planner.prepare((members[0] as DecodeMember).decodedBy, chunks, elementBytes, flags !== undefined);
    });
    const checks = [...(checksPayloads ? [checksummer] : []), ...(flags ? analyzers(elementBytes, false) : [])];
    await Promise.all([...decoders, this.#gpu.prepareKernels(checks)]);
  }

  /** Decodes chunks of one codec or chain. A fault concerns a single chunk, so the chunks are then tried one by one. */
  async #decodeWith(name: string, members: readonly DecodeMember[], target: GpuVoxels, work: DecodeWork): Promise<void> {
    const gpu = this.#gpu;
    try {
      throwIfAborted(work.call.signal);
      using scope = work.call.scope.scope('payloads');
      const { buffer, byteOffsets, byteLengths } = await uploadPayloads(
        gpu,
        scope,
        members.map(({ payload }) => payload),
      );
      const chunks = members.map(({ place, decodedBy, index: number }, i): PlannedChunk => {
        const byteOffset = byteOffsets[i] as number;
        const stored = { kind: 'coded', ...decodedBy, buffer, byteOffset, byteLength: byteLengths[i] as number } as const;
        return { ...place, stored, number };
      });
      const plan = this.#planner.plan(chunks, target, scope, undefined, work.flags);
      const commands = gpu.commands(`${name}.decode`, labelled(work.call, `${name}.decode`).onTimes);
      plan(commands);
      const uploaded = work.checksPayloads ? asRecorded(scope, { buffer, byteOffsets, byteLengths }, byteLengths) : undefined;
      if (uploaded) recordChecksums(gpu, commands, scope, uploaded);
      const places = uploaded && readPlaces(commands, uploaded);
      await commands.submit();
      const read = places?.();
      if (!read) return;
      for (const [i, { payloadChecksum }] of members.entries()) {
        if (!sameChecksum(read.checksumOf(i), payloadChecksum)) throw mismatch();
      }
    } catch (error) {
      if (!(error instanceof StriaError) || error.tag !== 'corrupt') throw error;
      const [first, second] = members;
      if (second) for (const member of members) await this.#decodeWith(name, [member], target, work);
      else if (first) work.damaged(first.index, error);
    }
  }
}
