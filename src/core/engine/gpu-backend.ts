import type { CodecDefinition, CodecKernels, GpuChunk, GpuVoxels, KernelCall } from '../codecs/codec.ts';
import type { Checksum } from '../format/checksum.ts';
import { sameChecksum } from '../format/checksum.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { CommandTimes } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';
import { throwIfAborted } from '../shared/job.ts';
import { chunkBytes } from './analyze.ts';
import type { Backend, BackendJob, ChunkBox, EncodeChoice, ResidentBox } from './backend.ts';
import {
  type ChosenCodec,
  chooseCodec,
  codecOfChunk,
  codedChunk,
  constantElement,
  isConstant,
  mismatch,
  rawCodec,
  reportDamage,
} from './choose.ts';
import { analyzeOnGpu, compareOnGpu, fillOnGpu, paddedBoxBytes, stackedBox } from './gpu-chunks.ts';
import { downloadBox, emptyBox, guarded, uploadBox } from './gpu-transfer.ts';

/** A backend on a GPU, which can also work on voxels that are in GPU memory already. */
export interface GpuBackend extends Backend {
  /** Encodes the chunks of a box where it lies. The bytes are those that `encode` gives. */
  encodeResident(box: ResidentBox, choice: EncodeChoice, job?: BackendJob): Promise<{ chunks: EncodedChunk[] }>;
  /** Decodes into scratch memory and compares with the resident voxels, all on the GPU. 0: every bit is the same. */
  checkResident(box: ResidentBox, chunks: readonly EncodedChunk[], job?: BackendJob): Promise<{ differingWords: number }>;
  /**
   * Decodes straight into a resident box (whose row padding is zero), each chunk's checksum verified on the GPU.
   * @throws StriaError `corrupt`, in the context of `chunk N`
   */
  decodeResident(chunks: readonly EncodedChunk[], box: ResidentBox, job?: BackendJob): Promise<void>;
}

