import { chunkShapeOf } from '../chunks/chunk-shape.ts';
import { type CodecDefinition, rowBytes } from '../codec/codec.ts';
import { codecByName } from '../codecs/registry.ts';
import { SlicePass, type SlicePlane, sliceUniform, sliceUniformBytes } from '../draw/slice-pass.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import type { ChunkShape } from '../format/chunk-grid.ts';
import type { Commands, CommandTimes } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { openSample } from '../samples/sample.ts';
import { StriaError } from '../shared/errors.ts';
import { totalOf } from '../shared/total.ts';
import { type Dims4, type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import type { PlacedLayerBox } from '../volume/compressed/compressed-layers.ts';
import { CompressedVolume } from '../volume/compressed/compressed-volume.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import type { BenchContext } from './harness/context.ts';
import { expectSame } from './harness/expect-same.ts';
import { inFlight, runFrames } from './harness/frames.ts';
import { spreadOf } from './harness/statistics.ts';

/** The number of frames in the stack, and how often it is played. */
const frameCount = 120;
const rounds = 6;
/** Frames that are compared, voxel by voxel and pixel by pixel. */
const checked = [0, 41, frameCount - 1];
const framesAtOnce = 8;

/** The target texture in pixels: 1920 × 1080 for frames of 2048 × 1536, which are size 512. */
const targetOf = (size: number) => ({ width: Math.round((1920 * size) / 512), height: Math.round((1080 * size) / 512) });

/**
 * Suite `playback`: a stack of pictures stays compressed in GPU memory. The viewer's slice shader decodes and draws every frame
 * into a texture, repeatedly, as fast as possible.
 */
export async function benchPlayback(context: BenchContext): Promise<void> {
  const { request } = context;
  const chosen = request.codecs.includes('auto') ? ['rice'] : request.codecs;
  const info = stackInfo([4 * request.size, 3 * request.size, frameCount, 1]);
  context.begin('phantom');
  const frames = await makeFrames(context, info);
  for (const name of chosen) await playStack(context, info, frames, codecByName(name));
}

async function playStack(
  context: BenchContext,
  info: VolumeInfo,
  frames: readonly Uint8Array<ArrayBuffer>[],
  codec: CodecDefinition,
): Promise<void> {
  const { gpu, request, job } = context;
  context.begin(`${codec.name}, encoding`);
  // Each frame has its own chunks, however small.
  const [width, height] = chunkShapeOf(info, true);
  const chunkShape: ChunkShape = [width, height, 1];
  const chunks = await encodeFrames(gpu, info, frames, codec, chunkShape);
  const before = gpu.memory.liveBytes();
  const volume = await CompressedVolume.create(gpu, { info, chunkShape, chunks }, { verify: true, signal: job.signal });
  using scope = gpu.scope('bench.playback');
  try {
    const stage = new Stage(gpu, scope, volume, targetOf(request.size));
    volume.prepareFrames(2, [0, 0, 0, 0]);
    context.begin(`${codec.name}, checking`);
    for (const index of checked) await stage.check(index, frames[index] as Uint8Array);
    context.begin(`${codec.name}, playing`);
    const played = await play(context, stage);
    const { intervals, totals, decodes, draws, seconds } = played;
    const count = intervals.length;
    const memory = gpu.memory.liveBytes() - before;
    // Chunks of a codec that decodes slowly were transcoded on creation.
    const held = volume.shares.find(({ bytes }) => bytes > 0)?.codec;
    const rate = Math.round(count / seconds);
    const share = decodes && totals ? Math.round((100 * totalOf(decodes)) / totalOf(totals)) : undefined;
    const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
    context.add({
      table: 'playback',
      subject: `${frameCount} frames of ${info.dims[0]} × ${info.dims[1]} u8`,
      x: codec.name,
      method: `${codec.name}${held === codec.name ? '' : ` as ${held}`}, into ${stage.width} × ${stage.height}`,
      operation: 'decode and draw',
      processor: 'gpu',
      inputBytes: Math.round(volume.payloadBytes / frameCount),
      outputBytes: info.dims[0] * info.dims[1],
      movedBytes: Math.round(volume.payloadBytes / frameCount) + 2 * info.dims[0] * info.dims[1] + 4 * stage.width * stage.height,
      movedBytesAre: 'least',
      gpuMs: totals && spreadOf(totals),
      wallMs: spreadOf(intervals),
      stages: decodes && draws ? { decode: spreadOf(decodes), draw: spreadOf(draws) } : {},
      copyMs: undefined,
      timesCopy: undefined,
      verified: `${checked.length} frames compared with the source, voxel by voxel, and on the target, pixel by pixel; all chunks by checksum`,
      note:
        `${rate} frames a second over ${count} frames, ${inFlight} in flight` +
        `${share === undefined ? '' : `; decoding is ${share} % of the GPU's time`}` +
        `; compressed ${mebibytes(volume.payloadBytes)}, raw ${mebibytes(volumeBytes(info))}; all GPU memory taken ${mebibytes(memory)}`,
    });
  } finally {
    volume.destroy();
  }
}

interface Played {
  /** Milliseconds between finished frames, by the host's clock. */
  readonly intervals: readonly number[];
  /** Milliseconds on the GPU. Undefined if the device has no timestamps. */
  readonly totals: readonly number[] | undefined;
  readonly decodes: readonly number[] | undefined;
  readonly draws: readonly number[] | undefined;
  readonly seconds: number;
}

async function play(context: BenchContext, stage: Stage): Promise<Played> {
  const { intervals, times, seconds } = await runFrames(context, frameCount, rounds, (frame, onTimes) =>
    stage.draw(frame, onTimes),
  );
  const sumOf = (counts: (label: string) => boolean) =>
    times.map(({ stages }) => totalOf(stages.filter(({ label }) => counts(label)).map(({ gpuMs }) => gpuMs ?? Number.NaN)));
  const { hasTimestamps } = context.gpu;
  return {
    intervals,
    totals: hasTimestamps ? sumOf(() => true) : undefined,
    decodes: hasTimestamps ? sumOf((label) => label !== 'slice') : undefined,
    draws: hasTimestamps ? sumOf((label) => label === 'slice') : undefined,
    seconds,
  };
}

/** A texture of screen size into which frames are drawn to fit, in gray. */
class Stage {
  readonly width: number;
  readonly height: number;
  readonly #gpu: Gpu;
  readonly #volume: CompressedVolume;
  readonly #pass: SlicePass;
  readonly #target: GPUTexture;
  readonly #colors: GPUTexture;
  readonly #uniform: GPUBuffer;
  readonly #plane: SlicePlane;
  readonly #readback: GPUBuffer;
  readonly #pitch: number;

  constructor(gpu: Gpu, scope: GpuScope, volume: CompressedVolume, { width, height }: { width: number; height: number }) {
    this.#gpu = gpu;
    this.#volume = volume;
    this.width = width;
    this.height = height;
    this.#pass = new SlicePass(gpu, 'rgba8unorm');
    this.#target = scope.texture('target', 4 * width * height, {
      size: [width, height],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    });
    this.#colors = scope.texture('colors', 1024, {
      size: [256, 1],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    const gray = Uint8Array.from({ length: 1024 }, (_, at) => (at % 4 === 3 ? 255 : at >> 2));
    gpu.device.queue.writeTexture({ texture: this.#colors }, gray, { bytesPerRow: 1024 }, [256, 1]);
    const [x, y] = volume.dims;
    const step = Math.max(x / width, y / height);
    const origin = [(x - step * width) / 2, (y - step * height) / 2, 0] as const;
    this.#plane = { axis: 2, origin, right: [step, 0, 0], down: [0, step, 0] };
    const look = { window: [0, 255], smooth: false, isCategorical: false, outside: ['clamp', 'clamp'], missing: 'hide' } as const;
    this.#uniform = scope.buffer('slice', sliceUniformBytes, GPUBufferUsage.UNIFORM, sliceUniform(volume, this.#plane, look));
    this.#pitch = Math.ceil((4 * width) / 256) * 256;
    this.#readback = scope.buffer('pixels', this.#pitch * height, GPUBufferUsage.COPY_SRC);
  }

  /** Decodes and draws a frame. Resolves when the GPU is done. */
  async draw(index: number, onTimes: (times: CommandTimes) => void): Promise<void> {
    const commands = this.#gpu.commands('frame', onTimes);
    this.#record(commands, index);
    await commands.submit();
  }

  #record(commands: Commands, index: number): readonly PlacedLayerBox[] {
    const { type } = this.#volume.info;
    const boxes = this.#volume.recordSlice(commands, 2, index, 0);
    const colorAttachments: GPURenderPassColorAttachment[] = [
      { view: this.#target.createView(), clearValue: [0, 0, 0, 1], loadOp: 'clear', storeOp: 'store' },
    ];
    commands.render('slice', { colorAttachments }, (pass) => {
      this.#pass.draw(pass, { type, boxes, uniform: this.#uniform, colors: this.#colors, index, timePoint: 0 });
    });
    return boxes;
  }

  /** @throws StriaError `internal` if a decoded voxel or a drawn pixel differs from the source */
  async check(index: number, frame: Uint8Array): Promise<void> {
    const { width, height } = this;
    const layout = { buffer: this.#readback, bytesPerRow: this.#pitch, rowsPerImage: height };
    const commands = this.#gpu.commands('check');
    const boxes = this.#record(commands, index);
    await commands.record((encoder) => encoder.copyTextureToBuffer({ texture: this.#target }, layout, [width, height])).submit();
    const [x, y] = this.#volume.dims;
    for (const { voxels, origin } of boxes) {
      const [columns, rows] = voxels.dims;
      const pitch = rowBytes(columns, voxels.elementBytes);
      const bytes = await this.#gpu.read(voxels.buffer, 0, pitch * rows);
      for (let row = 0; row < rows; row++) {
        const from = (origin[1] + row) * x + origin[0];
        expectSame(bytes.subarray(row * pitch, row * pitch + columns), frame.subarray(from, from + columns), `frame ${index}`);
      }
    }
    const pixels = await this.#gpu.read(this.#readback);
    const { origin, right, down } = this.#plane;
    for (let row = 0; row < height; row++) {
      const atY = origin[1] + down[1] * (row + 0.5);
      for (let column = 0; column < width; column++) {
        const atX = origin[0] + right[0] * (column + 0.5);
        // At the edge between two voxels, rounding decides which one is drawn.
        if (isOnEdge(atX) || isOnEdge(atY)) continue;
        const isInside = atX >= 0 && atX < x && atY >= 0 && atY < y;
        const expected = isInside ? frame[Math.floor(atY) * x + Math.floor(atX)] : 0;
        if (pixels[row * this.#pitch + 4 * column] !== expected) {
          throw new StriaError('internal', `pixel ${column}, ${row} of frame ${index} is not its voxel`);
        }
      }
    }
  }
}

function isOnEdge(at: number): boolean {
  return Math.abs(at - Math.round(at)) < 1e-2;
}

function stackInfo(dims: Dims4): VolumeInfo {
  const affine = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
  return { dims, type: 'u8', spacing: [1, 1, 1, 1], spatialUnit: 'mm', timeUnit: 's', affine, slope: 1, intercept: 0 };
}

/** The phantom's slices, as pictures. */
async function makeFrames({ job }: BenchContext, info: VolumeInfo): Promise<Uint8Array<ArrayBuffer>[]> {
  const [x, y, z] = info.dims;
  const frames = Array.from({ length: z }, () => new Uint8Array(x * y));
  let filled = 0;
  for await (const piece of openSample({ kind: 'phantom', dims: [x, y, z], type: 'u8', seed: 1 }).voxels({
    signal: job.signal,
  })) {
    for (let from = 0; from < piece.byteLength; ) {
      const frame = frames[Math.floor(filled / (x * y))] as Uint8Array;
      const part = piece.subarray(from, from + x * y - (filled % (x * y)));
      frame.set(part, filled % (x * y));
      from += part.byteLength;
      filled += part.byteLength;
    }
  }
  return frames;
}

/** Encodes a few frames at a time, so that the whole raw stack is never in GPU memory. */
async function encodeFrames(
  gpu: Gpu,
  info: VolumeInfo,
  frames: readonly Uint8Array[],
  codec: CodecDefinition,
  chunkShape: ChunkShape,
): Promise<EncodedChunk[]> {
  const backend = createGpuBackend(gpu);
  const chunks: EncodedChunk[] = [];
  for (let first = 0; first < frames.length; first += framesAtOnce) {
    const some = frames.slice(first, first + framesAtOnce);
    const part = stackInfo([info.dims[0], info.dims[1], some.length, 1]);
    const resident = await ResidentVolume.create(gpu, part, { chunkShape });
    try {
      for (const frame of some) resident.append(frame);
      await resident.forEachBox(async (box) => {
        chunks.push(...(await backend.encodeResident(box, { codec: [codec], options: { axis: 'auto' } })).chunks);
      });
    } finally {
      resident.destroy();
    }
  }
  await backend.destroy();
  return chunks;
}
