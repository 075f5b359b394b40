import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { isLabelNumber } from '../../shared/label-table.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import type { PlaneReader } from '../../volume/plane-reader.ts';
import type { VolumeSource } from '../../volume/volume-source.ts';
import { checkLabelCount, mostLabels } from '../label-builders.ts';
import { checkTimePoint, checkTriangles, type ExtractedSurface, type SurfaceChoice, type SurfaceSettings } from '../surfaces.ts';
import { keysInside } from './key-range.ts';
import { LabelFinder } from './label-finder.ts';
import { type SlabPlanes, type SlabShape, slabShape } from './slab-planes.ts';
import { type NumberedRange, type PassSettings, SurfacePass } from './surface-pass.ts';

/** A volume whose planes come into GPU memory. */
export interface GpuPlanes extends Pick<VolumeSource, 'info' | 'decimation'> {
  planeReader(): GpuPlaneReader;
}

/** A reader that may have a file to close. */
export interface GpuPlaneReader extends Omit<PlaneReader, 'destroy'> {
  destroy(): void | Promise<void>;
}

export interface GpuSurfaceJob extends JobOptions, Pick<PassSettings, 'onTimes'> {
  /** Whether the volume is still there. Asked before each use of its memory. */
  readonly isOpen?: (() => boolean) | undefined;
  /** For tests. */
  readonly limits?: { readonly planes?: number; readonly atOnce?: number } | undefined;
}

/**
 * The surfaces that `extractSurfaces` finds, in its order and with the same corners and triangles, but in voxels and not smoothed:
 * `finishSurface` does the rest. Voxels stay on the GPU; needs about 128 MiB there, or a few planes if these are larger, and on the
 * processor the meshes.
 *
 * @returns undefined if only the processor can extract or refuse them: planes are too large for the device, not all voxels are kept,
 * or voxels are not labels
 * @throws StriaError `invalid-input` if there is no such time point, `unsupported` if there are too many triangles or labels,
 * `out-of-memory`, `device-lost`, `aborted`; errors of the planes
 */
export async function extractOnGpu(
  gpu: Gpu,
  volume: GpuPlanes,
  { surfaces, t }: Omit<SurfaceSettings, 'smoothing'>,
  { signal, onProgress, isOpen, onTimes, limits }: GpuSurfaceJob = {},
): Promise<ExtractedSurface[] | undefined> {
  const { info } = volume;
  checkTimePoint(info, t);
  const check = () => {
    throwIfAborted(signal);
    if (isOpen?.() === false) throw new StriaError('aborted', 'the volume was closed');
  };
  check();
  const shape = slabShape(gpu, info, limits?.planes);
  if (!shape || volume.decimation > 1 || !Number.isFinite(info.slope) || !Number.isFinite(info.intercept)) return undefined;
  using scope = gpu.scope('mesh');
  const works = await gpu.allocate('to extract surfaces', () =>
    worksOf(gpu, info, surfaces, shape, scope, { mostAtOnce: limits?.atOnce, onTimes }),
  );
  const onCount = () => checkTriangles(works.reduce((sum, { pass }) => sum + pass.triangleCount, 0));
  const reader = volume.planeReader();
  try {
    for await (const { planes, z } of slabsOf(volume, t, shape, reader, check)) {
      for (const { pass, rangesFor } of works) {
        check();
        const ranges = await rangesFor(planes);
        if (!ranges) return undefined;
        await pass.extract(planes, z, ranges, { check, onCount });
      }
      const [width, height, depth] = shape.dims;
      onProgress?.({
        stage: 'Surfaces',
        done: Math.min(depth, z + planes.count) * width * height,
        total: depth * width * height,
      });
    }
  } finally {
    await reader.destroy();
  }
  const found = works.flatMap((work) => work.finish());
  if (surfaces === 'labels') return found.sort((a, b) => labelOf(a) - labelOf(b));
  return surfaces.map((choice) => {
    const isSame = ({ choice: one }: ExtractedSurface) =>
      one === choice || ('label' in one && 'label' in choice && one.label === choice.label);
    return { choice, mesh: (found.find(isSame) as ExtractedSurface).mesh };
  });
}