/** @param gpu stays the caller's: `destroy` leaves it alive */
export function createGpuBackend(gpu: Gpu): GpuBackend {
  // What goes through one call of a codec. On software GPUs large batches win nothing, and answer late to an abort.
  const maxBoxBytes = Math.min(gpu.isSoftware ? 2 ** 22 : 2 ** 26, Math.floor(gpu.maxBindingBytes / 4));
  const kernelsByCodec = new Map<CodecDefinition, CodecKernels>();
  const kernelsOf = (codec: CodecDefinition): CodecKernels => {
    const known = kernelsByCodec.get(codec);
    if (known) return known;
    const made = codec.createKernels(gpu);
    kernelsByCodec.set(codec, made);
    return made;
  };

  /** Encodes chunks with one codec. Undefined: this chunk would not be smaller than its voxels. */
  const encodeWith = async (codec: CodecDefinition, voxels: GpuVoxels, chunks: readonly GpuChunk[], call: KernelCall) => {
    using scope = call.scope.scope('payloads');
    const payloads = await kernelsOf(codec).encode(voxels, chunks, labelled({ ...call, scope }, `${codec.name}.encode`));
    const { buffer, byteOffsets, byteLengths } = payloads;
    const ends = byteOffsets.map((offset, index) => offset + (byteLengths[index] as number));
    const bytes = buffer ? await gpu.read(buffer, 0, Math.max(...ends)) : new Uint8Array(0);
    return ends.map((end, index) => (byteLengths[index] === 0 ? undefined : bytes.subarray(byteOffsets[index], end)));
  };

  const encodeBatch = async (box: ResidentBox, choice: EncodeChoice, call: KernelCall): Promise<EncodedChunk[]> => {
    const { voxels, chunks } = box;
    const analyses = await analyzeOnGpu(gpu, box, call);
    const encoded = new Array<EncodedChunk>(chunks.length);
    const byCodec = new Map<CodecDefinition, { index: number; chosen: ChosenCodec }[]>();
    const add = (index: number, chosen: ChosenCodec) => {
      const members = byCodec.get(chosen.codec);
      if (members) members.push({ index, chosen });
      else byCodec.set(chosen.codec, [{ index, chosen }]);
    };
    const geometryOf = (index: number) => ({ ...(chunks[index] as ChunkBox), elementBytes: voxels.elementBytes });
    analyses.forEach((analysis, index) => {
      const { firstElement: element, checksum: decodedChecksum } = analysis;
      if (isConstant(analysis)) encoded[index] = { kind: 'constant', element, decodedChecksum };
      else add(index, chooseCodec(analysis, geometryOf(index), choice));
    });
    // Raw comes last: it takes what the others did not make smaller.
    for (const codec of [...byCodec.keys()].filter((one) => one !== rawCodec).concat(rawCodec)) {
      const members = byCodec.get(codec) ?? [];
      if (members.length === 0) continue;
      throwIfAborted(call.signal);
      const places = members.map(({ index, chosen }) => ({ ...(chunks[index] as ChunkBox), parameters: chosen.parameters }));
      const payloads = await encodeWith(codec, voxels, places, call);
      members.forEach(({ index, chosen }, at) => {
        const payload = payloads[at];
        const analysis = analyses[index] as (typeof analyses)[number];
        if (payload) encoded[index] = codedChunk(chosen, payload, analysis.checksum);
        else if (codec === rawCodec) throw new StriaError('internal', 'the raw codec gave no bytes');
        else add(index, { codec: rawCodec, parameters: rawCodec.choose(analysis, geometryOf(index), choice.options) });
      });
    }
    return encoded;
  };

  /** Decodes chunks of one codec. A fault is that of a chunk: it is sought one by one. */
  const decodeWith = async (codec: CodecDefinition, members: readonly DecodeMember[], target: GpuVoxels, work: DecodeWork) => {
    try {
      using scope = work.call.scope.scope('payloads');
      const { bytes, byteOffsets, byteLengths } = joinPayloads(members.map(({ payload }) => payload));
      const buffer = scope.storage('payloads', bytes.byteLength, bytes);
      const call = labelled({ ...work.call, scope }, `${codec.name}.decode`);
      await kernelsOf(codec).decode({ buffer, byteOffsets, byteLengths }, members, target, call);
    } catch (error) {
      if (!(error instanceof StriaError) || error.tag !== 'corrupt') throw error;
      const [first, second] = members;
      if (second) for (const member of members) await decodeWith(codec, [member], target, work);
      else if (first) work.damaged(first.index, error);
    }
  };

  const decodeBatch = async ({ voxels, chunks: places }: ResidentBox, chunks: readonly EncodedChunk[], work: DecodeWork) => {
    const byCodec = new Map<CodecDefinition, DecodeMember[]>();
    const constants: { place: ChunkBox; element: Uint8Array }[] = [];
    places.forEach((place, index) => {
      const chunk = chunks[index] as EncodedChunk;
      const geometry = { shape: place.shape, elementBytes: voxels.elementBytes };
      try {
        if (chunk.kind === 'constant') {
          constants.push({ place, element: constantElement(chunk, geometry) });
          return;
        }
        const { codec, parameters } = codecOfChunk(chunk, geometry);
        const members = byCodec.get(codec) ?? [];
        members.push({ ...place, parameters, payload: chunk.payload, index });
        byCodec.set(codec, members);
      } catch (error) {
        work.damaged(index, error);
      }
    });
    const filled = { voxels, chunks: constants.map(({ place }) => place) };
    await fillOnGpu(
      gpu,
      filled,
      constants.map(({ element }) => element),
      work.call,
    );
    for (const [codec, members] of byCodec) {
      throwIfAborted(work.call.signal);
      await decodeWith(codec, members, voxels, work);
    }
  };

  const decodeChecked = async (box: ResidentBox, chunks: readonly EncodedChunk[], job: BackendJob, firstChunk: number) => {
    using scope = gpu.scope('decode');
    const damaged = new Set<number>();
    const damage = (index: number, error: unknown) => {
      damaged.add(index);
      reportDamage(firstChunk + index, error, job.onDamage);
    };
    const call = { scope, signal: job.signal, onTimes: job.onTimes };
    await decodeBatch(box, chunks, { call, damaged: damage });
    const analyses = await analyzeOnGpu(gpu, box, call);
    analyses.forEach(({ checksum }, index) => {
      const promised: Checksum = (chunks[index] as EncodedChunk).decodedChecksum;
      if (!damaged.has(index) && !sameChecksum(checksum, promised)) damage(index, mismatch());
    });
  };

  const backend: GpuBackend = {
    device: { kind: 'gpu', name: gpu.name, software: gpu.isSoftware },
    maxBoxBytes,

    async encode(box, chunks, choice, job = {}) {
      checkPlaces(chunks, box.elementBytes);
      return guarded(gpu, async () => {
        throwIfAborted(job.signal);
        using scope = gpu.scope('upload');
        const voxels = uploadBox(gpu, scope, box);
        return (await backend.encodeResident({ voxels, chunks }, choice, job)).chunks;
      });
    },

    async decode(chunks, boxes, box, job = {}) {
      checkPlaces(boxes, box.elementBytes);
      await guarded(gpu, async () => {
        throwIfAborted(job.signal);
        using scope = gpu.scope('download');
        const voxels = emptyBox(scope, box.dims, box.elementBytes);
        await backend.decodeResident(chunks, { voxels, chunks: boxes }, job);
        await downloadBox(gpu, voxels, box.bytes);
      });
    },

    encodeResident: (box, choice, job = {}) =>
      guarded(gpu, async () => {
        const chunks: EncodedChunk[] = [];
        await inBatches(box, maxBoxBytes, 'Compressing', job, async (batch) => {
          using scope = gpu.scope('encode');
          chunks.push(...(await encodeBatch(batch, choice, { scope, signal: job.signal, onTimes: job.onTimes })));
        });
        return { chunks };
      }),

    checkResident: (box, chunks, job = {}) =>
      guarded(gpu, async () => {
        checkCount(chunks, box.chunks);
        let differingWords = 0;
        await inBatches(box, maxBoxBytes, 'Checking', job, async (batch, first) => {
          using scope = gpu.scope('check');
          const shapes = batch.chunks.map(({ shape }) => shape);
          const decoded = stackedBox(scope, shapes, box.voxels.elementBytes);
          const call = { scope, signal: job.signal, onTimes: job.onTimes };
          const damaged = (index: number, error: unknown) =>
            reportDamage((job.firstChunk ?? 0) + first + index, error, job.onDamage);
          await decodeBatch(decoded, chunks.slice(first, first + shapes.length), { call, damaged });
          differingWords += (await compareOnGpu(gpu, batch, decoded, call)).differingWords;
        });
        return { differingWords };
      }),

    decodeResident: (chunks, box, job = {}) =>
      guarded(gpu, async () => {
        checkCount(chunks, box.chunks);
        await inBatches(box, maxBoxBytes, 'Decompressing', job, (batch, first) =>
          decodeChecked(batch, chunks.slice(first, first + batch.chunks.length), job, (job.firstChunk ?? 0) + first),
        );
      }),

    async destroy() {
      kernelsByCodec.clear();
    },
  };
  return backend;
}

