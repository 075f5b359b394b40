import { StriaError } from '../shared/errors.ts';
import type { HalvingMethod } from '../shared/halving.ts';
import type { Dims3, VolumeInfo } from '../shared/volume.ts';
import { ByteBuilder, ByteCursor } from './byte-cursor.ts';
import { recordTypes } from './layout.ts';
import { encodeRecord, type RecordHead, recordLength } from './record.ts';

/** A level's description of itself: the meta bytes of `levl`. docs/FORMAT.md, 'Levels'. */
export interface LevelHeader {
  /** From 1, the finest. */
  readonly number: number;
  readonly method: HalvingMethod;
  /** How many voxels of the volume each voxel combines along each axis. */
  readonly factors: Dims3;
  /** In codec elements. A chunk belongs to one time point. */
  readonly chunkShape: Dims3;
}

/** A file has at most this many levels, and no factor is larger: 2^30 halves any axis to one voxel. */
export const maxLevels = 30;
const maxFactor = 2 ** 30;

const methods: readonly HalvingMethod[] = ['mean', 'mode'];

/** Number, method, three factors and three lengths. */
const metaLength = 8 * 4;

/** Levels have chunk numbers of their own, which chunk records tell from those of the volume. */
const numbersPerLevel = 2 ** 32;

/** A chunk's number in its record. @param level 0 for the volume itself */
export function numberInRecord(level: number, number: number): number {
  return level * numbersPerLevel + number;
}

/** The inverse of `numberInRecord`. */
export function placeOfNumber(inRecord: number): { readonly level: number; readonly number: number } {
  return { level: Math.floor(inRecord / numbersPerLevel), number: inRecord % numbersPerLevel };
}

/** The volume at a lower resolution. The centre of each voxel is the centre of those that it combines. */
export function levelVolume(volume: VolumeInfo, factors: Dims3): VolumeInfo {
  const [fx, fy, fz] = factors;
  const [nx, ny, nz, nt] = volume.dims;
  const [sx, sy, sz, st] = volume.spacing;
  const affine = volume.affine.map((value, at) => {
    const column = at % 4;
    if (column < 3) return value * (factors[column] as number);
    return factors.reduce((sum, factor, axis) => sum + ((factor - 1) / 2) * (volume.affine[at - 3 + axis] as number), value);
  });
  return {
    ...volume,
    dims: [Math.ceil(nx / fx), Math.ceil(ny / fy), Math.ceil(nz / fz), nt],
    spacing: [sx * fx, sy * fy, sz * fz, st],
    affine,
  };
}

/** The complete `levl` record. @param index as the body of INDX */
export function encodeLevel(level: LevelHeader, index: Uint8Array<ArrayBuffer>, offset: number): Uint8Array<ArrayBuffer> {
  const meta = new ByteBuilder().u32(level.number).u32(methods.indexOf(level.method));
  for (const factor of level.factors) meta.u32(factor);
  for (const length of level.chunkShape) meta.u32(length);
  return encodeRecord({ type: recordTypes.level, offset, meta: meta.build(), body: index });
}

/** Length of a `levl` record whose index has this many bytes. */
export function levelLength(indexBytes: number): number {
  return recordLength(metaLength, indexBytes);
}

/** @throws StriaError `corrupt` for impossible values */
export function parseLevelHeader(head: RecordHead): LevelHeader {
  const cursor = new ByteCursor(head.meta, `the levl record at byte ${head.offset}`);
  const number = cursor.u32();
  const method = methods[cursor.u32()];
  const triple = (): Dims3 => [cursor.u32(), cursor.u32(), cursor.u32()];
  const [factors, chunkShape] = [triple(), triple()];
  cursor.zeros(0);
  if (method === undefined) throw cursor.corrupt('names a method of halving that version 1 does not know');
  const isPower = (factor: number) => factor > 0 && factor <= maxFactor && (factor & (factor - 1)) === 0;
  if (!factors.every(isPower) || factors.every((factor) => factor === 1)) {
    throw cursor.corrupt(`has the factors ${factors.join(', ')}, which are not powers of two that make a volume smaller`);
  }
  return { number, method, factors, chunkShape };
}

/** @throws StriaError `corrupt` unless each level is coarser than the one before it, and they are numbered from 1 */
export function checkLevels(levels: readonly LevelHeader[]): void {
  for (const [index, { number, factors }] of levels.entries()) {
    const before = levels[index - 1]?.factors ?? [1, 1, 1];
    if (number !== index + 1) throw new StriaError('corrupt', `level ${number} stands where level ${index + 1} belongs`);
    const isCoarser = factors.every((factor, axis) => factor >= (before[axis] as number)) && factors.join() !== before.join();
    if (!isCoarser) throw new StriaError('corrupt', `level ${number} is not coarser than the one before it`);
  }
}
