import { joinBytes } from '../../io/common/byte-stream.ts';
import { type Dims3, type Dims4, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import type { LevelBox } from '../../shared/volume-level.ts';

/** Test boxes of a level: single voxels, planes across all axes, and the whole level. */
export function boxesOf([nx, ny, nz]: Dims4, level: number, timePoint: number): LevelBox[] {
  const boxes: (readonly [Dims3, Dims3])[] = [
    [
      [0, 0, 0],
      [nx, ny, nz],
    ],
    [
      [nx - 1, ny - 1, nz - 1],
      [1, 1, 1],
    ],
    [
      [Math.floor(nx / 3), 1, 2],
      [Math.floor(nx / 2), ny - 2, 1],
    ],
    [
      [5, Math.floor(ny / 2), 0],
      [nx - 9, 1, nz],
    ],
    [
      [Math.floor(nx / 2), 0, 1],
      [1, ny, nz - 2],
    ],
  ];
  return boxes.map(([first, size]) => ({ level, first, size, timePoint }));
}

/** The bytes of a box of a volume in memory. */
export function cut(
  bytes: Uint8Array,
  info: Pick<VolumeInfo, 'dims' | 'type'>,
  { first, size, timePoint }: LevelBox,
): Uint8Array {
  const width = elementBytes(info.type);
  const [nx, ny, nz] = info.dims;
  const rows: Uint8Array[] = [];
  for (let z = first[2]; z < first[2] + size[2]; z++) {
    for (let y = first[1]; y < first[1] + size[1]; y++) {
      const start = (((timePoint * nz + z) * ny + y) * nx + first[0]) * width;
      rows.push(bytes.subarray(start, start + size[0] * width));
    }
  }
  return joinBytes(rows);
}
