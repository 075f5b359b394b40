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

/** The members of a volume that a plane of any orientation through it needs. */
export type PlaneSource = Pick<
  VolumeSource,
  'info' | 'dims' | 'factors' | 'numbers' | 'isSplit' | 'isCompressed' | 'recordPlane'
>;

/** The slices of another volume along which a layer is projected, in voxel positions of the layer. */
export interface LayerSamples {
  /** Position = origin + across × slice + right × pixel x + down × pixel y. */
  readonly origin: Dims3;
  readonly across: Dims3;
  readonly right: Dims3;
  readonly down: Dims3;
  /** The size of the canvas in pixels. */
  readonly width: number;
  readonly height: number;
  /** The first slice and the last one. */
  readonly slices: readonly [first: number, last: number];
  readonly kind: SlabKind;
  /** Interpolate between voxels. */
  readonly smooth: boolean;
}

export const samplesBytes = 112;

/** `Samples` of shaders/draw/samples.wgsl. @param slices the first slice, and their number @param firstRow the first row of pixels */
export function samplesUniform(
  { info, dims, factors, numbers }: Pick<VolumeSource, 'info' | 'dims' | 'factors' | 'numbers'>,
  timePoint: number,
  { origin, across, right, down, width, height, kind, smooth }: Omit<LayerSamples, 'slices'>,
  slices: readonly [first: number, count: number],
  firstRow = 0,
): Uint32Array<ArrayBuffer> {
  const bits = (vector: Dims3): number[] => vector.map((value, axis) => floatBits(value / (factors[axis] as number)));
  const [endX, endY, endZ] = bits([info.dims[0], info.dims[1], info.dims[2]]) as [number, number, number];
  return Uint32Array.from([
    ...[...bits(origin), endX],
    ...[...bits(across), endY],
    ...[...bits(right), endZ],
    ...bits(down),
    floatBits(firstRow),
    ...dims.slice(0, 3),
    timePoint,
    ...[width, height, ...slices],
    ...numbers.map((value) => voxelKey(info.type, value)),
    ...[slabKinds.indexOf(storedKind(kind, info.slope)), smooth ? 1 : 0],
  ]);
}

/** The limit for the samples of a layer in several boxes, to which boxes are added one after another. A single slice may take more. */
const defaultPartBytes = 2 ** 26;
/** The limit for the sums of a band. A single row may take more. */
const defaultSumBytes = 2 ** 26;

/** Rows of the canvas that are projected at once. */
interface Band {
  readonly firstRow: number;
  readonly rows: number;
  /** A uniform for each run of slices. */
  readonly samples: GPUBuffer[];
  readonly finish: GPUBuffer;
  /** The band's part of the plane. */
  readonly box: SliceBox;
}

interface Made {
  readonly scope: GpuScope;
  /** The sums of one band at a time. */
  readonly sums: GPUBuffer;
  readonly bands: readonly Band[];
  /** Sums of weighted voxels, for a run of slices of a band. */
  readonly parts: GPUBuffer | undefined;
  /** The most slices in a run. */
  readonly slicesAtOnce: number;
}

type LayerKernel = Pick<KernelDescriptor, 'label' | 'shader'>;
const slabKernel: LayerKernel = { label: 'view.layer-slab', shader: layerSlabShader };
const blendKernel: LayerKernel = { label: 'view.layer-blend', shader: layerBlendShader };

/** The arguments of a recording. */
interface RecordedLayer {
  readonly commands: Commands;
  readonly volume: PlaneSource;
  readonly timePoint: number;
  readonly samples: LayerSamples;
}

/** How a `LayerSlab` is drawn: one pixel per voxel. */
export const layerSlabPlane = { axis: undefined, origin: [0, 0, 0.5], right: [1, 0, 0], down: [0, 1, 0] } as const;

/**
 * Projects a layer along the slices of another volume, thin or thick, into a plane of 32-bit floats with the size of the canvas. Pixels
 * outside the layer are NaN. Interpolation crosses the seams between the volume's boxes. The plane is computed again only if its
 * inputs change. A large canvas is projected band by band, and the plane then has a box for each band. It therefore takes 4 bytes a
 * pixel and a limited amount of memory for everything else. Use one object per view and layer. Free it with `destroy`.
 */
export class LayerSlab {
  readonly #gpu: Gpu;
  readonly #mostPartBytes: number;
  readonly #mostSumBytes: number;
  #made: Made | undefined;
  /** A key for the plane's contents once all recorded commands have run. */
  #held: { readonly volume: PlaneSource; readonly key: string } | undefined;
  #shape = '';

  /** @param mostPartBytes and `mostSumBytes`: only tests set them */
  constructor(gpu: Gpu, mostPartBytes = defaultPartBytes, mostSumBytes = defaultSumBytes) {
    this.#gpu = gpu;
    this.#mostPartBytes = mostPartBytes;
    this.#mostSumBytes = mostSumBytes;
  }

