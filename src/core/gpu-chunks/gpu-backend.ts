import type { Backend, BackendJob, BoxHalving, EncodeChoice, ResidentBox } from '../chunks/backend.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { throwIfAborted } from '../shared/job.ts';
import type { Dims3 } from '../shared/volume.ts';
import { checkCount, checkPlaces, inBatches } from './box-batches.ts';
import { piecesOf, standardPieceBytes } from './box-pieces.ts';
import { type BatchSize, FittingBatches } from './fitting-batches.ts';
import { compareOnGpu } from './gpu-chunks.ts';
import { GpuDecoder } from './gpu-decoder.ts';
import { GpuEncoder } from './gpu-encoder.ts';
import { halveOnGpu, holdOnGpu } from './gpu-halve.ts';
import { borrow, GpuReceiver } from './gpu-receiver.ts';
import { hasPaddedRows, plainBoxBytes, rowKernel } from './gpu-rows.ts';
import { GpuSender } from './gpu-sender.ts';
import { clearedBox, downloadBox, plainVoxels, reusedStack, uploadBox } from './gpu-transfer.ts';
import { guardedAtOnce } from './guarded.ts';
import { KeptChunks } from './kept-chunks.ts';
import { likelyCodecs } from './likely-codecs.ts';
import { movePlaced, type PlacedChunk } from './placed-chunk.ts';

/** Bytes of a piece that the CPU reads. Two are written and one is copied at a time, and the next two boxes have one ready each. */
const sentBytes = 2 ** 23;

/** A backend on a GPU, which can also process voxels that are already in GPU memory. */
export interface GpuBackend extends Backend {
  /** Encodes the chunks of a box in place. The bytes equal those from `encode`. */
  encodeResident(box: ResidentBox, choice: EncodeChoice, job?: BackendJob): Promise<{ chunks: EncodedChunk[] }>;
  /** As `encodeResident`, but the payloads stay in GPU memory. The caller releases them. */
  encodeKept(box: ResidentBox, choice: EncodeChoice, job?: BackendJob): Promise<KeptChunks>;
  /** Begins to compile what `checkKept` will probably need. Never rejects. @param shapes of some chunks */
  prepareCheck(shapes: readonly Dims3[], elementBytes: CodecElementBytes, choice: EncodeChoice): Promise<void>;
  /** Decodes into scratch memory and compares with the resident voxels, all on the GPU. 0 if every bit is equal. */
  checkKept(box: ResidentBox, kept: KeptChunks, job?: BackendJob): Promise<{ differingWords: number }>;
  /**
   * Decodes directly into a resident box (whose row padding is zero), and verifies each chunk's payload and checksum on the
   * GPU. @throws StriaError `corrupt`, in the context of `chunk N`
   */
  decodeResident(chunks: readonly EncodedChunk[], box: ResidentBox, job?: BackendJob): Promise<void>;
}

/**
 * @param gpu still belongs to the caller: `destroy` leaves it alive
 * @param pieceBytes of pieces in which boxes come and go, a multiple of 8
 */
