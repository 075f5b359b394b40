import { dot, scaled } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { SliceAxis } from './viewer-api.ts';

export type AxisNumber = 0 | 1 | 2;

/** A direction along a voxel axis. */
export interface VoxelDirection {
  readonly axis: AxisNumber;
  readonly sign: 1 | -1;
}

/** Letters at the edges of a picture: R L (patient's right, left), A P (anterior, posterior), S I (superior, inferior). */
export interface EdgeLetters {
  readonly left: string;
  readonly right: string;
  readonly top: string;
  readonly bottom: string;
}

/** Orientation of a slice on the screen. */
export interface SliceFrame {
  /** The voxel axis that the slice cuts across. */
  readonly across: AxisNumber;
  readonly right: VoxelDirection;
  readonly down: VoxelDirection;
  /** Undefined if the file gives no orientation. */
  readonly letters: EdgeLetters | undefined;
}

/** The world axis (0 R, 1 A, 2 S) nearest to a voxel axis, and the sign of its direction. */
export interface WorldDirection {
  readonly axis: AxisNumber;
  readonly sign: 1 | -1;
}

const positiveLetters = ['R', 'A', 'S'] as const;
const negativeLetters = ['L', 'P', 'I'] as const;
/** All orders of the three axes. */
export const axisOrders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

/**
 * Distances between voxel centres along x, y and z, from the affine if it is invertible (the file's spacing may disagree),
 * else from the spacing, where anything but a positive finite number counts as 1.
 */
export function safeSpacing(info: VolumeInfo): readonly [number, number, number] {
  const lengths = affineColumns(info)?.map((column) => Math.hypot(...column));
  const [x, y, z] = (lengths ?? info.spacing).map((value) => (Number.isFinite(value) && value > 0 ? value : 1));
  return [x ?? 1, y ?? 1, z ?? 1];
}

/** The columns of the affine's linear part, or undefined if it is not invertible and finite. */
export function affineColumns(info: VolumeInfo): readonly (readonly [number, number, number])[] | undefined {
  const at = (row: number, column: number): number => info.affine[row * 4 + column] ?? Number.NaN;
  const columns = [0, 1, 2].map((column) => [at(0, column), at(1, column), at(2, column)] as const);
  const [a, b, c] = columns.map((column) => scaled(column, 1 / Math.hypot(...column)));
  if (!a || !b || !c) return undefined;
  const determinant = dot(a, [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]);
  return Math.abs(determinant) > 1e-3 ? columns : undefined;
}

/**
 * World position of a voxel's centre (RAS+ if there is an orientation), in `spatialUnit`; fractions are between voxels.
 * Without a usable affine it follows from the spacing, starting at the centre of the first voxel.
 */
export function worldOf(info: VolumeInfo, [x, y, z]: readonly [number, number, number]): readonly [number, number, number] {
  const spacing = safeSpacing(info);
  const columns = affineColumns(info);
  if (!columns) return [x * spacing[0], y * spacing[1], z * spacing[2]];
  const at = (row: 0 | 1 | 2): number =>
    [x, y, z].reduce((sum, place, axis) => sum + place * (columns[axis]?.[row] ?? 0), info.affine[row * 4 + 3] ?? 0);
  return [at(0), at(1), at(2)];
}

/**
 * Whether the file gives the volume's orientation in the patient. A plain scaling without an offset does not count, since
 * readers make it up for files without an orientation.
 */
export function hasOrientation(info: VolumeInfo): boolean {
  if (info.world === 'instrument' || !affineColumns(info)) return false;
  const isPlain = info.affine.every((value, index) => (index % 5 === 0 ? value > 0 : value === 0));
  return !isPlain;
}

/** The nearest world axis of each voxel axis. Each world axis is used once. */
export function worldDirections(info: VolumeInfo): readonly [WorldDirection, WorldDirection, WorldDirection] {
  const columns = affineColumns(info) ?? ([[1, 0, 0], [0, 1, 0], [0, 0, 1]] as const); // biome-ignore format: a matrix
  const share = (voxelAxis: number, worldAxis: number): number => {
    const column = columns[voxelAxis] as readonly [number, number, number];
    return (column[worldAxis] as number) / Math.hypot(...column);
  };
  const alignment = (permutation: readonly number[]): number =>
    permutation.reduce((sum, worldAxis, voxelAxis) => sum + Math.abs(share(voxelAxis, worldAxis)), 0);
  const best = axisOrders.reduce((winner, permutation) => (alignment(permutation) > alignment(winner) ? permutation : winner));
  const direction = (voxelAxis: AxisNumber): WorldDirection => {
    const axis = best[voxelAxis] as AxisNumber;
    return { axis, sign: share(voxelAxis, axis) < 0 ? -1 : 1 };
  };
  return [direction(0), direction(1), direction(2)];
}

