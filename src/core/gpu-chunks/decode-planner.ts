import type { ChunkBox } from '../chunks/backend.ts';
import type { DecodedBy } from '../chunks/chosen-codec.ts';
import type { Ramp } from '../chunks/ramp.ts';
import { placePayloads } from '../codec/batch.ts';
import type {
  ChunkGeometry,
  CodecDefinition,
  CodecElementBytes,
  CodecKernels,
  CodecParameters,
  DecodePlan,
  GpuChunk,
  GpuVoxels,
  PreparedChunk,
  RangePlan,
} from '../codec/codec.ts';
import { createKernels } from '../codecs/kernels.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { chunkName } from '../shared/chunk-name.ts';
import { inContext } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { FaultFlags } from './fault-flags.ts';
import { prepareFill } from './gpu-chunks.ts';

/** A chunk in GPU memory: its payload, or its ramp (without steps, a constant chunk). */
export type StoredChunk =
  | { readonly kind: 'ramp'; readonly ramp: Ramp }
  | {
      readonly kind: 'coded';
      readonly codec: CodecDefinition;
      readonly parameters: CodecParameters;
      /** The codec that encoded the first codec's payload, which had `decodedLength` bytes before that. */
      readonly second?: DecodedBy['second'];
      /** Usage STORAGE. */
      readonly buffer: GPUBuffer;
      /** A multiple of 4. */
      readonly byteOffset: number;
      readonly byteLength: number;
    };

/** A stored chunk and its place in the box into which it is decoded. */
export interface PlannedChunk extends ChunkBox {
  readonly stored: StoredChunk;
  /** The chunk's number in `FaultFlags`. */
  readonly number: number;
}

/** Plans the decoding of chunks of several codecs into one box. */
export class DecodePlanner {
  readonly #gpu: Gpu;
  readonly #kernels = new Map<CodecDefinition, CodecKernels>();

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /**
   * Compiles the kernels that chunks of one codec or chain need, all at once and beside the CPU's work. `plan` compiles what is
   * missing one after the other.
   * @param checked whether the plan will have flags
   */
  async prepare(
    { codec, second }: Pick<DecodedBy, 'codec' | 'second'>,
    chunks: readonly PreparedChunk[],
    elementBytes: CodecElementBytes,
    checked: boolean,
  ): Promise<void> {
    try {
      await Promise.all([
        this.#kernelsOf(codec).prepareDecoders(elementBytes, chunks, checked),
        second && this.#kernelsOf(second.codec).prepareDecoders(1, [], checked),
      ]);
    } catch {
      // A chunk has parameters that no encoder writes. `plan` says so.
    }
  }

