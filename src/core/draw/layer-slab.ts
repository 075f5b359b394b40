import layerBlendShader from '../../shaders/draw/layer-blend.wgsl';
import layerFoldShader from '../../shaders/draw/layer-fold.wgsl';
import layerSlabShader from '../../shaders/draw/layer-slab.wgsl';
import finishShader from '../../shaders/draw/slab-finish.wgsl';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { KernelDescriptor } from '../gpu/kernel.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';
import { placeUniform, type SliceBox, type VolumeSource } from '../volume/volume-source.ts';
import { elementTypeNumber, floatBits, voxelKey } from '../volume/voxel-key.ts';
import { type SlabKind, slabKinds, storedKind } from './slab-plane.ts';

/** The slices of another volume along which a layer is projected, in voxel positions of the layer. */
export interface LayerSamples {
  /** Position = origin + across × slice + right × pixel x + down × pixel y. */
  readonly origin: Dims3;
  readonly across: Dims3;
  readonly right: Dims3;
  readonly down: Dims3;
  /** Pixels of the canvas. */
  readonly width: number;
  readonly height: number;
  /** The first slice and the last one. */
  readonly slices: readonly [first: number, last: number];
  readonly kind: SlabKind;
  /** Interpolate between voxels. */
  readonly smooth: boolean;
}

export const samplesBytes = 112;

/** `Samples` of shaders/draw/samples.wgsl. @param slices the first one, and their number */
export function samplesUniform(
  { info, dims, numbers }: Pick<VolumeSource, 'info' | 'dims' | 'numbers'>,
  timePoint: number,
  { origin, across, right, down, width, height, kind, smooth }: Omit<LayerSamples, 'slices'>,
  slices: readonly [first: number, count: number],
): Uint32Array<ArrayBuffer> {
  const bits = (values: readonly number[]): number[] => [...values.map(floatBits), 0];
  return Uint32Array.from([
    ...[origin, across, right, down].flatMap(bits),
    ...dims.slice(0, 3),
    timePoint,
    ...[width, height, ...slices],
    ...numbers.map((value) => voxelKey(info.type, value)),
    ...[slabKinds.indexOf(storedKind(kind, info.slope)), smooth ? 1 : 0],
  ]);
}

/** Of the sum, or the sample, of a pixel: two 32-bit floats. */
const sumBytes = 8;

/** Limit for the buffer of samples of a layer in several boxes, which are added one after another. A single slice may take more. */
const defaultPartBytes = 2 ** 26;

type Size = Pick<LayerSamples, 'width' | 'height'>;

interface Made {
  readonly scope: GpuScope;
  readonly sums: GPUBuffer;
  /** A uniform for each run of slices. */
  readonly samples: GPUBuffer[];
  readonly finish: GPUBuffer;
  readonly boxes: readonly [SliceBox];
  /** Sums of weighted voxels, for a run of slices. */
  readonly parts: GPUBuffer | undefined;
}

type LayerKernel = Pick<KernelDescriptor, 'label' | 'shader'>;
const slabKernel: LayerKernel = { label: 'view.layer-slab', shader: layerSlabShader };
const blendKernel: LayerKernel = { label: 'view.layer-blend', shader: layerBlendShader };

/** The arguments of a recording. */
interface RecordedLayer {
  readonly commands: Commands;
  readonly volume: VolumeSource;
  readonly timePoint: number;
  readonly samples: LayerSamples;
}

/** How a `LayerSlab` is drawn: one pixel per voxel. */
export const layerSlabPlane = { axis: undefined, origin: [0, 0, 0.5], right: [1, 0, 0], down: [0, 1, 0] } as const;

/**
 * Projects a layer along the slices of another volume, thin or thick, into a plane of 32-bit floats with the size of the canvas. Pixels
 * outside the layer are NaN. Interpolation crosses the seams between the volume's boxes. The plane is computed again only if its
 * inputs change. Use one object per view and layer. Free it with `destroy`.
 */
export class LayerSlab {
  readonly #gpu: Gpu;
  readonly #mostPartBytes: number;
  #made: Made | undefined;
  /** A key for the plane's contents once all recorded commands have run. */
  #held: { readonly volume: VolumeSource; readonly key: string } | undefined;
  #shape = '';

  /** @param mostPartBytes only tests set it */
  constructor(gpu: Gpu, mostPartBytes = defaultPartBytes) {
    this.#gpu = gpu;
    this.#mostPartBytes = mostPartBytes;
  }

  /** Whether the GPU can bind the sums for a canvas of this size. */
  static fits({ maxBindingBytes }: Pick<Gpu, 'maxBindingBytes'>, { width, height }: Size): boolean {
    return width * height * sumBytes <= maxBindingBytes;
  }