function labelOf({ choice }: ExtractedSurface): number {
  return 'label' in choice ? choice.label : 0;
}

/** One pass over the slabs, and the surfaces that it finds. */
interface Work {
  readonly pass: SurfacePass;
  /** What the surfaces in these planes enclose. Undefined: only the processor can tell. */
  rangesFor(planes: SlabPlanes): Promise<readonly NumberedRange[] | undefined>;
  finish(): ExtractedSurface[];
}

function worksOf(
  gpu: Gpu,
  info: VolumeInfo,
  surfaces: SurfaceSettings['surfaces'],
  shape: SlabShape,
  scope: GpuScope,
  settings: Pick<PassSettings, 'mostAtOnce' | 'onTimes'>,
): readonly Work[] {
  const newPass = (mostRanges: number, level?: number) => {
    const { type, slope, intercept } = info;
    const scale = level === undefined ? undefined : { level, type, slope, intercept };
    return new SurfacePass(gpu, info, shape, scope, { ...settings, scale, mostRanges });
  };
  if (surfaces === 'labels')
    return [workOfAll(new LabelFinder(gpu, info, shape, scope, settings.onTimes), info, newPass(mostLabels))];
  const labels = [...new Set(surfaces.flatMap((choice) => ('label' in choice ? [choice.label] : [])))].map((label) => ({
    label,
  }));
  const works = surfaces.flatMap((choice) => ('level' in choice ? [workOf(newPass(1, choice.level), [choice], info)] : []));
  return labels.length > 0 ? [...works, workOf(newPass(labels.length), labels, info)] : works;
}

function workOf(pass: SurfacePass, choices: readonly SurfaceChoice[], info: VolumeInfo): Work {
  const ranges = choices.flatMap((choice, surface) => {
    const keys = keysInside(choice, info.type, info);
    return keys ? [{ ...keys, surface }] : [];
  });
  return {
    pass,
    rangesFor: async () => ranges,
    finish: () => choices.map((choice, surface) => ({ choice, mesh: pass.finish(surface) })),
  };
}

/** Of all labels, as they are found. */
function workOfAll(finder: LabelFinder, info: VolumeInfo, pass: SurfacePass): Work {
  const ranges = new Map<number, NumberedRange>();
  return {
    pass,
    async rangesFor(planes) {
      const stored = await finder.find(planes);
      const labels = stored?.map((number) => info.slope * number + info.intercept);
      if (!labels?.every(isLabelNumber)) return undefined;
      for (const label of labels) {
        const keys = label === 0 || ranges.has(label) ? undefined : keysInside({ label }, info.type, info);
        if (!keys) continue;
        checkLabelCount(ranges.size + 1);
        ranges.set(label, { ...keys, surface: ranges.size });
      }
      return [...ranges.values()];
    },
    finish: () => [...ranges].map(([label, { surface }]) => ({ choice: { label }, mesh: pass.finish(surface) })),
  };
}

/** The planes of a time point in slabs, and one more behind the last, which is outside. */
async function* slabsOf(
  { info }: GpuPlanes,
  t: number,
  { planes: most, dims }: SlabShape,
  reader: GpuPlaneReader,
  check: () => void,
): AsyncGenerator<{ readonly planes: SlabPlanes; readonly z: number }> {
  const depth = dims[2];
  const base = t * info.dims[2];
  for (let z = 0; z <= depth; ) {
    if (z === depth) {
      yield { planes: { boxes: [], first: base + z, count: 1 }, z };
      return;
    }
    check();
    const { boxes, endPlane } = await reader.read(base + z);
    for (const end = Math.min(depth, endPlane - base); z < end; ) {
      const left = end - z;
      // The plane behind the last one goes into its slab if there is room.
      const count = Math.min(most, end === depth ? left + 1 : left);
      yield { planes: { boxes, first: base + z, count }, z };
      z += count;
    }
  }
}
