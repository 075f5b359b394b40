import { StriaError } from '../../shared/errors.ts';
import type { Vector3 } from '../../shared/vectors.ts';
import { chained, inverted, isUsableTransform, type Transform, transformOf } from '../../transforms/transform.ts';
import type { Mesh } from '../mesh.ts';
import type { MeshInput } from './mesh-file.ts';
import { MeshMaker } from './mesh-maker.ts';

const triangleMagic = 0xfffffe;
const quadMagics = [0xffffff, 0xfffffd];
const [realRasTag, geometryTag] = [2, 20];
const mostFooterBytes = 2 ** 16;

/** Whether a file begins like one of FreeSurfer's surfaces. */
export function isFreesurferSurface(bytes: Uint8Array): boolean {
  const magic = magicOf(bytes);
  return magic === triangleMagic || quadMagics.includes(magic);
}

/**
 * FreeSurfer's binary surfaces of triangles. Their coordinates are those of the surface's volume; its geometry, which the footer
 * gives, leads from them to the scanner's.
 * Source: FreeSurfer, utils/mrisurf.cpp and include/tags.h.
 * @throws StriaError `corrupt`, `unsupported` for quadrangles
 */
export function readFreesurfer({ bytes }: Pick<MeshInput, 'bytes'>): Mesh {
  if (quadMagics.includes(magicOf(bytes)))
    throw new StriaError('unsupported', 'this is a FreeSurfer surface of quadrangles. Convert it with mris_convert');
  // Two lines of text end with an empty one.
  const start = bytes.findIndex((byte, at) => byte === 10 && bytes[at + 1] === 10 && at >= 3) + 2;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (start < 2 || start + 8 > bytes.byteLength) throw new StriaError('corrupt', 'the FreeSurfer surface ends in its header');
  const [corners, triangles] = [view.getInt32(start), view.getInt32(start + 4)];
  const end = start + 8 + 12 * (corners + triangles);
  if (corners < 0 || triangles < 0 || end > bytes.byteLength)
    throw new StriaError(
      'corrupt',
      `the FreeSurfer surface ends early: its header says ${corners} corners and ${triangles} triangles`,
    );
  const maker = new MeshMaker();
  let at = start + 8;
  for (let corner = 0; corner < corners; corner++, at += 12)
    maker.addCorner(view.getFloat32(at), view.getFloat32(at + 4), view.getFloat32(at + 8));
  for (let triangle = 0; triangle < triangles; triangle++, at += 12)
    maker.addTriangle(view.getInt32(at), view.getInt32(at + 4), view.getInt32(at + 8));
  return maker.finish(footerMove(bytes.subarray(end, end + mostFooterBytes)));
}

/** What leads to the scanner's coordinates, if the footer says it. */
function footerMove(footer: Uint8Array): Transform | undefined {
  const view = new DataView(footer.buffer, footer.byteOffset, footer.byteLength);
  let at = 0;
  if (footer.byteLength >= 8 && view.getInt32(0) === realRasTag) {
    // The surface has the scanner's coordinates already.
    if (view.getInt32(4) === 1) return undefined;
    at = 8;
  }
  if (footer.byteLength < at + 4 || view.getInt32(at) !== geometryTag) return undefined;
  const text = new TextDecoder('latin1').decode(footer.subarray(at + 4, at + 4 + 4096));
  if (!/^\s*valid\s*=\s*1/m.test(text)) return undefined;
  return scannerMove((key) => {
    const [, numbers] = new RegExp(`^\\s*${key}\\s*=\\s*([^\\r\\n#]+)`, 'm').exec(text) ?? [];
    return numbers === undefined ? undefined : numbers.trim().split(/\s+/).map(Number);
  });
}

/**
 * From the coordinates of FreeSurfer's surfaces to the scanner's: both have their axes along the volume's, but the surface's
 * begin in the volume's centre, and take it for coronal.
 * @param numbers of `xras`, `yras`, `zras` and `cras`
 * @returns undefined if the centre is not known. Axes that are not known are coronal
 */
export function scannerMove(
  numbers: (key: 'xras' | 'yras' | 'zras' | 'cras') => readonly number[] | undefined,
): Transform | undefined {
  const vector = (key: 'xras' | 'yras' | 'zras' | 'cras', fallback?: Vector3): Vector3 | undefined => {
    const found = numbers(key) ?? fallback;
    return found?.length === 3 && found.every(Number.isFinite) ? (found as unknown as Vector3) : fallback;
  };
  const center = vector('cras');
  if (!center) return undefined;
  const coronal: readonly [Vector3, Vector3, Vector3] = [
    [-1, 0, 0],
    [0, 0, -1],
    [0, 1, 0],
  ];
  const axes = [vector('xras', coronal[0]), vector('yras', coronal[1]), vector('zras', coronal[2])] as [
    Vector3,
    Vector3,
    Vector3,
  ];
  const move = chained(inverted(transformOf(coronal, [0, 0, 0])), transformOf(axes, center));
  return isUsableTransform(move) ? move : undefined;
}

function magicOf(bytes: Uint8Array): number {
  return (((bytes[0] ?? 0) << 16) | ((bytes[1] ?? 0) << 8) | (bytes[2] ?? 0)) >>> 0;
}