  /**
   * One plan for all chunks, codec by codec, because each codec decodes all of its chunks at once.
   * @param scope owns the plan's tables
   * @param workspace shared by plans that never run at the same time; by default the plan has its own
   * @param flags report unsound payloads once the plan has run. If undefined, payloads are not checked
   * @throws StriaError `corrupt` for parameters and lengths that no encoder writes
   */
  plan(
    chunks: readonly PlannedChunk[],
    target: GpuVoxels,
    scope: GpuScope,
    workspace = new DecodeWorkspace(scope),
    flags?: FaultFlags,
  ): DecodePlan {
    const filled: ChunkBox[] = [];
    const ramps: Ramp[] = [];
    const plans: DecodePlan[] = [];
    const groups = new Map<CodecDefinition, Map<GPUBuffer, Group>>();
    for (const { origin, shape, stored, number } of this.#unchain(chunks, plans, scope, workspace, flags)) {
      if (stored.kind === 'ramp') {
        filled.push({ origin, shape });
        ramps.push(stored.ramp);
        continue;
      }
      const { codec, buffer, parameters, byteOffset, byteLength } = stored;
      const byBuffer = groups.get(codec) ?? new Map<GPUBuffer, Group>();
      groups.set(codec, byBuffer);
      const group = byBuffer.get(buffer) ?? { chunks: [], numbers: [], byteOffsets: [], byteLengths: [] };
      byBuffer.set(buffer, group);
      group.chunks.push({ origin, shape, parameters });
      group.numbers.push(number);
      group.byteOffsets.push(byteOffset);
      group.byteLengths.push(byteLength);
    }
    if (ramps.length > 0) plans.push(prepareFill(this.#gpu, { voxels: target, chunks: filled }, ramps, scope));
    for (const [codec, byBuffer] of groups) {
      const kernels = this.#kernelsOf(codec);
      for (const [buffer, { chunks: members, numbers, byteOffsets, byteLengths }] of byBuffer) {
        const faults = flags?.buffer(numbers);
        const payloads = { buffer, byteOffsets, byteLengths };
        const scratch = (bytes: number) => workspace.scratch(bytes);
        plans.push(kernels.prepareDecode(payloads, members, target, scope, faults, scratch));
      }
    }
    return (commands) => {
      for (const plan of plans) plan(commands);
    };
  }

  /**
   * As `plan`, for chunks whose `number` is their number in the volume.
   * @throws StriaError `corrupt` as `plan`, in the context of `chunk N`
   */
  planNamed(...planning: Parameters<DecodePlanner['plan']>): DecodePlan {
    const [chunks, target, scope] = planning;
    try {
      return this.plan(...planning);
    } catch (error) {
      for (const chunk of chunks) {
        using trial = scope.scope('trial');
        try {
          this.plan([chunk], target, trial);
        } catch (own) {
          throw inContext(chunkName(chunk.number), own);
        }
      }
      throw error;
    }
  }

  /**
   * A plan for single elements of a chunk, if its codec can decode less than the whole chunk for them; otherwise undefined.
   * @param elements their positions in the chunk
   * @param scope owns the plan's tables and its result
   * @throws StriaError `corrupt` for parameters and lengths that no encoder writes
   */
  planElements(stored: StoredChunk, chunk: ChunkGeometry, elements: readonly Dims3[], scope: GpuScope): RangePlan | undefined {
    if (stored.kind === 'ramp' || stored.second) return undefined;
    const { codec, parameters, buffer, byteOffset, byteLength } = stored;
    const order = codec.scanOrder?.(chunk, parameters);
    const kernels = this.#kernelsOf(codec);
    if (!order || !kernels.prepareDecodeRanges) return undefined;
    const { shape, elementBytes } = chunk;
    const ranges = elements.map(([x, y, z]) => {
      return { payload: 0, shape, parameters, first: x * order.xStep + y * order.yStep + z * order.zStep, count: 1 };
    });
    const payload = { buffer, byteOffsets: [byteOffset], byteLengths: [byteLength] };
    return kernels.prepareDecodeRanges(payload, ranges, elementBytes, scope);
  }

  /**
   * Adds plans for the second codecs of chains, which decode the first codecs' payloads into the workspace. Returns the chunks
   * as they are after these plans have run.
   */
  #unchain(
    chunks: readonly PlannedChunk[],
    plans: DecodePlan[],
    scope: GpuScope,
    workspace: DecodeWorkspace,
    flags: FaultFlags | undefined,
  ): PlannedChunk[] {
    const chains = new Map<CodecDefinition, { index: number; stored: ChainedChunk }[]>();
    chunks.forEach(({ stored }, index) => {
      if (stored.kind === 'ramp' || !stored.second) return;
      const members = chains.get(stored.second.codec) ?? [];
      members.push({ index, stored: { ...stored, second: stored.second } });
      chains.set(stored.second.codec, members);
    });
    const unchained = [...chunks];
    for (const [slot, members] of [...chains.values()].entries()) {
      const { byteOffsets, totalBytes } = placePayloads(members.map(({ stored }) => stored.second.decodedLength));
      const buffer = workspace.take(slot, totalBytes);
      const box: GpuVoxels = { buffer, dims: [buffer.size, 1, 1], elementBytes: 1 };
      const payloads = members.map(({ index, stored: { codec, parameters, second, ...place } }, i): PlannedChunk => {
        const byteOffset = byteOffsets[i] as number;
        const first = { kind: 'coded', codec, parameters, buffer, byteOffset, byteLength: second.decodedLength } as const;
        const chained = chunks[index] as PlannedChunk;
        unchained[index] = { ...chained, stored: first };
        const stored = { ...place, codec: second.codec, parameters: second.parameters };
        return { origin: [byteOffset, 0, 0], shape: [second.decodedLength, 1, 1], stored, number: chained.number };
      });
      plans.push(this.plan(payloads, box, scope, workspace, flags));
    }
    return unchained;
  }

  #kernelsOf(codec: CodecDefinition): CodecKernels {
    const known = this.#kernels.get(codec);
    if (known) return known;
    const made = createKernels(codec, this.#gpu);
    this.#kernels.set(codec, made);
    return made;
  }
}

/** Buffers for the payloads of first codecs and for codecs' scratch while plans run. Plans that share them must run one after another. */
export class DecodeWorkspace {
  readonly #scope: GpuScope;
  readonly #mostBytes: number;
  readonly #slots: GPUBuffer[][] = [];
  readonly #scratch: GPUBuffer[] = [];

  /** @param mostBytes up to which buffers may be larger than requested, for later requests. By default they never are */
  constructor(scope: GpuScope, mostBytes = 0) {
    this.#scope = scope;
    this.#mostBytes = mostBytes;
  }

  /** A buffer of at least this many bytes; each slot has its own. */
  take(slot: number, bytes: number): GPUBuffer {
    this.#slots[slot] ??= [];
    return this.#take(this.#slots[slot], 'first-payloads', bytes);
  }

  /** A buffer of at least this many bytes, in which each codec's plan may leave anything. */
  scratch(bytes: number): GPUBuffer {
    return this.#take(this.#scratch, 'symbols', bytes);
  }

  #take(buffers: GPUBuffer[], label: string, bytes: number): GPUBuffer {
    const known = buffers.find(({ size }) => size >= bytes);
    if (known) return known;
    // Slightly more than requested, because the next request may be slightly larger.
    const made = this.#scope.storage(label, Math.max(bytes, Math.min(Math.ceil(bytes * 1.25), this.#mostBytes)));
    buffers.push(made);
    return made;
  }
}

type ChainedChunk = Extract<StoredChunk, { kind: 'coded' }> & { readonly second: NonNullable<DecodedBy['second']> };

interface Group {
  readonly chunks: GpuChunk[];
  readonly numbers: number[];
  readonly byteOffsets: number[];
  readonly byteLengths: number[];
}
