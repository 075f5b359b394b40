import slabShader from '../../shaders/draw/slab.wgsl';
import finishShader from '../../shaders/draw/slab-finish.wgsl';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';
import { type AxisIndex, placeUniform, type SliceBox, type VolumeSource } from '../volume/volume-source.ts';
import { elementTypeNumber, isFloatType, voxelKey } from '../volume/voxel-key.ts';

export const slabKinds = ['mean', 'maximum', 'minimum'] as const;
export type SlabKind = (typeof slabKinds)[number];

/** Several slices drawn as one. */
export interface ThickSlice {
  readonly kind: SlabKind;
  /** The number of slices, 2 to `mostSlabSlices`; fewer at the volume's ends. */
  readonly slices: number;
}

/** More slices would take too long for a frame, especially for a compressed volume, which must decode each layer of chunks. */
export const mostSlabSlices = 64;

/** The slices of a slab around slice `index`, which lies in the middle of the slab or just before it. */
export function slabRange(index: number, slices: number, length: number): readonly [first: number, last: number] {
  const first = index - Math.floor((slices - 1) / 2);
  return [Math.max(0, first), Math.min(length - 1, first + slices - 1)];
}

/** The number of kept slices in a slab of `slices` slices, if each kept slice stands for `factor` slices of the volume. */
export function keptSlices(slices: number, factor: number): number {
  return Math.max(1, Math.round(slices / factor));
}

/** The members of a volume that a slab needs. */
export type SlabSource = Pick<VolumeSource, 'info' | 'dims' | 'factors' | 'numbers' | 'recordSlice'>;

/** On any device, multiples of this are valid offsets of uniform bindings. */
const uniformStride = 256;
const planeBytes = 48;

interface Made {
  readonly scope: GpuScope;
  readonly sums: GPUBuffer;
  readonly planes: GPUBuffer;
  readonly finish: GPUBuffer;
  readonly boxes: readonly [SliceBox];
  readonly count: number;
}

/**
 * A slab as one plane of 32-bit floats, which is drawn like a slice of an f32 volume. It is computed again only if its inputs
 * change. Use one object per view. Free it with `destroy`.
 */
export class SlabPlane {
  readonly #gpu: Gpu;
  #made: Made | undefined;
  /** A key for the plane's contents once all recorded commands have run. */
  #held: { readonly volume: SlabSource; readonly key: string } | undefined;
  /** The shape for which `#made` was created. */
  #shape = '';

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /**
   * Records the commands that fill the plane, one layer of chunks after another if the volume is compressed.
   * @returns the box that replaces the slice's boxes
   */
  record(
    commands: Commands,
    volume: SlabSource,
    axis: AxisIndex,
    index: number,
    timePoint: number,
    slab: ThickSlice,
  ): readonly SliceBox[] {
    const { dims, factors, info, numbers } = volume;
    const kept = Math.floor(index / factors[axis]);
    const made = this.#makeFor(volume, axis, kept);
    const key = [axis, kept, timePoint, slab.kind, slab.slices].join();
    if (this.#held?.volume === volume && this.#held.key === key) return made.boxes;
    this.#held = { volume, key };
    const [first, last] = slabRange(kept, keptSlices(Math.min(slab.slices, mostSlabSlices), factors[axis]), dims[axis]);
    const words = new Uint32Array((last - first + 1) * (uniformStride / 4));
    const kind = slabKinds.indexOf(storedKind(slab.kind, info.slope));
    const keys = numbers.map((value) => voxelKey(info.type, value));
    for (let plane = first; plane <= last; plane++) {
      words.set([dims[0], dims[1], dims[2], axis, plane, timePoint, kind, 0, ...keys], (plane - first) * (uniformStride / 4));
    }
    this.#gpu.device.queue.writeBuffer(made.planes, 0, words);
    const meanFlag = slab.kind === 'mean' && !isFloatType(info.type) ? 1 : 0;
    this.#gpu.device.queue.writeBuffer(made.finish, 0, Uint32Array.of(made.count, meanFlag, 0, 0));
    commands.record((encoder) => encoder.clearBuffer(made.sums));
    const kernel = this.#gpu.kernel({
      label: 'view.slab',
      shader: slabShader,
      constants: { element_type: elementTypeNumber(info.type) },
    });
    const [width, height] = planeSize(dims, axis);
    for (let plane = first; plane <= last; plane++) {
      const uniform = { buffer: made.planes, offset: (plane - first) * uniformStride, size: planeBytes };
      for (const { voxels, place } of volume.recordSlice(commands, axis, plane * factors[axis], timePoint)) {
        const bindings = [voxels.buffer, place, uniform, made.sums];
        commands.dispatch(kernel, bindings, [Math.ceil(width / 8), Math.ceil(height / 8), 1]);
      }
    }
    const finish = this.#gpu.kernel({ label: 'view.slab-finish', shader: finishShader });
    commands.dispatch(finish, [made.sums, made.finish, made.boxes[0].voxels.buffer], Math.ceil(made.count / 64));
    return made.boxes;
  }

  /** Moves the box away from the slice's position, until the next `record`. */
  moveTo(first: Dims3): void {
    if (this.#made) this.#gpu.device.queue.writeBuffer(this.#made.boxes[0].place, 0, Uint32Array.from(first));
  }

  destroy(): void {
    this.#made?.scope.destroy();
    this.#made = this.#held = undefined;
  }

  #makeFor({ dims }: SlabSource, axis: AxisIndex, kept: number): Made {
    const shape = [...dims.slice(0, 3), axis].join();
    const [width, height] = planeSize(dims, axis);
    if (!this.#made || shape !== this.#shape) {
      this.destroy();
      this.#shape = shape;
      const scope = this.#gpu.scope('slab');
      const count = width * height;
      const voxels = { buffer: scope.storage('plane', count * 4), dims: [width, height, 1] as const, elementBytes: 4 as const };
      const size = [dims[0], dims[1], dims[2]].with(axis, 1) as [number, number, number];
      const place = placeUniform(scope, { first: [0, 0, 0], size, planesPerTimePoint: 0, rowWords: size[0] });
      this.#made = {
        scope,
        sums: scope.storage('sums', count * 8),
        planes: scope.buffer('planes', mostSlabSlices * uniformStride, GPUBufferUsage.UNIFORM),
        finish: scope.uniform('finish', [0, 0, 0, 0]),
        boxes: [{ voxels, place }],
        count,
      };
    }
    // The box lies at the slice's position.
    const first = [0, 0, 0].with(axis, kept);
    this.#gpu.device.queue.writeBuffer(this.#made.boxes[0].place, 0, Uint32Array.from(first));
    return this.#made;
  }
}

/**
 * The projection of stored values that corresponds to this projection of real values: with a negative slope, minimum and
 * maximum swap.
 */
export function storedKind(kind: SlabKind, slope: number): SlabKind {
  if (kind === 'mean' || slope >= 0) return kind;
  return kind === 'maximum' ? 'minimum' : 'maximum';
}

/** The lengths of a plane's two axes across `axis`, the lower axis first. */
function planeSize([x, y, z]: VolumeSource['dims'], axis: AxisIndex): readonly [width: number, height: number] {
  return axis === 0 ? [y, z] : axis === 1 ? [x, z] : [x, y];
}
