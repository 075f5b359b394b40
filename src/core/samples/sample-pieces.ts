import { type Dims3, elementBytes, typedVoxels } from '../shared/volume.ts';
import { createSequence, createZero } from './flat.ts';
import { createLabels } from './labels.ts';
import { createPhantom } from './phantom.ts';
import { createPotential } from './potential.ts';
import type { SampleKind, SampleType } from './sample-kinds.ts';
import type { SampleArray, SampleShape, SliceFiller } from './slice-filler.ts';

export interface SampleRequest {
  readonly kind: SampleKind;
  readonly dims: Dims3;
  /** f32 has the values of u16: intensities as fractions of 65,535, counts and labels unchanged. */
  readonly type: SampleType;
  /** A whole number; the same seed gives the same voxels on every machine. */
  readonly seed: number;
}

const fillers: Readonly<Record<SampleKind, (shape: SampleShape) => SliceFiller>> = {
  zero: createZero,
  sequence254: (shape) => createSequence(shape, 255),
  sequence255: (shape) => createSequence(shape, 256),
  potential: createPotential,
  phantom: createPhantom,
  labels: createLabels,
};

/** Samples whose voxels are intensities, not numbers that count or name something. */
const intensities: readonly SampleKind[] = ['potential', 'phantom'];

/** A piece is at most this long, or else one slice. */
const mostPieceBytes = 2 ** 20;

/** The voxels of a sample as pieces of whole slices. They can be made in any order. */
export class SamplePieces {
  readonly count: number;
  /** Of each piece but the last, which may be shorter. */
  readonly pieceBytes: number;
  readonly #request: SampleRequest;
  readonly #slices: number;
  readonly #fill: SliceFiller;

  constructor(request: SampleRequest) {
    const [width, height, depth] = request.dims;
    const sliceBytes = width * height * elementBytes(request.type);
    this.#request = request;
    this.#slices = Math.max(1, Math.floor(mostPieceBytes / sliceBytes));
    this.count = Math.ceil(depth / this.#slices);
    this.pieceBytes = this.#slices * sliceBytes;
    this.#fill = fillers[request.kind](shapeOf(request));
  }

  make(piece: number): Uint8Array<ArrayBuffer> {
    const { kind, dims, type } = this.#request;
    const first = piece * this.#slices;
    const slices = Math.min(this.#slices, dims[2] - first);
    const sliceBytes = this.pieceBytes / this.#slices;
    const voxels = new Uint8Array(slices * sliceBytes);
    const unit = intensities.includes(kind) ? shapeOf(this.#request).maximum : 1;
    for (let i = 0; i < slices; i++) {
      const slice = typedVoxels(type, voxels.subarray(i * sliceBytes, (i + 1) * sliceBytes));
      if (slice instanceof Float32Array) fillFloats(slice, first + i, this.#fill, unit);
      else this.#fill(first + i, slice as SampleArray);
    }
    return voxels;
  }
}

function shapeOf({ dims, type, seed }: SampleRequest): SampleShape {
  return { dims, maximum: type === 'u8' ? 255 : 65535, seed };
}

/** Computes slice `z` in units of `unit`. */
function fillFloats(slice: Float32Array, z: number, fill: SliceFiller, unit: number): void {
  const whole = new Uint16Array(slice.length);
  fill(z, whole);
  for (let at = 0; at < slice.length; at++) slice[at] = (whole[at] as number) / unit;
}
