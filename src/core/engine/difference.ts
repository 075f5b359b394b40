import differenceCode from '../../shaders/resident/difference.wgsl?raw';
import voxelCode from '../../shaders/resident/voxel.wgsl?raw';
import { rowBytes } from '../codecs/codec.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';
import { type Dims4, type VolumeInfo, voxelCount } from '../shared/volume.ts';
import type { PlacedBox } from './resident-layout.ts';
import { ResidentVolume } from './resident-volume.ts';
import { elementTypeNumber, isFloatType } from './voxel-key.ts';

/** What two volumes differ by, in stored values. */
export interface Difference {
  readonly voxels: number;
  /** Voxels whose bits are not the same. 0: the volumes are identical. */
  readonly differing: number;
  /**
   * The greatest |first − second|, and the first voxel that has it. Undefined where nothing differs. Exact for integers; of
   * floats an f32, among voxels that are finite in both.
   */
  readonly largest: { readonly magnitude: number; readonly voxel: Dims4 } | undefined;
  /** Of |first − second| over all voxels. */
  readonly mean: number;
}

const voxelsPerWorkgroup = 8192;
/** Voxels in one dispatch, so that a slow GPU is not held for long. */
const voxelsPerDispatch = 2 ** 24;
const resultWords = 5;

/** Why two volumes cannot be compared voxel by voxel, in words; undefined: they can. */
export function differenceProblem(one: VolumeInfo, two: VolumeInfo): string | undefined {
  const shape = ({ dims }: VolumeInfo): string => (dims[3] > 1 ? dims : dims.slice(0, 3)).join(' × ');
  if (shape(one) !== shape(two)) return `their shapes differ: ${shape(one)} and ${shape(two)} voxels`;
  if (one.type !== two.type) return `their voxels are of other types: ${one.type} and ${two.type}`;
  if (one.slope !== two.slope || one.intercept !== two.intercept) return 'their stored values are scaled in other ways';
  return undefined;
}

/** What the difference of two such volumes is: f32, in the first one's place. */
function differenceInfo(one: VolumeInfo): VolumeInfo {
  return { ...one, type: 'f32', intercept: 0 };
}

/** GPU memory that the difference takes, in bytes. */
export function differenceBytes(one: VolumeInfo): number {
  return voxelCount(one.dims) * 4;
}

/**
 * Computes first − second on the GPU, as a volume that can be looked at, and what there is to say of it. The caller frees
 * the volume. Both must be whole (`decimation` 1).
 * @param check called before each use of the two: throws once they are no longer to be used
 * @throws StriaError `invalid-input` for volumes that cannot be compared, `out-of-memory` where there is no room, `device-lost`
 */
export async function subtractVolumes(
  gpu: Gpu,
  one: ResidentVolume,
  two: ResidentVolume,
  check: () => void = () => {},
): Promise<{ readonly volume: ResidentVolume; readonly difference: Difference }> {
  const problem = differenceProblem(one.info, two.info);
  if (problem !== undefined) throw new StriaError('invalid-input', problem);
  if (one.decimation > 1 || two.decimation > 1) throw new StriaError('invalid-input', 'not all of their voxels are on the GPU');
  const volume = await ResidentVolume.create(gpu, differenceInfo(one.info), { chunkShape: one.chunkShape });
  try {
    if (volume.decimation > 1) throw new StriaError('out-of-memory', 'the GPU has no room left for the difference');
    return { volume, difference: await subtractBoxes(gpu, one, two, volume, check) };
  } catch (error) {
    volume.destroy();
    throw error;
  }
}

/** A part of the volume that lies in one box of each. */
interface Part {
  readonly boxes: readonly [one: PlacedBox, two: PlacedBox, target: PlacedBox];
  readonly firstRow: number;
  readonly rows: number;
  readonly firstPlane: number;
  readonly planes: number;
}

