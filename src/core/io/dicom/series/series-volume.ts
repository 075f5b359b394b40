import { StriaError } from '../../../shared/errors.ts';
import { throwIfAborted } from '../../../shared/job.ts';
import {
  colorChannels,
  type ElementType,
  elementBytes,
  typedVoxels,
  type VolumeInfo,
  volumeBytes,
} from '../../../shared/volume.ts';
import type { PieceOptions } from '../../common/byte-stream.ts';
import { checkedDims } from '../../common/streamed-volume.ts';
import type { VoxelFrame } from '../pixels/native.ts';
import { planeBytes } from '../pixels/pixel-format.ts';
import { geometryOf, type StackGeometry } from './geometry.ts';
import type { SeriesFrame } from './groups.ts';
import { OpenFiles } from './open-files.ts';
import type { SliceStack } from './stack.ts';

/** A stack as a volume. */
export interface SeriesVolume {
  readonly info: VolumeInfo;
  readonly stack: SliceStack;
  readonly geometry: StackGeometry;
  /** Whether frames have different scalings, so that the voxels are physical values. */
  readonly isScaled: boolean;
}

/** The number of frames that are read ahead. */
const readAhead = 3;
/** Colours are decoded once for all three channels if they fit into this, otherwise once for each channel. */
const heldColorBytes = 2 ** 28;

/** @throws StriaError `corrupt` if the volume exceeds the size of any file */
export function describeSeries(stack: SliceStack): SeriesVolume {
  const points = stack.frames as readonly (readonly SeriesFrame[])[];
  const slices = points[0] as readonly SeriesFrame[];
  const first = slices[0] as SeriesFrame;
  const { format } = first.owner.place;
  const { owner } = first;
  const geometry = geometryOf(slices);
  const frames = points.flat();
  const isScaled = frames.some(({ slope, intercept }) => slope !== first.slope || intercept !== first.intercept);
  const type = isScaled ? scaledType(format.type, format.bitsStored) : format.type;
  const isColor = format.channels === 3;
  const suv = suvFactorOfAll(frames);
  const time = timeStep(stack, owner.isFilm ? owner.frameTime : undefined);
  return {
    stack,
    geometry,
    isScaled,
    info: {
      dims: checkedDims([format.columns, format.rows, slices.length, points.length * format.channels], elementBytes(type)),
      type,
      spacing: [...geometry.spacing, time.step],
      spatialUnit: geometry.spatialUnit,
      timeUnit: time.unit,
      affine: geometry.affine,
      slope: isScaled ? 1 : first.slope * (suv ?? 1),
      intercept: isScaled ? 0 : first.intercept * (suv ?? 1),
      ...(isColor && { channels: colorChannels.slice(0, 3) }),
    },
  };
}

/** A float's 24 bits can represent physical values of up to 16 stored bits. */
function scaledType(type: ElementType, bitsStored: number): ElementType {
  return type === 'f64' || bitsStored > 20 ? 'f64' : 'f32';
}

/** The common factor, if all files have one. Individual factors differ only by rounding of times. */
export function suvFactorOfAll(frames: readonly SeriesFrame[]): number | undefined {
  const factors = frames.map(({ owner }) => owner.suvFactor);
  const [first] = factors;
  return first !== undefined && factors.every((factor) => factor !== undefined && Math.abs(factor / first - 1) < 1e-6)
    ? first
    : undefined;
}

/** @param frameTime of a film. In other series a cine rate only says how fast to show the pictures */
function timeStep({ frames, phase }: SliceStack, frameTime: number | undefined): { step: number; unit: VolumeInfo['timeUnit'] } {
  if (frames.length < 2 || phase === undefined) return { step: 1, unit: 'unknown' };
  if (frameTime !== undefined && frameTime > 0 && phase === 'time') return { step: frameTime, unit: 'ms' };
  const [first, second] = [frames[0]?.[0], frames[1]?.[0]];
  if (phase === 'trigger time') {
    const step = Number(second?.phases[1]) - Number(first?.phases[1]);
    if (step > 0) return { step, unit: 'ms' };
  }
  const seconds = (second?.acquired ?? Number.NaN) - (first?.acquired ?? Number.NaN);
  return phase === 'time' && seconds > 0 ? { step: seconds, unit: 's' } : { step: 1, unit: 'unknown' };
}

