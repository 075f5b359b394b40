import type { CodecKernels, GpuChunk, GpuPayloads, GpuVoxels } from '../codec/codec.ts';
import { decodeChunks } from '../codec/decode-chunks.ts';
import { createKernels } from '../codecs/kernels.ts';
import { codecs } from '../codecs/registry.ts';
import { ChunkGrid } from '../format/chunk-grid.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { TuningName } from '../gpu/tuning.ts';
import { openSample } from '../samples/sample.ts';
import { StriaError } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { ViewStage } from './view.ts';

type OnTimes = NonNullable<Commands['onTimes']>;

/** Work whose time depends on a choice: the stages that are timed, and how to run it once. */
export interface Trial {
  readonly stages: readonly string[];
  run(onTimes: OnTimes): Promise<void>;
}

export interface Trials extends Disposable {
  readonly of: Readonly<Record<TuningName, Trial>>;
}

/** How often a small phantom is repeated along each axis: generating a large one would take longer than everything else. */
const copies = 4;
const copiesInView = 2;
/** The high bits of a byte. Without the low bits, voxels form runs. */
const coarse = 0xe0;
/** The size of the picture in pixels, for volumes of at least `size`. */
const picture = { width: 960, height: 540, size: 256 };

/**
 * Prepares the test data, a noisy phantom, and the payloads to decode. `scope` owns everything except the volume of the 3D view,
 * which belongs to the result. @param size side of the volume, in voxels
 */
export async function prepareTrials(gpu: Gpu, scope: GpuScope, size: number, signal: AbortSignal | undefined): Promise<Trials> {
  const side = Math.max(4, Math.ceil(size / copies / 4) * 4);
  const sample = openSample({ kind: 'phantom', dims: [side, side, side], type: 'u8', seed: 1 });
  const viewSide = copiesInView * side;
  const volume = await ResidentVolume.create(
    gpu,
    { ...sample.info, dims: [viewSide, viewSide, viewSide, 1] },
    { chunkShape: [64, 64, 64] },
  );
  try {
    const small = new Uint8Array(side ** 3);
    let filled = 0;
    for await (const piece of sample.voxels({ signal })) {
      small.set(piece, filled);
      filled += piece.byteLength;
    }
    volume.append(repeated(small, side, copiesInView));
    const dims: Dims3 = [copies * side, copies * side, copies * side];
    const upload = (label: string, cube: Uint8Array<ArrayBuffer>): GpuVoxels => {
      const bytes = repeated(cube, side, copies);
      return { buffer: scope.storage(label, bytes.byteLength, bytes), dims, elementBytes: 1 };
    };
    const noisy = upload('noisy', small);
    const coarser = small.map((value) => value & coarse);
    const steps = upload('steps', coarser);
    const target = { ...noisy, buffer: scope.storage('target', noisy.buffer.size) };

    const parle = await codecTrial(gpu, scope, 'parle', steps, target);
    const rice = await codecTrial(gpu, scope, 'rice', noisy, target);
    const huffman = await codecTrial(gpu, scope, 'huffman', noisy, target);
    const { window } = await volume.statistics();
    const part = Math.min(1, size / picture.size);
    const target3d = { width: Math.ceil(part * picture.width), height: Math.ceil(part * picture.height) };
    const stage = new ViewStage(gpu, scope, await volume.displayTexture(0), window, target3d);
    const trials: Trials['of'] = {
      'rice.decode': { stages: ['decode'], run: rice.decode },
      'huffman.gather': { stages: ['gather'], run: huffman.encode },
      'parle.expand': { stages: ['decode'], run: parle.decode },
      'view.rays': { stages: ['draw'], run: (onTimes) => stage.draw('composite', 0.1, onTimes) },
    };
    return { of: trials, [Symbol.dispose]: () => volume.destroy() };
  } catch (error) {
    volume.destroy();
    throw error;
  }
}

/** A cube's voxels, repeated this many times along each axis. */
function repeated(small: Uint8Array<ArrayBuffer>, side: number, times: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(small.length * times ** 3);
  let at = 0;
  for (let z = 0; z < times * side; z++) {
    for (let y = 0; y < times * side; y++) {
      const first = ((z % side) * side + (y % side)) * side;
      const row = small.subarray(first, first + side);
      for (let copy = 0; copy < times; copy++, at += side) whole.set(row, at);
    }
  }
  return whole;
}

/** A codec's encoder and decoder on the same voxels, chunk by chunk, along z if it has axes. */
async function codecTrial(gpu: Gpu, scope: GpuScope, name: string, voxels: GpuVoxels, target: GpuVoxels) {
  const codec = codecs.find((known) => known.name === name);
  if (!codec) throw new StriaError('internal', `there is no codec ${name} to tune`);
  const kernels: CodecKernels = createKernels(codec, gpu);
  const grid = new ChunkGrid([...voxels.dims, 1], [64, 64, 64]);
  const chunks = Array.from({ length: grid.count }, (_, number): GpuChunk => {
    const { origin, shape } = grid.box(number);
    const parameters = codec.choose({ changes: [1, 1, 1] }, { shape, elementBytes: voxels.elementBytes }, { axis: 'z' });
    return { origin, shape, parameters };
  });
  const payloads = await kernels.encode(voxels, chunks, { scope });
  const written = chunks.map((_, index) => index).filter((index) => (payloads.byteLengths[index] as number) > 0);
  const pick = (of: readonly number[]): number[] => written.map((index) => of[index] as number);
  const there: GpuPayloads = {
    buffer: payloads.buffer,
    byteOffsets: pick(payloads.byteOffsets),
    byteLengths: pick(payloads.byteLengths),
  };
  const decoded = written.map((index) => chunks[index] as GpuChunk);
  return {
    async encode(onTimes: OnTimes): Promise<void> {
      using work = gpu.scope('tune.encode');
      await kernels.encode(voxels, chunks, { scope: work, onTimes });
    },
    async decode(onTimes: OnTimes): Promise<void> {
      using work = gpu.scope('tune.decode');
      await decodeChunks(gpu, 'tune.decode', kernels, there, decoded, target, { scope: work, onTimes });
    },
  };
}
