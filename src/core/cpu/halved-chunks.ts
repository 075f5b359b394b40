import { scatterChunk } from '../chunks/boxes.ts';
import { halvedElements } from '../levels/halved-dims.ts';
import type { Dims3, ElementType } from '../shared/volume.ts';
import type { PlanesInto, TaskHalving } from './cpu-task.ts';

export type HalvingSteps = Omit<TaskHalving, 'into'>;

/** Halved voxels of a box, or of adjacent chunks along x. */
export interface HalvedChunks {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In codec elements. */
  readonly dims: Dims3;
}

/** The lengths of the result of each halving, in codec elements. */
export function dimsOfHalvings(dims: Dims3, steps: readonly Dims3[], type: ElementType): Dims3[] {
  let last = dims;
  return steps.map((step) => {
    last = halvedElements(last, step, type);
    return last;
  });
}

/** Copies planes of halved voxels to their places. */
export function putPlanes({ bytes, dims: [x, y, z] }: HalvedChunks, places: readonly PlanesInto[]): void {
  const planeBytes = bytes.byteLength / z;
  for (const { from, planes, box, origin } of places) {
    const part = bytes.subarray(from * planeBytes, (from + planes) * planeBytes);
    scatterChunk(part, { origin, shape: [x, y, planes] }, box);
  }
}