  /** @param volume must not be decimated. @returns the plane to draw with `layerSlabPlane` */
  record(commands: Commands, volume: VolumeSource, timePoint: number, samples: LayerSamples): readonly SliceBox[] {
    const { width, height, slices, smooth } = samples;
    const made = this.#makeFor(width, height, smooth && volume.isSplit ? slices[1] - slices[0] + 1 : 0);
    const key = JSON.stringify([timePoint, samples]);
    if (this.#held?.volume === volume && this.#held.key === key) return made.boxes;
    this.#held = { volume, key };
    commands.record((encoder) => encoder.clearBuffer(made.sums));
    const layer = { commands, volume, timePoint, samples };
    if (made.parts) this.#recordBlended(layer, made, made.parts);
    else this.#recordBoxes(layer, slabKernel, this.#uniform(layer, made, 0, slices), made.sums);
    const finish = this.#gpu.kernel({ label: 'view.slab-finish', shader: finishShader });
    commands.dispatch(finish, [made.sums, made.finish, made.boxes[0].voxels.buffer], Math.ceil((width * height) / 64));
    return made.boxes;
  }

  destroy(): void {
    this.#made?.scope.destroy();
    this.#made = this.#held = undefined;
  }

  /** Adds up the voxels of all boxes before the samples of a run of slices are projected. */
  #recordBlended(layer: RecordedLayer, made: Made, parts: GPUBuffer): void {
    const { commands, samples } = layer;
    const { width, height, slices } = samples;
    const fold = this.#gpu.kernel({ label: 'view.layer-fold', shader: layerFoldShader });
    const atOnce = parts.size / (width * height * sumBytes);
    for (let [first, run] = [slices[0], 0]; first <= slices[1]; first += atOnce, run++) {
      const uniform = this.#uniform(layer, made, run, [first, Math.min(slices[1], first + atOnce - 1)]);
      commands.record((encoder) => encoder.clearBuffer(parts));
      this.#recordBoxes(layer, blendKernel, uniform, parts);
      commands.dispatch(fold, [uniform, parts, made.sums], workgroups(samples));
    }
  }

  /** Each run of slices decodes the chunks of all slices, so that the runs share a plan. */
  #recordBoxes(
    { commands, volume, timePoint, samples }: RecordedLayer,
    kernel: LayerKernel,
    uniform: GPUBuffer,
    target: GPUBuffer,
  ): void {
    const { across, slices } = samples;
    const prepared = this.#gpu.kernel({ ...kernel, constants: { element_type: elementTypeNumber(volume.info.type) } });
    const sweep = { step: across, first: slices[0], last: slices[1] };
    volume.recordPlane(commands, { ...samples, sweep }, timePoint, (boxes) => {
      for (const { voxels, place } of boxes)
        commands.dispatch(prepared, [voxels.buffer, place, uniform, target], workgroups(samples));
    });
  }

  /** Each run of slices has a buffer of its own, because all are written before the first is used. */
  #uniform(
    { volume, timePoint, samples }: RecordedLayer,
    { scope, samples: buffers }: Made,
    run: number,
    [first, last]: LayerSamples['slices'],
  ): GPUBuffer {
    const buffer = buffers[run] ?? scope.buffer('samples', samplesBytes, GPUBufferUsage.UNIFORM);
    buffers[run] = buffer;
    this.#gpu.device.queue.writeBuffer(buffer, 0, samplesUniform(volume, timePoint, samples, [first, last - first + 1]));
    return buffer;
  }

  /** @param blended the number of slices whose samples are added up box by box; 0 for none */
  #makeFor(width: number, height: number, blended: number): Made {
    const count = width * height;
    const atOnce = Math.min(blended, Math.max(1, Math.floor(this.#mostPartBytes / (count * sumBytes))));
    const shape = `${width} ${height} ${atOnce}`;
    if (this.#made && shape === this.#shape) return this.#made;
    this.destroy();
    this.#shape = shape;
    const scope = this.#gpu.scope('layer-slab');
    const voxels = { buffer: scope.storage('plane', count * 4), dims: [width, height, 1] as const, elementBytes: 4 as const };
    const place = placeUniform(scope, { first: [0, 0, 0], size: [width, height, 1], planesPerTimePoint: 0, rowWords: width });
    this.#made = {
      scope,
      sums: scope.storage('sums', count * sumBytes),
      samples: [],
      finish: scope.uniform('finish', [count, 0, 0, 0]),
      boxes: [{ voxels, place }],
      parts: atOnce > 0 ? scope.storage('parts', atOnce * count * sumBytes) : undefined,
    };
    return this.#made;
  }
}

function workgroups({ width, height }: Size): [number, number, number] {
  return [Math.ceil(width / 8), Math.ceil(height / 8), 1];
}