/** @param onFrame called for each frame with whether its stored bytes can be rebuilt from its voxels */
export async function* seriesVoxels(
  volume: SeriesVolume,
  { signal, onProgress, reuse }: PieceOptions,
  onFrame: (frame: SeriesFrame, isExact: boolean) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const { info, stack } = volume;
  const order = stack.frames.flat();
  const first = order[0] as SeriesFrame;
  const { channels } = first.owner.place.format;
  const files = new OpenFiles(new Set(order.map(({ owner }) => owner)).size === 1);
  const total = volumeBytes(info);
  const isHeld = channels > 1 && total <= heldColorBytes;
  const held: Uint8Array[][] = [];
  let done = 0;
  const given = (bytes: Uint8Array) => {
    done += bytes.byteLength;
    onProgress?.({ stage: 'Reading', done, total });
    return bytes;
  };
  // Planes that are held, and those of other channels, outlive their frame.
  const isReused = reuse === true && channels === 1;
  const memory = isReused
    ? Array.from({ length: readAhead + 1 }, () => new ArrayBuffer(planeBytes(first.owner.place.format)))
    : [];
  const read = (frame: SeriesFrame, number: number) => files.read(frame, { signal }, memory[number % memory.length]);
  const frames = () => inOrder(order, read, readAhead, signal);
  for (let channel = 0; channel < (isHeld ? 1 : channels); channel++) {
    for await (const { frame, read } of frames()) {
      checkPlane(read, frame);
      onFrame(frame, read.isExact);
      const planes = read.planes.map((plane) => (volume.isScaled ? physicalValues(plane, frame, info.type, volume) : plane));
      if (isHeld) held.push(planes.slice(1));
      yield given(planes[channel] as Uint8Array);
    }
  }
  for (let channel = 1; isHeld && channel < channels; channel++) {
    for (const planes of held) yield given(planes[channel - 1] as Uint8Array);
  }
}

/** Checks a decoder's output, because a wrong length would shift everything after it. */
function checkPlane({ planes }: VoxelFrame, { owner }: SeriesFrame): void {
  const wanted = planeBytes(owner.place.format);
  if (planes.some(({ byteLength }) => byteLength !== wanted)) {
    throw new StriaError('corrupt', `a picture has ${planes[0]?.byteLength} bytes, but the header promises ${wanted}`);
  }
}

function physicalValues(plane: Uint8Array, frame: SeriesFrame, type: ElementType, volume: SeriesVolume): Uint8Array {
  const stored = typedVoxels(frame.owner.place.format.type, plane);
  const values = type === 'f32' ? new Float32Array(stored.length) : new Float64Array(stored.length);
  const factor = suvFactorOfAll(volume.stack.frames.flat()) ?? 1;
  const slope = frame.slope * factor;
  const intercept = frame.intercept * factor;
  for (let index = 0; index < stored.length; index++) values[index] = slope * (stored[index] as number) + intercept;
  return new Uint8Array(values.buffer);
}

/** Reads `ahead` frames besides the one that it yields, and yields all in order. */
async function* inOrder(
  frames: readonly SeriesFrame[],
  read: (frame: SeriesFrame, number: number) => Promise<VoxelFrame>,
  ahead: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ frame: SeriesFrame; read: VoxelFrame }> {
  const waiting: { frame: SeriesFrame; read: Promise<VoxelFrame> }[] = [];
  const start = (number: number) => {
    const frame = frames[number];
    if (frame === undefined) return;
    const reading = read(frame, number);
    // Awaited below. If an earlier one fails, nothing would handle this rejection.
    reading.catch(() => undefined);
    waiting.push({ frame, read: reading });
  };
  for (let number = 0; number < ahead; number++) start(number);
  for (let next = ahead; ; next++) {
    const head = waiting.shift();
    if (head === undefined) return;
    throwIfAborted(signal);
    const done = await head.read;
    start(next);
    yield { frame: head.frame, read: done };
  }
}
