import type { ChunkBox, ResidentBox } from '../chunks/backend.ts';
import { payloadChunk } from '../chunks/choose.ts';
import type { ChosenChain, ChosenCodec } from '../chunks/chosen-codec.ts';
import { rawCodec } from '../chunks/raw-codec.ts';
import { chunkBytes } from '../codec/batch.ts';
import type { CodecDefinition, CodecKernels, CodecOptions, GpuChunk, KernelCall, RecordedPayloads } from '../codec/codec.ts';
import { recordOrAbandon } from '../codec/recorded.ts';
import { createKernels } from '../codecs/kernels.ts';
import type { Checksum } from '../format/checksum.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { type LentBytes, wholeWords } from '../gpu/lent-bytes.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { totalOf } from '../shared/total.ts';
import {
  gatherPayloads,
  type PayloadPlaces,
  type PlacedPayload,
  readPlaces,
  recordChecksums,
  takeParts,
} from './gpu-payloads.ts';

/** A chunk of a batch, and how it is to be encoded. */
export interface EncodeMember {
  /** Index in the batch. */
  readonly index: number;
  readonly chosen: ChosenChain;
  /** Position in the list of the chains to encode the chunk by, of which the smallest result is kept. */
  readonly rank: number;
}

/** The chunks of a batch with one codec or chain. */
export interface ChainGroup extends Pick<ChosenChain, 'codec' | 'second'> {
  readonly members: EncodeMember[];
}

/** A payload in GPU memory, and how it was encoded. */
export interface Encoded extends PlacedPayload {
  readonly stages: readonly ChosenCodec[];
  /** With two stages: the length of the first one's payload. */
  readonly firstLength?: number | undefined;
  /** The payload in CPU memory, if it is read. */
  bytes?: Uint8Array | undefined;
  /** Undefined if the GPU did not compute it. */
  readonly checksum: Checksum | undefined;
}

export interface GroupCall extends KernelCall {
  readonly options: CodecOptions;
  /** Whether payloads are read, and whether into memory that is lent or into the caller's own. If `later`, only their checksums are. */
  readonly read: 'lent' | 'own' | 'later' | undefined;
  /** Receives lent memory, which the caller releases, also after an error. */
  readonly lent: LentBytes[];
}

/** A group whose kernels are compiled. */
interface ReadyGroup extends ChainGroup {
  readonly chunks: readonly GpuChunk[];
  readonly voxelBytes: readonly number[];
}

/** A group's payloads, and the places of the first codec's and the last codec's, once the commands are done. */
interface RecordedGroup {
  readonly group: ReadyGroup;
  readonly first: RecordedPayloads;
  readonly last: RecordedPayloads;
  readonly firstPlaces: () => PayloadPlaces;
  readonly lastPlaces: () => PayloadPlaces;
}

/** How much more is read than the last batch had. Memory that CPU and GPU share is dear, and batches differ little. */
const readShare = 1.0625;
const readBytes = 2 ** 16;

/**
 * Encodes groups of chunks in GPU memory: each with its codec, and the payloads with the second codec if there is one.
 *
 * All groups share one submit, because kernels place payloads, and second codecs find their input, without the CPU. It reads
 * places and payloads together. As it does not know yet how long these are, it reads as much as the last batch of the same codecs
 * needed and a little more, and what lies behind that afterwards.
 */
export class GroupEncoder {
  readonly #gpu: Gpu;
  readonly #kernels = new Map<CodecDefinition, CodecKernels>();
  /** The payloads' share of the voxels' bytes in the last batch, by the names of the codecs, for levels apart. */
  readonly #shares = new Map<string, number>();

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  kernelsOf(codec: CodecDefinition): CodecKernels {
    const kernels = this.#kernels.get(codec) ?? createKernels(codec, this.#gpu);
    this.#kernels.set(codec, kernels);
    return kernels;
  }