  /** @returns the plane to draw with `layerSlabPlane` */
  record(commands: Commands, volume: PlaneSource, timePoint: number, samples: LayerSamples): readonly SliceBox[] {
    const { width, height, slices, smooth } = samples;
    const made = this.#makeFor(width, height, smooth && volume.isSplit ? slices[1] - slices[0] + 1 : 0);
    const boxes = made.bands.map(({ box }) => box);
    const key = JSON.stringify([timePoint, samples]);
    if (this.#held?.volume === volume && this.#held.key === key) return boxes;
    this.#held = { volume, key };
    const layer = { commands, volume, timePoint, samples };
    const finish = this.#gpu.kernel({ label: 'view.slab-finish', shader: finishShader });
    for (const band of made.bands) {
      commands.record((encoder) => encoder.clearBuffer(made.sums));
      if (made.parts) this.#recordBlended(layer, made, band, made.parts);
      else this.#recordBoxes(layer, band, slabKernel, this.#uniform(layer, made, band, 0, slices), made.sums);
      commands.dispatch(finish, [made.sums, band.finish, band.box.voxels.buffer], Math.ceil((width * band.rows) / 64));
    }
    return boxes;
  }

  destroy(): void {
    this.#made?.scope.destroy();
    this.#made = this.#held = undefined;
  }

  /** For each run of slices, adds up the voxels of all boxes and then projects the samples. */
  #recordBlended(layer: RecordedLayer, made: Made, band: Band, parts: GPUBuffer): void {
    const { commands, samples } = layer;
    const { width, slices } = samples;
    const fold = this.#gpu.kernel({ label: 'view.layer-fold', shader: layerFoldShader });
    const atOnce = made.slicesAtOnce;
    for (let [first, run] = [slices[0], 0]; first <= slices[1]; first += atOnce, run++) {
      const uniform = this.#uniform(layer, made, band, run, [first, Math.min(slices[1], first + atOnce - 1)]);
      commands.record((encoder) => encoder.clearBuffer(parts));
      this.#recordBoxes(layer, band, blendKernel, uniform, parts);
      commands.dispatch(fold, [uniform, parts, made.sums], workgroups(width, band));
    }
  }

  /** Every run of slices of every band decodes the chunks of all slices and bands, so that all runs share one plan. */
  #recordBoxes(
    { commands, volume, timePoint, samples }: RecordedLayer,
    band: Band,
    kernel: LayerKernel,
    uniform: GPUBuffer,
    target: GPUBuffer,
  ): void {
    const { across, slices } = samples;
    const prepared = this.#gpu.kernel({ ...kernel, constants: { element_type: elementTypeNumber(volume.info.type) } });
    const sweep = { step: across, first: slices[0], last: slices[1] };
    volume.recordPlane(commands, { ...samples, sweep }, timePoint, (boxes) => {
      for (const { voxels, place } of boxes)
        commands.dispatch(prepared, [voxels.buffer, place, uniform, target], workgroups(samples.width, band));
    });
  }

  /** Every run of slices of every band has its own buffer, because all buffers are written before the first one is used. */
  #uniform(
    { volume, timePoint, samples }: RecordedLayer,
    { scope }: Made,
    { firstRow, rows, samples: buffers }: Band,
    run: number,
    [first, last]: LayerSamples['slices'],
  ): GPUBuffer {
    const buffer = buffers[run] ?? scope.buffer('samples', samplesBytes, GPUBufferUsage.UNIFORM);
    buffers[run] = buffer;
    const values = samplesUniform(volume, timePoint, { ...samples, height: rows }, [first, last - first + 1], firstRow);
    this.#gpu.device.queue.writeBuffer(buffer, 0, values);
    return buffer;
  }

  /** @param blended the number of slices whose samples are added up box by box; 0 for none */
  #makeFor(width: number, height: number, blended: number): Made {
    const rows = Math.min(height, Math.max(1, Math.floor(this.#mostSumBytes / (width * 8))));
    const sumBytes = width * rows * 8;
    const slicesAtOnce = Math.min(blended, Math.max(1, Math.floor(this.#mostPartBytes / sumBytes)));
    const shape = `${width} ${height} ${slicesAtOnce}`;
    if (this.#made && shape === this.#shape) return this.#made;
    this.destroy();
    this.#shape = shape;
    const scope = this.#gpu.scope('layer-slab');
    const bands: Band[] = [];
    for (let firstRow = 0; firstRow < height; firstRow += rows) {
      bands.push(newBand(scope, width, firstRow, Math.min(rows, height - firstRow)));
    }
    this.#made = {
      scope,
      sums: scope.storage('sums', sumBytes),
      bands,
      parts: slicesAtOnce > 0 ? scope.storage('parts', slicesAtOnce * sumBytes) : undefined,
      slicesAtOnce,
    };
    return this.#made;
  }
}

function newBand(scope: GpuScope, width: number, firstRow: number, rows: number): Band {
  const count = width * rows;
  const voxels = { buffer: scope.storage('plane', count * 4), dims: [width, rows, 1] as const, elementBytes: 4 as const };
  const box = { first: [0, firstRow, 0], size: [width, rows, 1], planesPerTimePoint: 0, rowWords: width } as const;
  return {
    firstRow,
    rows,
    samples: [],
    finish: scope.uniform('finish', [count, 0, 0, 0]),
    box: { voxels, place: placeUniform(scope, box) },
  };
}

function workgroups(width: number, { rows }: Band): [number, number, number] {
  return [Math.ceil(width / 8), Math.ceil(rows / 8), 1];
}
