import { StriaError } from '../../shared/errors.ts';
import { scaled, sum, type Vector3 } from '../../shared/vectors.ts';
import { type ElementType, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import { affineFromColumns, diagonalAffine, isUsableAffine } from '../common/affine.ts';
import { checkedDims, checkedSpacing } from '../common/streamed-volume.ts';

/** The voxels begin here. Source: FreeSurfer's wiki, FsTutorial/MghFormat, and `mghRead` of mriio.cpp. */
export const mghHeaderBytes = 284;

/** The offsets of fields. All numbers are big-endian. */
export const mghLayout = {
  version: 0,
  width: 4,
  height: 8,
  depth: 12,
  frames: 16,
  type: 20,
  goodRas: 28,
  /** Spacing along x, y and z, then the direction cosines of x, y and z, then the position of the centre. */
  delta: 30,
  directions: 42,
  centre: 78,
  unused: 90,
} as const;

export const mghTypes: Partial<Record<ElementType, number>> = { u8: 0, i32: 1, f32: 3, i16: 4, u16: 10 };
const otherTypes: readonly string[] = ['', '', '64-bit integers', '', '', 'bitmaps', 'tensors', 'complex numbers'];

/** Whether bytes look like an MGH header. There is no magic number, so every field must be plausible. */
export function isMgh(head: Uint8Array): boolean {
  if (head.byteLength < mghHeaderBytes) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const lengths = [mghLayout.width, mghLayout.height, mghLayout.depth, mghLayout.frames].map((at) => view.getInt32(at));
  const unused = head.subarray(mghLayout.unused, mghHeaderBytes);
  return (
    view.getInt32(mghLayout.version) === 1 &&
    lengths.every((length) => length >= 1 && length <= 0xffffff) &&
    Object.values(mghTypes).includes(view.getInt32(mghLayout.type)) &&
    (view.getInt16(mghLayout.goodRas) & ~1) === 0 &&
    unused.every((byte) => byte === 0)
  );
}

/** Parses a header. @throws StriaError `corrupt`, `unsupported` */
export function parseMghHeader(head: Uint8Array): VolumeInfo {
  if (head.byteLength < mghHeaderBytes) {
    throw new StriaError('corrupt', `the file ends inside its MGH header: ${head.byteLength} of ${mghHeaderBytes} bytes`);
  }
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  // The bytes above the version are what FreeSurfer 7 calls the intent.
  const version = view.getInt32(mghLayout.version);
  if ((version & 0xff) !== 1 || version >>> 16 !== 0)
    throw new StriaError('corrupt', 'this is not an MGH file: it does not begin with version 1');
  const type = elementType(view.getInt32(mghLayout.type));
  const lengths = [mghLayout.width, mghLayout.height, mghLayout.depth, mghLayout.frames].map((at) => view.getInt32(at));
  const dims = checkedDims(lengths, elementBytes(type));
  const reals = (at: number): Vector3 => [view.getFloat32(at), view.getFloat32(at + 4), view.getFloat32(at + 8)];
  // Without the flag the volume is coronal, with voxels of 1 mm, centred at the origin.
  const isGood = view.getInt16(mghLayout.goodRas) === 1;
  const spacing = isGood ? reals(mghLayout.delta).map(checkedSpacing) : [1, 1, 1];
  const [dx = 1, dy = 1, dz = 1] = spacing;
  const { directions: at } = mghLayout;
  const directions: readonly Vector3[] = isGood
    ? [reals(at), reals(at + 12), reals(at + 24)]
    : [
        [-1, 0, 0],
        [0, 0, -1],
        [0, 1, 0],
      ];
  const [x, y, z] = directions.map((direction, axis) => scaled(direction, spacing[axis] ?? 1)) as [Vector3, Vector3, Vector3];
  const toCentre = sum(scaled(x, dims[0] / 2), scaled(y, dims[1] / 2), scaled(z, dims[2] / 2));
  const centre: Vector3 = isGood ? reals(mghLayout.centre) : [0, 0, 0];
  const affine = affineFromColumns([x, y, z], sum(centre, scaled(toCentre, -1)));
  return {
    dims,
    type,
    spacing: [dx, dy, dz, 1],
    spatialUnit: 'mm',
    timeUnit: 'unknown',
    affine: isUsableAffine(affine) ? affine : diagonalAffine(spacing),
    slope: 1,
    intercept: 0,
  };
}

function elementType(code: number): ElementType {
  const type = (Object.keys(mghTypes) as ElementType[]).find((candidate) => mghTypes[candidate] === code);
  if (type !== undefined) return type;
  const name = otherTypes[code];
  if (!name) throw new StriaError('corrupt', `MGH has no voxels of type ${code}`);
  throw new StriaError('unsupported', `MGH with ${name} is not supported: Stria reads its u8, i16, u16, i32 and f32`);
}
