import layerLabelsShader from '../../shaders/draw/layer-labels.wgsl';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import type { ElementType } from '../shared/volume.ts';
import { placeUniform, type SliceBox } from '../volume/volume-source.ts';
import { elementTypeNumber } from '../volume/voxel-key.ts';
import { type LayerSamples, type PlaneSource, samplesBytes, samplesUniform } from './layer-slab.ts';

/** The position of a slice on a canvas, in voxel positions of a layer. */
export type LabelSamples = Omit<LayerSamples, 'slices' | 'kind' | 'smooth'> & {
  readonly index: number;
  /** Width in pixels of a margin around the canvas, for which labels are collected, too. */
  readonly margin: number;
};

interface Made {
  readonly scope: GpuScope;
  readonly samples: GPUBuffer;
  readonly boxes: readonly [SliceBox];
}

/** The element type of the `LabelPlane` of a volume of type `type`: 32 bits wide, with the same labels. */
export function labelPlaneType(type: ElementType): 'u32' | 'i32' | 'f32' {
  if (type.startsWith('f')) return 'f32';
  return type.startsWith('u') ? 'u32' : 'i32';
}

/** How a `LabelPlane` is drawn: one pixel per voxel. */
export function labelPlanePlace(margin: number) {
  return { axis: undefined, origin: [margin, margin, 0.5], right: [1, 0, 0], down: [0, 1, 0] } as const;
}

/**
 * The labels of a layer of several boxes in a slice of another volume, as a plane with the size of the canvas and its margin. Pixels
 * outside the layer are 0. The layer's boxes are decoded one after another, but outlines need the labels of all boxes. Use one
 * object per view and layer. Free it with `destroy`.
 */
export class LabelPlane {
  readonly #gpu: Gpu;
  #made: Made | undefined;
  /** A key for the plane's contents once all recorded commands have run. */
  #held: { readonly volume: PlaneSource; readonly key: string } | undefined;
  #shape = '';

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /** @returns the plane to draw with `labelPlanePlace`, as a volume of `labelPlaneType` */
  record(
    commands: Commands,
    volume: PlaneSource,
    timePoint: number,
    { index, margin, ...plane }: LabelSamples,
  ): readonly SliceBox[] {
    const [width, height] = [plane.width + 2 * margin, plane.height + 2 * margin];
    const made = this.#makeFor(width, height);
    const key = JSON.stringify([timePoint, index, margin, plane]);
    if (this.#held?.volume === volume && this.#held.key === key) return made.boxes;
    this.#held = { volume, key };
    const origin = plane.origin.map(
      (at, axis) => at - margin * ((plane.right[axis] as number) + (plane.down[axis] as number)),
    ) as unknown as LabelSamples['origin'];
    const samples = { ...plane, origin, width, height, kind: 'mean', smooth: false } as const;
    this.#gpu.device.queue.writeBuffer(made.samples, 0, samplesUniform(volume, timePoint, samples, [index, 1]));
    const [{ voxels: target }] = made.boxes;
    commands.record((encoder) => encoder.clearBuffer(target.buffer));
    const kernel = this.#gpu.kernel({
      label: 'view.layer-labels',
      shader: layerLabelsShader,
      constants: { element_type: elementTypeNumber(volume.info.type) },
    });
    const sweep = { step: plane.across, first: index, last: index };
    volume.recordPlane(commands, { ...samples, sweep }, timePoint, (boxes) => {
      for (const { voxels, place } of boxes) {
        const bindings = [voxels.buffer, place, made.samples, target.buffer];
        commands.dispatch(kernel, bindings, [Math.ceil(width / 8), Math.ceil(height / 8), 1]);
      }
    });
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
    const scope = this.#gpu.scope('label-plane');
    const voxels = { buffer: scope.storage('plane', width * height * 4), dims: [width, height, 1], elementBytes: 4 } as const;
    const place = placeUniform(scope, { first: [0, 0, 0], size: [width, height, 1], planesPerTimePoint: 0, rowWords: width });
    this.#made = {
      scope,
      samples: scope.buffer('samples', samplesBytes, GPUBufferUsage.UNIFORM),
      boxes: [{ voxels, place }],
    };
    return this.#made;
  }
}