interface DecodeMember extends GpuChunk {
  readonly payload: Uint8Array;
  /** In the batch. */
  readonly index: number;
}

interface DecodeWork {
  readonly call: KernelCall;
  readonly damaged: (index: number, error: unknown) => void;
}

/** Cuts a box's chunks into batches of at most `maxBytes` (one chunk at least), with progress and aborts between them. */
async function inBatches(
  { voxels, chunks }: ResidentBox,
  maxBytes: number,
  stage: string,
  job: BackendJob,
  work: (batch: ResidentBox, first: number) => Promise<void>,
): Promise<void> {
  const { elementBytes } = voxels;
  const total = chunks.reduce((sum, { shape }) => sum + chunkBytes({ shape, elementBytes }), 0);
  const widest: [number, number, number] = [0, 0, 0];
  for (const { shape } of chunks) for (const axis of [0, 1, 2] as const) widest[axis] = Math.max(widest[axis], shape[axis]);
  const perBatch = Math.max(1, Math.floor(maxBytes / Math.max(1, paddedBoxBytes(widest, elementBytes))));
  let done = 0;
  for (let first = 0; first < chunks.length; first += perBatch) {
    throwIfAborted(job.signal);
    const batch = chunks.slice(first, first + perBatch);
    await work({ voxels, chunks: batch }, first);
    done += batch.reduce((sum, { shape }) => sum + chunkBytes({ shape, elementBytes }), 0);
    job.onProgress?.({ stage, done, total });
  }
  throwIfAborted(job.signal);
}

/** @throws StriaError `unsupported` for chunks that the GPU's layout cannot hold: they must begin at whole words */
function checkPlaces(places: readonly ChunkBox[], elementBytes: number): void {
  const odd = places.find(({ origin }) => (origin[0] * elementBytes) % 4 !== 0);
  if (!odd) return;
  const width = `a chunk that begins ${odd.origin[0] * elementBytes} bytes into its row`;
  throw new StriaError('unsupported', `${width} cannot be put on the GPU: use the CPU (--device cpu)`);
}

/** @throws StriaError `internal` where chunks and the places for them are not as many */
function checkCount(chunks: readonly EncodedChunk[], places: readonly ChunkBox[]): void {
  if (chunks.length === places.length) return;
  throw new StriaError('internal', `${chunks.length} chunks came for ${places.length} places`);
}

/** Payloads one after the other, each at a multiple of 4 bytes. */
function joinPayloads(payloads: readonly Uint8Array[]) {
  const byteLengths = payloads.map(({ byteLength }) => byteLength);
  const byteOffsets: number[] = [];
  let total = 0;
  for (const length of byteLengths) {
    byteOffsets.push(total);
    total += Math.ceil(length / 4) * 4;
  }
  const bytes = new Uint8Array(total);
  payloads.forEach((payload, index) => {
    bytes.set(payload, byteOffsets[index]);
  });
  return { bytes, byteOffsets, byteLengths };
}

/** The call with its stages named behind `prefix`. */
function labelled(call: KernelCall, prefix: string): KernelCall {
  const { onTimes } = call;
  if (!onTimes) return call;
  const rename = ({ stages, wallMs }: CommandTimes) =>
    onTimes({ wallMs, stages: stages.map(({ label, gpuMs }) => ({ label: `${prefix}.${label}`, gpuMs })) });
  return { ...call, onTimes: rename };
}
