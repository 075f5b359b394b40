import { affineColumns, affineOrigin } from '../io/common/affine.ts';
import type { OpenVolume } from '../io/common/volume-reader.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { cross, dot } from '../shared/vectors.ts';
import { elementBytes, typedVoxels, type VolumeInfo } from '../shared/volume.ts';
import { readVoxels } from '../stream/voxel-reader.ts';
import { LabelBuilders } from './label-builders.ts';
import type { Mesh } from './mesh.ts';
import { smooth } from './smooth.ts';
import { SurfaceBuilder } from './surface-builder.ts';

/** What a surface encloses. */
export type SurfaceChoice =
  /** All voxels whose physical value (slope × stored + intercept) is at least this. */
  | { readonly level: number }
  /** All voxels with this value. */
  | { readonly label: number };

export function surfaceName(choice: SurfaceChoice): string {
  return 'level' in choice ? `level ${choice.level}` : `label ${choice.label}`;
}

export interface SurfaceSettings {
  /** `labels`: of each label but the background, 0. */
  readonly surfaces: readonly SurfaceChoice[] | 'labels';
  /** The time point or channel, from 0. */
  readonly t: number;
  /** Rounds of smoothing, 0 for none. */
  readonly smoothing: number;
}

export interface ExtractedSurface {
  readonly choice: SurfaceChoice;
  /** Without triangles if no voxel belongs to it. */
  readonly mesh: Mesh;
}

/** The limit for the triangles of all surfaces: what one array of JavaScript holds. */
const mostTriangles = 2 ** 28;

/** @throws StriaError `unsupported` */
export function checkTriangles(count: number): void {
  if (count <= mostTriangles) return;
  throw new StriaError(
    'unsupported',
    `the surface has more than ${mostTriangles} triangles; it is probably noise. Choose another level`,
  );
}

/** @throws StriaError `invalid-input` if there is no such time point */
export function checkTimePoint({ dims }: VolumeInfo, t: number): void {
  if (t >= dims[3]) throw new StriaError('invalid-input', `there is no time point ${t + 1}: the volume has ${dims[3]}`);
}

/**
 * The closed surfaces of a volume in world coordinates (`VolumeInfo.affine`), from one pass over a time point: in the order of the
 * choices, or labels by number. Needs memory for two planes of 64-bit floats for each level, and for each label that the current plane
 * has, and for the meshes.
 *
 * @throws StriaError `invalid-input` if there is no such time point, or if values are no labels, `unsupported` if there are too many
 * triangles or labels; errors of the volume; `aborted`
 */
export async function extractSurfaces(
  volume: Pick<OpenVolume, 'info' | 'voxels' | 'fill'>,
  { surfaces, t, smoothing }: SurfaceSettings,
  { signal, onProgress }: JobOptions = {},
): Promise<ExtractedSurface[]> {
  const { info } = volume;
  const [width, height, depth] = info.dims;
  checkTimePoint(info, t);
  const levels = surfaces === 'labels' ? [] : surfaces.flatMap((choice) => ('level' in choice ? [choice] : []));
  const levelBuilders = levels.map(({ level }) => new SurfaceBuilder(width, height, level));
  const wanted = surfaces === 'labels' ? 'all' : surfaces.flatMap((choice) => ('label' in choice ? [choice.label] : []));
  const labels = wanted.length > 0 ? new LabelBuilders(info, wanted) : undefined;
  const plane = new Uint8Array(width * height * elementBytes(info.type));
  const values = new Float64Array(width * height);
  const reader = readVoxels(volume, signal);
  try {
    await reader.skip(t * depth * plane.byteLength);
    for (let z = 0; z < depth; z++) {
      throwIfAborted(signal);
      await reader.fill(plane);
      const voxels = typedVoxels(info.type, plane);
      for (let at = 0; at < values.length; at++) values[at] = info.slope * (voxels[at] as number) + info.intercept;
      for (const builder of levelBuilders) builder.add(values);
      labels?.add(values, z);
      checkTriangles(levelBuilders.reduce((sum, { triangleCount }) => sum + triangleCount, labels?.triangleCount ?? 0));
      onProgress?.({ stage: 'Surfaces', done: (z + 1) * width * height, total: depth * width * height });
    }
  } finally {
    await reader.close();
  }
  const finished = (choice: SurfaceChoice, mesh: Mesh): ExtractedSurface => finishSurface({ choice, mesh }, info, smoothing);
  if (surfaces === 'labels') return (labels?.numbers ?? []).map((label) => finished({ label }, labels?.finish(label) as Mesh));
  return surfaces.map((choice) => {
    if ('label' in choice) return finished(choice, labels?.finish(choice.label) as Mesh);
    return finished(choice, (levelBuilders[levels.indexOf(choice)] as SurfaceBuilder).finish());
  });
}

/** Smooths a surface in voxels, and moves it to world coordinates. */
export function finishSurface({ choice, mesh }: ExtractedSurface, { affine }: VolumeInfo, smoothing: number): ExtractedSurface {
  return { choice, mesh: inWorld(smooth(mesh, smoothing), affine) };
}

function inWorld({ positions, triangles }: Mesh, affine: readonly number[]): Mesh {
  const [stepX, stepY, stepZ] = affineColumns(affine);
  const origin = affineOrigin(affine);
  const moved = new Float32Array(positions.length);
  for (let at = 0; at < positions.length; at += 3) {
    const [x, y, z] = [positions[at] as number, positions[at + 1] as number, positions[at + 2] as number];
    moved[at] = stepX[0] * x + stepY[0] * y + stepZ[0] * z + origin[0];
    moved[at + 1] = stepX[1] * x + stepY[1] * y + stepZ[1] * z + origin[1];
    moved[at + 2] = stepX[2] * x + stepY[2] * y + stepZ[2] * z + origin[2];
  }
  const isMirrored = dot(stepX, cross(stepY, stepZ)) < 0;
  return { positions: moved, triangles: isMirrored ? turned(triangles) : triangles };
}

/** The other side outside. */
function turned(triangles: Uint32Array): Uint32Array {
  const other = triangles.slice();
  for (let at = 0; at < other.length; at += 3) {
    other[at + 1] = triangles[at + 2] as number;
    other[at + 2] = triangles[at + 1] as number;
  }
  return other;
}