function partsOf(one: ResidentVolume, two: ResidentVolume, target: ResidentVolume): readonly Part[] {
  return one.placedBoxes.flatMap((a) =>
    two.placedBoxes.flatMap((b) =>
      target.placedBoxes.flatMap((c): Part[] => {
        const boxes = [a, b, c] as const;
        const firstRow = Math.max(...boxes.map((box) => box.firstRow));
        const firstPlane = Math.max(...boxes.map((box) => box.firstPlane));
        const rows = Math.min(...boxes.map((box) => box.firstRow + box.rowCount)) - firstRow;
        const planes = Math.min(...boxes.map((box) => box.firstPlane + box.planeCount)) - firstPlane;
        return rows > 0 && planes > 0 ? [{ boxes, firstRow, rows, firstPlane, planes }] : [];
      }),
    ),
  );
}

async function subtractBoxes(
  gpu: Gpu,
  one: ResidentVolume,
  two: ResidentVolume,
  target: ResidentVolume,
  check: () => void,
): Promise<Difference> {
  using scope = gpu.scope('difference');
  const { type, dims } = one.info;
  const kernel = gpu.kernel({
    label: 'resident.difference',
    code: `${voxelCode}\n${differenceCode}`,
    constants: { element_type: elementTypeNumber(type) },
  });
  const [columns] = dims;
  const dispatches = partsOf(one, two, target).flatMap((part) => {
    const voxels = columns * part.rows * part.planes;
    const pieces = Math.ceil(voxels / voxelsPerDispatch);
    return Array.from({ length: pieces }, (_, piece) => {
      const first = piece * voxelsPerDispatch;
      return { part, first, count: Math.min(voxelsPerDispatch, voxels - first) };
    });
  });
  const groupsOf = (count: number): number => Math.ceil(count / voxelsPerWorkgroup);
  const groups = dispatches.reduce((sum, { count }) => sum + groupsOf(count), 0);
  const results = scope.storage('results', groups * resultWords * 4);
  /** Which dispatch each result is of. */
  const partOfResult: Part[] = [];
  for (const { part, first, count } of dispatches) {
    const [a, b, c] = part.boxes;
    const place = (box: PlacedBox): number[] => [part.firstRow - box.firstRow, part.firstPlane - box.firstPlane, box.rowCount, 0];
    const rowWords = rowBytes(a.voxels.dims[0], a.voxels.elementBytes) / 4;
    const head = [columns, part.rows, first, count, rowWords, partOfResult.length, 0, 0];
    const uniform = scope.uniform('part', [...head, ...place(a), ...place(b), ...place(c)]);
    const bindings = [a.voxels.buffer, uniform, b.voxels.buffer, c.voxels.buffer, results];
    for (let group = 0; group < groupsOf(count); group++) partOfResult.push(part);
    check();
    await gpu
      .commands('difference')
      .dispatch(kernel, bindings, [groupsOf(count), 1, 1])
      .submit();
  }
  return summary(one.info, await gpu.readWords(results), partOfResult);
}

function summary({ type, dims }: VolumeInfo, words: Uint32Array, parts: readonly Part[]): Difference {
  const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
  const isFloat = isFloatType(type);
  let differing = 0;
  let sum = 0;
  let largest: Difference['largest'];
  for (const [index, part] of parts.entries()) {
    const at = index * resultWords;
    const [count = 0, magnitudeBits = 0, place = 0, low = 0, high = 0] = words.subarray(at, at + resultWords);
    if (count === 0) continue;
    differing += count;
    sum += isFloat ? (floats[at + 3] as number) : high * 2 ** 32 + low;
    const magnitude = isFloat ? (floats[at + 1] as number) : magnitudeBits;
    if (largest && magnitude <= largest.magnitude) continue;
    const [x, row, plane] = [place % dims[0], Math.floor(place / dims[0]) % part.rows, Math.floor(place / dims[0] / part.rows)];
    const z = part.firstPlane + plane;
    largest = { magnitude, voxel: [x, part.firstRow + row, z % dims[2], Math.floor(z / dims[2])] };
  }
  const voxels = voxelCount(dims);
  return { voxels, differing, largest, mean: voxels === 0 ? 0 : sum / voxels };
}