  /**
   * @returns for each group its members' payloads; undefined for a chunk that would not be smaller than its voxels
   * @throws StriaError `unsupported`, `aborted`, `device-lost`, `limit-too-small`
   */
  async encode(groups: readonly ChainGroup[], box: ResidentBox, call: GroupCall): Promise<(Encoded | undefined)[][]> {
    using work = call.scope.scope('groups');
    const ready = await Promise.all(groups.map((group) => this.#prepare(group, box)));
    throwIfAborted(call.signal);
    const commands = this.#gpu.commands('encode', call.onTimes);
    const { recorded, reads, lend } = recordOrAbandon(commands, () => this.#record(commands, ready, box, call, work));
    await commands.submit();
    const lent = lend?.();
    const used = recorded.map(({ lastPlaces }, i) => Math.min(reads[i] as number, lastPlaces().totalBytes));
    const own = call.read === 'own' ? new Uint8Array(totalOf(used)) : undefined;
    if (lent && !own) call.lent.push(lent);
    const read = lent ? takeParts(lent, own, reads, used) : [];
    const encoded = recorded.map((one) => collect(one, call.options, call.read));
    recorded.forEach(({ group, lastPlaces }) => {
      this.#shares.set(nameOf(group, call.options), lastPlaces().totalBytes / totalOf(group.voxelBytes));
    });
    if (readsPayloads(call)) await this.#takeBytes(recorded, encoded, reads, read, call);
    return encoded;
  }

  /** Compiles a group's kernels. */
  async #prepare(group: ChainGroup, { voxels, chunks: boxes }: ResidentBox): Promise<ReadyGroup> {
    const { codec, second, members } = group;
    const { elementBytes } = voxels;
    const chunks = members.map(({ index, chosen }): GpuChunk => {
      const { origin, shape } = boxes[index] as ChunkBox;
      return { origin, shape, parameters: chosen.parameters };
    });
    await Promise.all([
      this.kernelsOf(codec).prepareEncode(elementBytes, chunks),
      second && this.kernelsOf(second).prepareEncode(1, [], true),
    ]);
    return { ...group, chunks, voxelBytes: chunks.map(({ shape }) => chunkBytes({ shape, elementBytes })) };
  }

  /** Records all groups, and the reads of their places and payloads. @returns also how many bytes of each group's payloads are read */
  #record(commands: Commands, groups: readonly ReadyGroup[], { voxels }: ResidentBox, call: GroupCall, work: GpuScope) {
    const { scope, options } = call;
    const recorded = groups.map((group): RecordedGroup => {
      const { codec, second, chunks } = group;
      const isFirstStage = second !== undefined && codec.preparesEntropy;
      commands.within(`${codec.name}.encode.`);
      const first = this.kernelsOf(codec).recordEncode(commands, voxels, chunks, { scope, work, isFirstStage });
      let last = first;
      if (second) {
        commands.within(`${second.name}.encode.`);
        const { recordSecond } = this.kernelsOf(second);
        if (!recordSecond) throw new StriaError('internal', `${second.name} cannot be a second codec`);
        last = recordSecond(commands, first, { scope, work });
      }
      commands.within('');
      if (call.read) recordChecksums(this.#gpu, commands, work, last);
      // Payloads that are read later were checked in GPU memory before, so all of them need one.
      if (call.read === 'later' && second) recordChecksums(this.#gpu, commands, work, first);
      const lastPlaces = readPlaces(commands, last);
      return { group, first, last, firstPlaces: first === last ? lastPlaces : readPlaces(commands, first), lastPlaces };
    });
    const reads = recorded.map(({ group, last }) => (readsPayloads(call) ? this.#bytesToRead(group, last, options) : 0));
    const total = totalOf(reads);
    if (total === 0) return { recorded, reads, lend: undefined };
    let to = 0;
    const copies = reads.map((size, i) => {
      const copy = { buffer: (recorded[i] as RecordedGroup).last.buffer, offset: 0, size, to };
      to += size;
      return copy;
    });
    return { recorded, reads, lend: commands.lend(total, copies) };
  }

  #bytesToRead(group: ReadyGroup, { totalBytes, buffer }: RecordedPayloads, options: CodecOptions): number {
    if (totalBytes !== undefined) return totalBytes;
    const share = this.#shares.get(nameOf(group, options));
    if (share === undefined) return 0;
    return Math.min(buffer.size, wholeWords(readShare * share * totalOf(group.voxelBytes)) + readBytes);
  }

  /** Finds payloads among what was read, and reads the others. */
  async #takeBytes(
    recorded: readonly RecordedGroup[],
    encoded: readonly (readonly (Encoded | undefined)[])[],
    reads: readonly number[],
    read: readonly Uint8Array[],
    call: GroupCall,
  ): Promise<void> {
    const left: Encoded[] = [];
    for (const [g, { last }] of recorded.entries()) {
      for (const one of encoded[g] ?? []) {
        if (!one) continue;
        const { buffer, byteOffset, byteLength } = one;
        const end = byteOffset + byteLength;
        if (buffer === last.buffer && end <= (reads[g] as number)) one.bytes = read[g]?.subarray(byteOffset, end);
        else left.push(one);
      }
    }
    await this.read(left, call);
  }

  /** Reads payloads that have not been read. */
  async read(payloads: readonly Encoded[], call: GroupCall): Promise<void> {
    const { lent, byteOffsets } = await gatherPayloads(this.#gpu, payloads, call);
    if (!lent) return;
    const rest = call.read === 'own' ? lent.bytes.slice() : lentBy(lent, call);
    if (call.read === 'own') lent.release();
    for (const [i, one] of payloads.entries()) {
      const at = byteOffsets[i] as number;
      one.bytes = rest.subarray(at, at + one.byteLength);
    }
  }
}

/** Whether payloads are read at once. */
export function readsPayloads({ read }: Pick<GroupCall, 'read'>): boolean {
  return read === 'lent' || read === 'own';
}

function lentBy(lent: LentBytes, call: GroupCall): Uint8Array {
  call.lent.push(lent);
  return lent.bytes;
}

/** The payload of each member: the second codec's, or the first's if the second did not make it shorter. */
function collect(
  { group, first, last, firstPlaces, lastPlaces }: RecordedGroup,
  options: CodecOptions,
  read: GroupCall['read'],
): (Encoded | undefined)[] {
  const { codec, second, members, voxelBytes } = group;
  const [ofFirst, ofLast] = [firstPlaces(), lastPlaces()];
  return members.map(({ chosen }, i): Encoded | undefined => {
    const most = voxelBytes[i] as number;
    const firstLength = ofFirst.lengthOf(i);
    const byteLength = ofLast.lengthOf(i);
    if (second && byteLength > 0 && byteLength < most) {
      const { parameters } = payloadChunk(second, firstLength, options);
      const place = { buffer: last.buffer, byteOffset: ofLast.offsetOf(i), byteLength };
      return {
        ...place,
        stages: [chosen, { codec: second, parameters }],
        firstLength,
        checksum: read ? ofLast.checksumOf(i) : undefined,
      };
    }
    if (firstLength === 0 || (firstLength >= most && codec !== rawCodec)) return undefined;
    const checksum = read === 'later' || (read && !second) ? ofFirst.checksumOf(i) : undefined;
    return { buffer: first.buffer, byteOffset: ofFirst.offsetOf(i), byteLength: firstLength, stages: [chosen], checksum };
  });
}

/** Levels of a sparse volume compress much less than the volume. */
function nameOf({ codec, second }: ChainGroup, { inUse }: CodecOptions): string {
  const name = second ? `${codec.name}+${second.name}` : codec.name;
  return inUse ? `${name} of levels` : name;
}