export function createGpuBackend(gpu: Gpu, pieceBytes = standardPieceBytes): GpuBackend {
  // How many bytes one call of a codec handles. On software GPUs large batches gain nothing and delay an abort.
  const maxBoxBytes = Math.min(gpu.isSoftware ? 2 ** 22 : 2 ** 26, Math.floor(gpu.maxBindingBytes / 4));
  // On a software GPU a second box would only take cores from the first.
  const boxesAtOnce = gpu.isSoftware ? 1 : 2;
  // Work that leaves its result on the GPU gains nothing from batches that overlap, and each batch costs this thread about 2 ms.
  const oneBatch = ({ bytes, atOnce }: BatchSize) => Math.min(bytes * atOnce, Math.floor(gpu.maxBindingBytes / 4));
  const decoder = new GpuDecoder(gpu);
  const encoder = new GpuEncoder(gpu);
  const batches = new FittingBatches(gpu, { bytes: maxBoxBytes, atOnce: boxesAtOnce });

  /**
   * Runs work that decodes in batches that fit. Damage is told once the work has succeeded, because chunks also seem to be damaged if
   * memory was refused.
   */
  const decodeFitting = async <T>(job: BackendJob, work: (job: BackendJob, batchBytes: number) => Promise<T>): Promise<T> => {
    let damage: Parameters<NonNullable<BackendJob['onDamage']>>[] = [];
    const done = await batches.run(({ bytes }) => {
      damage = [];
      return work({ ...job, onDamage: job.onDamage && ((...found) => void damage.push(found)) }, bytes);
    });
    for (const found of damage) job.onDamage?.(...found);
    return done;
  };

  const decodeAll = async (
    chunks: readonly EncodedChunk[],
    box: ResidentBox,
    job: BackendJob,
    batchBytes: number,
    checksPayloads = false,
  ) => {
    checkCount(chunks, box.chunks);
    await inBatches(box, batchBytes, 'Decompressing', job, (batch, first) => {
      const inBatch = chunks.slice(first, first + batch.chunks.length);
      return decoder.decodeChecked(batch, inBatch, job, (job.firstChunk ?? 0) + first, checksPayloads);
    });
  };

  /** @param hold takes the memory of payloads that are lent */
  const encodeBatches = async (
    box: ResidentBox,
    choice: EncodeChoice,
    job: BackendJob,
    { bytes, atOnce }: BatchSize,
    hold: (release: () => void) => void,
  ): Promise<EncodedChunk[]> => {
    const chunks = new Array<EncodedChunk>(box.chunks.length);
    const work = async (batch: ResidentBox, first: number) => {
      using scope = gpu.scope('encode');
      const call = { scope, signal: job.signal, onTimes: job.onTimes };
      const { chunks: encoded, lent } = await encoder.encode(batch, choice, call, job.lend ? 'lent' : 'own', job.onSpan);
      for (const { release } of lent) hold(release);
      for (let at = 0; at < encoded.length; at++) chunks[first + at] = encoded[at] as EncodedChunk;
    };
    // The bench times kernels one batch after the other.
    await inBatches(box, bytes, 'Compressing', job, work, gpu.beforeTimed ? 1 : atOnce);
    return chunks;
  };

  /** Encodes a box, and halves it if the job asks for that. @param scope owns memory for halving */
  const encodeAll = async (
    box: ResidentBox,
    choice: EncodeChoice,
    job: BackendJob,
    halving?: BoxHalving,
    scope?: GpuScope,
  ): Promise<EncodedChunk[]> => {
    const done = await batches.run(async (size, hold) => {
      const lent: (() => void)[] = [];
      const lend = (release: () => void) => {
        lent.push(release);
        hold(release);
      };
      const call = scope && { scope, signal: job.signal, onTimes: job.onTimes };
      const halved = halving && call ? halveOnGpu(gpu, box.voxels, halving, call) : undefined;
      // Both must have ended when the scope is destroyed.
      const [halves, chunks] = await Promise.allSettled([halved, encodeBatches(box, choice, job, size, lend)]);
      if (halves.status === 'fulfilled' && halves.value) hold(halves.value.release);
      if (chunks.status === 'rejected') throw chunks.reason;
      if (halves.status === 'rejected') throw halves.reason;
      return { chunks: chunks.value, lent, halves: halves.value };
    });
    for (const release of done.lent) job.lend?.(release);
    if (halving && !halving.into && done.halves) {
      const { results, release } = done.halves;
      if (job.lend) halving.onHalved(results, release);
      else {
        halving.onHalved(results.map((bytes) => bytes.slice()));
        release();
      }
    }
    return done.chunks;
  };

  const backend: GpuBackend = {
    device: { kind: 'gpu', name: gpu.name, software: gpu.isSoftware },
    maxBoxBytes,
    boxesAtOnce,
    // Means of floats are sums of 64 bits, which WGSL lacks.
    halves: (type) => !type.startsWith('f'),
    maxHeldBytes: Math.min(2 ** 27, gpu.maxBindingBytes),

    async hold(box) {
      const { scope, voxels } = await holdOnGpu(gpu, box);
      return {
        ...box,
        voxels,
        encode: async (chunks, choice, job) => (await backend.encodeResident({ voxels, chunks }, choice, job)).chunks,
        release: () => scope.destroy(),
      };
    },

    prepareEncode: (shapes, elementBytes, choice) => encoder.prepare(shapes, elementBytes, choice),

    prepareDecode: (chunks, boxes, box) => decoder.prepare(chunks, boxes, box),

    borrowBytes: (byteLength) => borrow(gpu, byteLength),

    async receive(box) {
      const receiver = await GpuReceiver.open(gpu, box);
      const pieces = piecesOf(plainBoxBytes(box), pieceBytes);
      return {
        ...box,
        fill: (fill) => receiver.fill(pieces, fill),
        async encode(chunks, choice, job = {}) {
          checkPlaces(chunks, box.elementBytes);
          for (const upload of receiver.uploads) job.onSpan?.('upload', ...upload);
          return encodeAll({ voxels: receiver.voxels, chunks }, choice, job, job.halving, receiver.scope);
        },
        release: () => receiver.scope.destroy(),
      };
    },

    async encode(box, chunks, choice, job = {}) {
      checkPlaces(chunks, box.elementBytes);
      throwIfAborted(job.signal);
      using scope = gpu.scope('upload');
      const start = performance.now();
      const { byteLength } = box.bytes;
      let end = start;
      const voxels = await guardedAtOnce(gpu, async () => {
        const uploaded = uploadBox(gpu, scope, box);
        end = performance.now();
        return uploaded;
      });
      job.onSpan?.('upload', start, end, byteLength);
      return await encodeAll({ voxels, chunks }, choice, job, job.halving, scope);
    },

    async decode(chunks, boxes, box, job = {}) {
      checkPlaces(boxes, box.elementBytes);
      throwIfAborted(job.signal);
      using scope = gpu.scope('download');
      // Smaller batches do not help if the box itself does not fit.
      const voxels = await guardedAtOnce(gpu, async () => clearedBox(gpu, scope, box));
      await decodeFitting(job, async (job, batchBytes) => {
        await decodeAll(chunks, { voxels, chunks: boxes }, job, batchBytes);
        const start = performance.now();
        await downloadBox(gpu, voxels, box.bytes);
        job.onSpan?.('readback', start, performance.now(), box.bytes.byteLength);
      });
    },

    async check(chunks, boxes, box, job = {}) {
      checkPlaces(boxes, box.elementBytes);
      throwIfAborted(job.signal);
      using scope = gpu.scope('check');
      const voxels = await guardedAtOnce(gpu, async () => clearedBox(gpu, scope, box));
      await decodeFitting(job, (job, batchBytes) => decodeAll(chunks, { voxels, chunks: boxes }, job, batchBytes, true));
    },

    async decodeLent(chunks, boxes, box, job = {}) {
      checkPlaces(boxes, box.elementBytes);
      throwIfAborted(job.signal);
      const scope = gpu.scope('download');
      try {
        if (hasPaddedRows(box)) void gpu.prepareKernels([rowKernel]);
        const voxels = await guardedAtOnce(gpu, async () => clearedBox(gpu, scope, box));
        await decodeFitting(job, (job, batchBytes) => decodeAll(chunks, { voxels, chunks: boxes }, job, batchBytes, true));
        const plain = await guardedAtOnce(gpu, async () => plainVoxels(gpu, scope, voxels));
        const sender = new GpuSender(
          gpu,
          scope,
          plain,
          piecesOf(plainBoxBytes(box), Math.min(pieceBytes, sentBytes)),
          job.onSpan,
        );
        await sender.begin();
        return sender;
      } catch (error) {
        scope.destroy();
        throw error;
      }
    },

    encodeResident: async (box, choice, job = {}) => ({ chunks: await encodeAll(box, choice, job) }),

    encodeKept: (box, choice, job = {}) =>
      batches.run(async (size, hold) => {
        const owner = gpu.scope('result');
        hold(() => owner.destroy());
        const chunks = new Array<PlacedChunk>(box.chunks.length);
        const work = async (batch: ResidentBox, first: number) => {
          using scope = gpu.scope('encode');
          const call = { scope, signal: job.signal, onTimes: job.onTimes };
          const placed = await encoder.encodeInPlace(batch, choice, call, 'later', job.onSpan);
          const moved = movePlaced(gpu, placed, (byteLength) => owner.reused('payloads', byteLength));
          for (let at = 0; at < moved.length; at++) chunks[first + at] = moved[at] as PlacedChunk;
        };
        await inBatches(box, oneBatch(size), 'Compressing', job, work);
        return new KeptChunks(gpu, owner, chunks);
      }),

    prepareCheck: (...likely) => decoder.preparePlaced(likelyCodecs(...likely)),

    checkKept: (box, { placed }, job = {}) =>
      batches.run(async (size) => {
        checkCount(placed, box.chunks);
        let differingWords = 0;
        await inBatches(box, oneBatch(size), 'Checking', job, async (batch, first) => {
          using scope = gpu.scope('check');
          const shapes = batch.chunks.map(({ shape }) => shape);
          const decoded = reusedStack(gpu, scope, shapes, box.voxels.elementBytes);
          const call = { scope, signal: job.signal, onTimes: job.onTimes };
          await decoder.decodePlaced(decoded, placed.slice(first, first + shapes.length), call);
          differingWords += (await compareOnGpu(gpu, batch, decoded, call)).differingWords;
        });
        return { differingWords };
      }),

    decodeResident: (chunks, box, job = {}) => decodeFitting(job, (job, batchBytes) => decodeAll(chunks, box, job, batchBytes)),

    async destroy() {
      batches.reset();
      gpu.spare.free();
    },
  };
  return backend;
}
