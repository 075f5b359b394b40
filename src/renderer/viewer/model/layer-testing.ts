import type { Dims4, ElementType, VolumeInfo } from '../../../core/shared/volume.ts';
import type { Transform } from '../../../core/transforms/transform.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { firstLabelLook } from './label-look.ts';
import type { LayerLook } from './layers.ts';
import type { Voxel } from './slice-geometry.ts';

// Two volumes with different affines, and a reference that maps positions of one to the other through world coordinates, in
// double precision.

export const baseDims: Dims4 = [20, 17, 12, 1];
/** Turned about two axes, with steps of different lengths; the second axis runs backwards. */
export const base: VolumeInfo = { ...testInfo(baseDims, 'u8'), affine: [1.1, 0.1, 0, -12, -0.1, -1.3, 0.2, 9, 0, 0.2, 2, -8] };
export const layerDims: Dims4 = [11, 14, 16, 2];
export const layerInfo = (type: ElementType): VolumeInfo => ({
  ...testInfo(layerDims, type),
  affine: [0.2, 1.4, 0.3, -11, 1.2, -0.3, 0, -9, -0.2, 0.1, 1.5, -11],
});

/** A turn of 20° about (0.6, 0, 0.8), and a translation. */
export const testMotion: Transform = [
  0.961403, -0.273616, 0.028948, 2, 0.273616, 0.939693, -0.205212, -1.5, 0.028948, 0.205212, 0.978289, 1,
];

/** The layer as if its file's affine included the motion: the product, written out. */
export function movedInfo(layer: VolumeInfo, motion: Transform | undefined): VolumeInfo {
  if (!motion) return layer;
  const [rows, columns] = [rowsOf({ ...layer, affine: motion }), rowsOf(layer)];
  const affine = rows.flatMap(([a, b, c, d]) =>
    [0, 1, 2, 3].map((at) => {
      const [x, y, z] = columns.map((row) => row[at] as number) as [number, number, number];
      return a * x + b * y + c * z + (at === 3 ? d : 0);
    }),
  );
  return { ...layer, affine };
}

/** A layer's look in gray, named like its id. */
export function testLook(look: Partial<LayerLook> & Pick<LayerLook, 'id'>): LayerLook {
  return {
    name: look.id,
    isVisible: true,
    opacity: 1,
    blending: 'over',
    colormap: 'gray',
    inverted: false,
    window: [0, 1],
    hidesBelow: false,
    smooth: true,
    outline: false,
    labels: firstLabelLook,
    channel: 0,
    ...look,
  };
}

type Row = readonly [number, number, number, number];
const rowsOf = ({ affine }: VolumeInfo): readonly Row[] => [0, 4, 8].map((at) => affine.slice(at, at + 4) as unknown as Row);

/** Maps a position of the base to the layer, by elimination on the layer's affine. */
export function inLayer(position: Voxel, layer: VolumeInfo): Voxel {
  const world = rowsOf(base).map(
    ([a, b, c, d]) => a * (position[0] - 0.5) + b * (position[1] - 0.5) + c * (position[2] - 0.5) + d,
  );
  const rows = rowsOf(layer).map(([a, b, c, d], at) => [a, b, c, (world[at] as number) - d]);
  for (let column = 0; column < 3; column++) {
    const best = [...rows.keys()]
      .slice(column)
      .sort((i, j) => Math.abs(rows[j]?.[column] ?? 0) - Math.abs(rows[i]?.[column] ?? 0));
    const pivot = best[0] as number;
    [rows[column], rows[pivot]] = [rows[pivot] as number[], rows[column] as number[]];
    const row = rows[column] as number[];
    for (const other of rows) {
      if (other === row) continue;
      const factor = (other[column] as number) / (row[column] as number);
      for (let at = 0; at < 4; at++) other[at] = (other[at] as number) - factor * (row[at] as number);
    }
  }
  const [x, y, z] = rows.map((row, at) => (row[3] as number) / (row[at] as number) + 0.5);
  return [x as number, y as number, z as number];
}

/** The layer's value at a position: of the nearest voxel, or interpolated. `unsure` near a voxel's edge, where rounding decides. */
export function sampled(
  voxels: ArrayLike<number>,
  [nx, ny, nz]: Dims4,
  position: Voxel,
  smooth: boolean,
  time = 0,
): number | undefined | 'unsure' {
  const isInside = position.every((at, axis) => at >= 0 && at < ([nx, ny, nz][axis] as number));
  const isNear = (at: number, length: number): boolean =>
    Math.abs(at - Math.round(at)) < 1e-3 && (!smooth || Math.round(at) === 0 || Math.round(at) === length);
  if (position.some((at, axis) => isNear(at, [nx, ny, nz][axis] as number))) return 'unsure';
  if (!isInside) return undefined;
  const at = (x: number, y: number, z: number): number => {
    const [cx, cy, cz] = [Math.min(nx - 1, Math.max(0, x)), Math.min(ny - 1, Math.max(0, y)), Math.min(nz - 1, Math.max(0, z))];
    return voxels[((time * nz + cz) * ny + cy) * nx + cx] as number;
  };
  const [x, y, z] = position;
  if (!smooth) return at(Math.floor(x), Math.floor(y), Math.floor(z));
  let sum = 0;
  for (let corner = 0; corner < 8; corner++) {
    const offset = [corner & 1, (corner >> 1) & 1, corner >> 2] as const;
    const weight = [x, y, z].reduce((product, place, axis) => {
      const part = place - 0.5 - Math.floor(place - 0.5);
      return product * (offset[axis] === 1 ? part : 1 - part);
    }, 1);
    sum += weight * at(Math.floor(x - 0.5) + offset[0], Math.floor(y - 0.5) + offset[1], Math.floor(z - 0.5) + offset[2]);
  }
  return sum;
}
