import type { BackendJob, ChunkBox, ResidentBox, VoxelBox } from '../chunks/backend.ts';
import { codecOfChunk, mismatch, reportDamage } from '../chunks/choose.ts';
import type { DecodedBy } from '../chunks/chosen-codec.ts';
import { type Ramp, rampOf } from '../chunks/ramp.ts';
import type { CodecElementBytes, GpuVoxels, KernelCall } from '../codec/codec.ts';
import { asRecorded, recordOrAbandon } from '../codec/recorded.ts';
import { chainName } from '../codecs/registry.ts';
import { type Checksum, sameChecksum } from '../format/checksum.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { DecodePlanner, type PlannedChunk } from './decode-planner.ts';
import { FaultFlags, judgeChunk } from './fault-flags.ts';
import {
  analyzeOnGpu,
  analyzersOf,
  comparer,
  fillOnGpu,
  type GpuChunkAnalysis,
  prepareFill,
  recordAnalysis,
  type UnmadeBox,
} from './gpu-chunks.ts';
import { checksummer, readPlaces, recordChecksums } from './gpu-payloads.ts';
import { type UploadedPayloads, uploadPayloads } from './gpu-transfer.ts';
import { betweenShaders, type LikelyCodec } from './likely-codecs.ts';
import { type PlacedChunk, storedChunk } from './placed-chunk.ts';

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
    const { analyses, suspects } = await this.#decodeAndAnalyze(box, chunks, { call, damaged, checksPayloads });
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

  /** Compiles what `decodeChecked` needs for such chunks. Never rejects. @param places in a box of these lengths */
  async prepare(
    chunks: readonly EncodedChunk[],
    places: readonly ChunkBox[],
    { dims, elementBytes }: Omit<VoxelBox, 'bytes'>,
  ): Promise<void> {
    const box = { voxels: { dims, elementBytes }, chunks: places };
    // Whoever decodes a faulty chunk says so.
    await this.#prepare(
      box,
      sortChunks(box, chunks, () => {}),
      true,
    );
  }

  /** Decodes chunks that are in GPU memory. Neither their payloads nor their voxels are checked. */
  async decodePlaced({ voxels, chunks: places }: ResidentBox, chunks: readonly PlacedChunk[], call: KernelCall): Promise<void> {
    const { elementBytes } = voxels;
    const groups = new Map<string, PlannedChunk[]>();
    places.forEach((place, number) => {
      const chunk = chunks[number] as PlacedChunk;
      const prefix = chunk.kind === 'coded' ? `${chunk.stages.map(({ codec }) => codec.name).join('+')}.decode.` : '';
      const stored = storedChunk(chunk, { shape: place.shape, elementBytes });
      const group = groups.get(prefix) ?? [];
      groups.set(prefix, group);
      group.push({ ...place, stored, number });
    });
    await Promise.all([...groups.values()].map((group) => this.#preparePlanned(group, elementBytes)));
    throwIfAborted(call.signal);
    const commands = this.#gpu.commands('decode', call.onTimes);
    recordOrAbandon(commands, () => {
      for (const [prefix, group] of groups) {
        const plan = this.#planner.plan(group, voxels, call.scope);
        plan(commands.within(prefix));
      }
    });
    await commands.submit();
  }

  /** Compiles what `decodePlaced` and a comparison will probably need, while the CPU does something else. */
  async preparePlaced(likely: readonly LikelyCodec[]): Promise<void> {
    if (this.#gpu.isSoftware) return;
    void this.#gpu.prepareKernels([comparer]);
    for (const { codec, width, chunks } of likely) {
      await betweenShaders();
      void this.#planner.prepare({ codec }, chunks, width, false);
    }
  }

  /** Compiles at once what chunks of one codec or chain need. */
  async #preparePlanned(group: readonly PlannedChunk[], elementBytes: CodecElementBytes): Promise<void> {
    const [first] = group;
    if (first?.stored.kind !== 'coded') return;
    const chunks = group.flatMap(({ shape, stored }) =>
      stored.kind === 'coded' ? { shape, parameters: stored.parameters } : [],
    );
    await this.#planner.prepare(first.stored, chunks, elementBytes, false);
  }

  /** @returns the analyses of all chunks, also of damaged ones, and those whose payloads may be unsound */
  async #decodeAndAnalyze(
    box: ResidentBox,
    chunks: readonly EncodedChunk[],
    work: DecodeWork,
  ): Promise<{ readonly analyses: readonly GpuChunkAnalysis[]; readonly suspects: ReadonlySet<number> }> {
    const gpu = this.#gpu;
    const { scope } = work.call;
    const batch = sortChunks(box, chunks, work.damaged);
    // Payloads are uploaded while kernels compile.
    const prepared = this.#prepare(box, batch, work.checksPayloads ?? false);
    const flags = new FaultFlags(scope);
    const read = await this.#decodeAtOnce(box, batch, prepared, { ...work, flags }, (commands) => {
      const analyses = recordAnalysis(gpu, box, scope, commands);
      const suspects = flags.record(commands);
      return () => ({ analyses: analyses(), suspects: suspects() });
    });
    if (read) return read();
    const newFlags = new FaultFlags(scope);
    await this.#decodeOneByOne(box, batch, { ...work, flags: newFlags });
    const [analyses, suspects] = await Promise.all([analyzeOnGpu(gpu, box, work.call), newFlags.take(gpu)]);
    return { analyses, suspects };
  }

  /** Compiles at once all that a batch needs. */
  async #prepare(box: UnmadeBox, { groups }: DecodeBatch, checksPayloads: boolean): Promise<void> {
    const decoders = groups.map(({ members }) => {
      const chunks = members.map(({ place: { shape }, decodedBy: { parameters } }) => ({ shape, parameters }));
      return this.#planner.prepare((members[0] as DecodeMember).decodedBy, chunks, box.voxels.elementBytes, true);
    });
    const checks = [...(checksPayloads ? [checksummer] : []), ...analyzersOf(box, false)];
    await Promise.all([...decoders, this.#gpu.prepareKernels(checks)]);
  }

  /**
   * Decodes a batch in one submit.
   * @param prepared ends when the kernels are compiled, and never rejects
   * @param record records what depends on the voxels, and returns what reads it once the commands are done
   * @returns the result of `record`; undefined if any chunk is faulty, without saying which
   */
  async #decodeAtOnce<T>(
    { voxels }: ResidentBox,
    { groups, filled, ramps }: DecodeBatch,
    prepared: Promise<void>,
    work: DecodeWork,
    record: (commands: Commands) => T,
  ): Promise<T | undefined> {
    const gpu = this.#gpu;
    using scope = work.call.scope.scope('payloads');
    throwIfAborted(work.call.signal);
    const uploads: UploadedPayloads[] = [];
    for (const { members } of groups) uploads.push(await uploadPayloads(gpu, scope, members.map(payloadOf)));
    await prepared;
    throwIfAborted(work.call.signal);
    try {
      const commands = gpu.commands('decode', work.call.onTimes);
      const { result, checks } = recordOrAbandon(commands, () => {
        if (filled.length > 0) prepareFill(gpu, { voxels, chunks: filled }, ramps, scope)(commands);
        const checks = groups.map((group, i) =>
          this.#record(commands, group, uploads[i] as UploadedPayloads, voxels, work, scope),
        );
        commands.within('');
        return { result: record(commands), checks };
      });
      await commands.submit();
      for (const check of checks) check();
      return result;
    } catch (error) {
      if (!(error instanceof StriaError) || error.tag !== 'corrupt') throw error;
      return undefined;
    }
  }

  /** Decodes the groups of a batch one after another. A fault concerns a single chunk, so the group's chunks are then tried one by one. */
  async #decodeOneByOne({ voxels }: ResidentBox, { groups, filled, ramps }: DecodeBatch, work: DecodeWork): Promise<void> {
    await fillOnGpu(this.#gpu, { voxels, chunks: filled }, ramps, work.call);
    for (const group of groups) await this.#decodeGroup(group, voxels, work);
  }

  async #decodeGroup(group: DecodeGroup, voxels: GpuVoxels, work: DecodeWork): Promise<void> {
    const gpu = this.#gpu;
    const { name, members } = group;
    try {
      throwIfAborted(work.call.signal);
      using scope = work.call.scope.scope('payloads');
      const uploaded = await uploadPayloads(gpu, scope, members.map(payloadOf));
      const commands = gpu.commands(`${name}.decode`, work.call.onTimes);
      const check = recordOrAbandon(commands, () => this.#record(commands, group, uploaded, voxels, work, scope));
      await commands.submit();
      check();
    } catch (error) {
      if (!(error instanceof StriaError) || error.tag !== 'corrupt') throw error;
      const [first, second] = members;
      if (second) for (const member of members) await this.#decodeGroup({ name, members: [member] }, voxels, work);
      else if (first) work.damaged(first.index, error);
    }
  }

  /**
   * Records the decoding of a group. @param scope owns what it needs @returns a check of its payloads' checksums, once the commands are done
   * @throws StriaError `corrupt` for parameters and lengths that no encoder writes; the check for a checksum that differs
   */
  #record(
    commands: Commands,
    { name, members }: DecodeGroup,
    { buffer, byteOffsets, byteLengths }: UploadedPayloads,
    target: GpuVoxels,
    work: DecodeWork,
    scope: GpuScope,
  ): () => void {
    const chunks = members.map(({ place, decodedBy, index: number }, i): PlannedChunk => {
      const byteOffset = byteOffsets[i] as number;
      const stored = { kind: 'coded', ...decodedBy, buffer, byteOffset, byteLength: byteLengths[i] as number } as const;
      return { ...place, stored, number };
    });
    const plan = this.#planner.plan(chunks, target, scope, undefined, work.flags);
    commands.within(`${name}.decode.`);
    plan(commands);
    if (!work.checksPayloads) return () => {};
    const uploaded = asRecorded(scope, { buffer, byteOffsets, byteLengths }, byteLengths);
    recordChecksums(this.#gpu, commands, scope, uploaded);
    const places = readPlaces(commands, uploaded);
    return () => {
      const read = places();
      for (const [i, { payloadChecksum }] of members.entries()) {
        if (!sameChecksum(read.checksumOf(i), payloadChecksum)) throw mismatch();
      }
    };
  }
}

/** The chunks of a batch with one codec or chain. */
interface DecodeGroup {
  readonly name: string;
  readonly members: DecodeMember[];
}

/** The chunks of a batch: those with payloads, and those without. */
interface DecodeBatch {
  readonly groups: readonly DecodeGroup[];
  readonly filled: readonly ChunkBox[];
  /** Of `filled`. */
  readonly ramps: readonly Ramp[];
}

function sortChunks(
  { voxels, chunks: places }: UnmadeBox,
  chunks: readonly EncodedChunk[],
  damaged: DecodeWork['damaged'],
): DecodeBatch {
  const groups: DecodeGroup[] = [];
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
      const member = { place, decodedBy, payload: chunk.payload, payloadChecksum: chunk.encodedChecksum, index };
      const group = groups.find((one) => one.name === name);
      if (group) group.members.push(member);
      else groups.push({ name, members: [member] });
    } catch (error) {
      damaged(index, error);
    }
  });
  return { groups, filled, ramps };
}

function payloadOf({ payload }: DecodeMember): Uint8Array {
  return payload;
}
