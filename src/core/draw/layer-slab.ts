import layerSlabShader from '../../shaders/draw/layer-slab.wgsl';
import finishShader from '../../shaders/draw/slab-finish.wgsl';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { Dims3 } from '../shared/volume.ts';
import { placeUniform, type SliceBox, type VolumeSource } from '../volume/volume-source.ts';
import { elementTypeNumber, floatBits, voxelKey } from '../volume/voxel-key.ts';
import { type SlabKind, slabKinds, storedKind } from './slab-plane.ts';

/** The slices of another volume through which a layer is projected, in voxel positions of the layer. */
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
  /** Blend between voxels. */
  readonly smooth: boolean;
}

const samplesBytes = 112;

interface Made {
  readonly scope: GpuScope;
  readonly sums: GPUBuffer;
  readonly samples: GPUBuffer;
  readonly finish: GPUBuffer;
  readonly boxes: readonly [SliceBox];
}

/** How a `LayerSlab` is drawn: one pixel per voxel. */
export const layerSlabPlane = { axis: undefined, origin: [0, 0, 0.5], right: [1, 0, 0], down: [0, 1, 0] } as const;

/**
 * A layer in thick slices of another volume, as a plane of 32-bit floats of the canvas's size: NaN beside the layer. It is
 * computed again only when it changes. One object for each view and layer. Free it with `destroy`.
 */
export class LayerSlab {
  readonly #gpu: Gpu;
  #made: Made | undefined;
  /** What the plane holds once all recorded commands have run. */
  #held: { readonly volume: VolumeSource; readonly key: string } | undefined;
  #shape = '';

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /** @param volume not decimated. @returns what to draw, by `layerSlabPlane` */
  record(commands: Commands, volume: VolumeSource, timePoint: number, samples: LayerSamples): readonly SliceBox[] {
    const { info, dims, numbers } = volume;
    const { width, height, slices, smooth, origin, right, down } = samples;
    const made = this.#makeFor(width, height);
    const key = JSON.stringify([timePoint, samples]);
    if (this.#held?.volume === volume && this.#held.key === key) return made.boxes;
    this.#held = { volume, key };
    const bits = (values: readonly number[]): number[] => [...values.map(floatBits), 0];
    const kind = slabKinds.indexOf(storedKind(samples.kind, info.slope));
    const words = [
      ...[origin, samples.across, right, down].flatMap(bits),
      ...dims.slice(0, 3),
      timePoint,
      ...[width, height, slices[0], slices[1] - slices[0] + 1],
      ...numbers.map((value) => voxelKey(info.type, value)),
      ...[kind, smooth ? 1 : 0],
    ];
    this.#gpu.device.queue.writeBuffer(made.samples, 0, Uint32Array.from(words));
    commands.record((encoder) => encoder.clearBuffer(made.sums));
    const kernel = this.#gpu.kernel({
      label: 'view.layer-slab',
      shader: layerSlabShader,
      constants: { element_type: elementTypeNumber(info.type) },
    });
    const sweep = { step: samples.across, first: slices[0], last: slices[1] };
    volume.recordPlane(commands, { origin, right, down, width, height, sweep }, timePoint, (boxes) => {
      for (const { voxels, place } of boxes) {
        const bindings = [voxels.buffer, place, made.samples, made.sums];
        commands.dispatch(kernel, bindings, [Math.ceil(width / 8), Math.ceil(height / 8), 1]);
      }
    });
    const finish = this.#gpu.kernel({ label: 'view.slab-finish', shader: finishShader });
    commands.dispatch(finish, [made.sums, made.finish, made.boxes[0].voxels.buffer], Math.ceil((width * height) / 64));
    return made.boxes;
  }

  destroy(): void {
    this.#made?.scope.destroy();
    this.#made = this.#held = undefined;
  }

  #makeFor(width: number, height: number): Made {
    const shape = `${width} ${height}`;
    if (this.#made && shape === this.#shape) return this.#made;
    this.destroy();
    this.#shape = shape;
    const scope = this.#gpu.scope('layer-slab');
    const count = width * height;
    const voxels = { buffer: scope.storage('plane', count * 4), dims: [width, height, 1] as const, elementBytes: 4 as const };
    const place = placeUniform(scope, { first: [0, 0, 0], size: [width, height, 1], planesPerTimePoint: 0, rowWords: width });
    this.#made = {
      scope,
      sums: scope.storage('sums', count * 8),
      samples: scope.buffer('samples', samplesBytes, GPUBufferUsage.UNIFORM),
      finish: scope.uniform('finish', [count, 0, 0, 0]),
      boxes: [{ voxels, place }],
    };
    return this.#made;
  }
}