/**
 * The orientation on the screen of the slice across a voxel axis. Radiological convention: the patient is seen from the feet,
 * from the front and from the left, so the patient's right is on the left, the front is up (axial) or left (sagittal), and
 * the head is up. Without orientation, voxel axes run right and down, the lower axis to the right.
 */
export function sliceFrame(info: VolumeInfo, sliceAxis: SliceAxis): SliceFrame {
  const across = (['x', 'y', 'z'] as const).indexOf(sliceAxis) as AxisNumber;
  const [first, second] = ([0, 1, 2] as const).filter((axis) => axis !== across) as [AxisNumber, AxisNumber];
  if (!hasOrientation(info)) {
    return { across, right: { axis: first, sign: 1 }, down: { axis: second, sign: 1 }, letters: undefined };
  }
  const world = worldDirections(info);
  const [horizontal, vertical] = world[first].axis < world[second].axis ? [first, second] : [second, first];
  // Right on the screen is left or posterior, and down is posterior or inferior: each is the negative direction of a world
  // axis.
  const towardsNegative = (axis: AxisNumber): VoxelDirection => ({ axis, sign: world[axis].sign === 1 ? -1 : 1 });
  const letters = {
    left: positiveLetters[world[horizontal].axis],
    right: negativeLetters[world[horizontal].axis],
    top: positiveLetters[world[vertical].axis],
    bottom: negativeLetters[world[vertical].axis],
  };
  return { across, right: towardsNegative(horizontal), down: towardsNegative(vertical), letters };
}

/**
 * The unit cube (0…1 over the volume's voxels along x, y, z) in the 3D scene, as the columns of its edges. The scene is
 * viewed along −z with y up. A volume with orientation shows its front, head up, the patient's right on the left; one without
 * shows its first slice, x to the right and y down. The longest edge has length 1.
 */
export function sceneEdges(info: VolumeInfo): readonly (readonly [number, number, number])[] {
  const edges = edgesInUnits(info);
  const longest = unitsPerLength(info);
  return edges.map((edge) => scaled(edge, 1 / longest));
}

/** The number of the volume's spatial units in one scene unit. */
export function unitsPerLength(info: VolumeInfo): number {
  return Math.max(...edgesInUnits(info).map((edge) => Math.hypot(...edge)));
}

/** The volume's edges in the scene, in its spatial units. */
function edgesInUnits(info: VolumeInfo): readonly (readonly [number, number, number])[] {
  const [x, y, z] = info.dims;
  const columns = affineColumns(info);
  const spacing = safeSpacing(info);
  return [x, y, z].map((length, axis): readonly [number, number, number] => {
    if (columns && hasOrientation(info)) {
      const [right, anterior, superior] = columns[axis] as readonly [number, number, number];
      return [-right * length, superior * length, anterior * length];
    }
    const along = (spacing[axis] as number) * length;
    return [axis === 0 ? along : 0, axis === 1 ? -along : 0, axis === 2 ? -along : 0];
  });
}

/** A side to view the 3D scene from. */
export interface SceneSide {
  /** Key such as `front`. */
  readonly key: 'front' | 'back' | 'right' | 'left' | 'above' | 'below';
  /** Direction towards the camera in the scene. */
  readonly toEye: readonly [number, number, number];
  /** The letter of the patient's side that faces the camera. */
  readonly letter: string;
  /** The end of the voxel axis that faces the camera, for volumes without orientation. */
  readonly axis: string;
}

/** The six sides, matching `sceneEdges`: the patient's left is on the right. */
export const sceneSides: readonly SceneSide[] = [
  { key: 'front', toEye: [0, 0, 1], letter: 'A', axis: '−z' },
  { key: 'back', toEye: [0, 0, -1], letter: 'P', axis: '+z' },
  { key: 'right', toEye: [-1, 0, 0], letter: 'R', axis: '−x' },
  { key: 'left', toEye: [1, 0, 0], letter: 'L', axis: '+x' },
  { key: 'above', toEye: [0, 1, 0], letter: 'S', axis: '−y' },
  { key: 'below', toEye: [0, -1, 0], letter: 'I', axis: '+y' },
];

/** Positions of the letters on a volume's faces, as outward directions in the scene. Empty without orientation. */
export function faceLetters(info: VolumeInfo): readonly { letter: string; direction: readonly [number, number, number] }[] {
  if (!hasOrientation(info)) return [];
  const world = worldDirections(info);
  return sceneEdges(info).flatMap((edge, axis) => {
    const { axis: worldAxis, sign } = world[axis as AxisNumber];
    const outwards = scaled(edge, 0.5);
    return [
      { letter: (sign === 1 ? positiveLetters : negativeLetters)[worldAxis], direction: outwards },
      { letter: (sign === 1 ? negativeLetters : positiveLetters)[worldAxis], direction: scaled(outwards, -1) },
    ];
  });
}
