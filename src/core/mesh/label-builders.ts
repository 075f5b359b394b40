import { StriaError } from '../shared/errors.ts';
import { isLabelNumber } from '../shared/label-table.ts';
import type { VolumeInfo } from '../shared/volume.ts';
import type { Mesh } from './mesh.ts';
import { type PlaneExtent, SurfaceBuilder } from './surface-builder.ts';

/** More labels than this are hardly wanted as surfaces. */
export const mostLabels = 1024;

/** @throws StriaError `unsupported` */
export function checkLabelCount(count: number): void {
  if (count <= mostLabels) return;
  throw new StriaError('unsupported', `there are more than ${mostLabels} labels: choose some of them`);
}
/** For the labels of one plane. */
const mostPlaneBytes = 2 ** 31;

interface Extent {
  readonly low: [x: number, y: number];
  readonly high: [x: number, y: number];
}

/** The surfaces of labels, from one plane after another. A label costs time and memory only in the planes that have it. */
export class LabelBuilders {
  readonly #info: VolumeInfo;
  readonly #wanted: ReadonlySet<number> | 'all';
  readonly #builders = new Map<number, SurfaceBuilder>();
  readonly #marks: Uint8Array;

  /** @param wanted `all`: all but 0 */
  constructor(info: VolumeInfo, wanted: readonly number[] | 'all') {
    this.#info = info;
    this.#wanted = wanted === 'all' ? wanted : new Set(wanted);
    this.#marks = new Uint8Array(info.dims[0] * info.dims[1]);
  }

  get triangleCount(): number {
    let sum = 0;
    for (const { triangleCount } of this.#builders.values()) sum += triangleCount;
    return sum;
  }

  /** The labels so far, in ascending order. */
  get numbers(): readonly number[] {
    return [...this.#builders.keys()].sort((a, b) => a - b);
  }

  /** @param values physical values @param z the number of the plane @throws StriaError `invalid-input`, `unsupported` */
  add(values: Float64Array, z: number): void {
    const [width, height] = this.#info.dims;
    const extents = this.#extentsIn(values);
    if (extents.size * SurfaceBuilder.bytesFor(width, height) > mostPlaneBytes)
      throw new StriaError('unsupported', `a plane has ${extents.size} labels, which takes too much memory: choose some of them`);
    for (const label of extents.keys()) {
      if (this.#builders.has(label)) continue;
      checkLabelCount(this.#builders.size + 1);
      this.#builders.set(label, new SurfaceBuilder(width, height, 1, z));
    }
    for (const [label, builder] of this.#builders) {
      const extent = extents.get(label);
      if (extent) builder.add(this.#markedIn(values, label, extent), extent);
      else builder.addNothing();
    }
  }

  /** The surface of a label. No more planes can be added. */
  finish(label: number): Mesh {
    return (this.#builders.get(label) ?? new SurfaceBuilder(1, 1, 1)).finish();
  }

  #extentsIn(values: Float64Array): ReadonlyMap<number, PlaneExtent> {
    const [width, height] = this.#info.dims;
    const extents = new Map<number, Extent>();
    for (let y = 0; y < height; y++) {
      let [last, extent]: [number, Extent | undefined] = [Number.NaN, undefined];
      for (let x = 0; x < width; x++) {
        const value = values[y * width + x] as number;
        if (value !== last) {
          last = value;
          extent = this.#isWanted(value) ? (extents.get(value) ?? { low: [x, y], high: [x, y] }) : undefined;
          if (extent) extents.set(value, extent);
        }
        if (!extent) continue;
        if (x < extent.low[0]) extent.low[0] = x;
        if (x > extent.high[0]) extent.high[0] = x;
        extent.high[1] = y;
      }
    }
    return extents;
  }

  #isWanted(value: number): boolean {
    if (this.#wanted !== 'all') return this.#wanted.has(value);
    if (isLabelNumber(value)) return value !== 0;
    throw new StriaError('invalid-input', `the volume has the value ${value}: it does not hold labels`);
  }

  /** 2 for the label and 0 for others, so that the surface lies halfway between them. */
  #markedIn(values: Float64Array, label: number, { low, high }: PlaneExtent): Uint8Array {
    const [width] = this.#info.dims;
    for (let y = low[1]; y <= high[1]; y++) {
      for (let at = y * width + low[0]; at <= y * width + high[0]; at++) this.#marks[at] = values[at] === label ? 2 : 0;
    }
    return this.#marks;
  }
}
