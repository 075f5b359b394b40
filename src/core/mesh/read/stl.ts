import { StriaError } from '../../shared/errors.ts';
import type { Mesh } from '../mesh.ts';
import type { MeshInput } from './mesh-file.ts';
import { MeshMaker, SharedCorners } from './mesh-maker.ts';
import { linesOf, lpsToRas, numberIn, saysLps } from './text-lines.ts';

const [headBytes, recordBytes] = [84, 50];

/** STL, binary or text. Equal corners become one. Normals and colours are not read. @throws StriaError `corrupt` */
export function readStl({ bytes }: Pick<MeshInput, 'bytes'>): Mesh {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 512));
  const count = bytes.byteLength >= headBytes ? view.getUint32(80, true) : 0;
  const needed = headBytes + recordBytes * count;
  // Some binary files begin with 'solid', too. The highest byte of their count is 0 or 1, because files are at most 1 GiB.
  const isBinary = bytes.byteLength >= headBytes && (bytes[headBytes - 1] as number) <= 1;
  const isText = /^\s*solid\b/i.test(head) && !isBinary;
  if (isText) return textStl(bytes, saysLps(head));
  if (bytes.byteLength < needed || bytes.byteLength < headBytes) {
    const there = Math.max(0, Math.floor((bytes.byteLength - headBytes) / recordBytes));
    throw new StriaError('corrupt', `the STL file ends early: it has ${there} of its ${count} triangles. Copy or save it again`);
  }
  const maker = new MeshMaker();
  const corners = new SharedCorners(maker);
  for (let at = headBytes + 12; at < needed; at += recordBytes) {
    const corner = (from: number): number =>
      corners.add(view.getFloat32(from, true), view.getFloat32(from + 4, true), view.getFloat32(from + 8, true));
    maker.addTriangle(corner(at), corner(at + 12), corner(at + 24));
  }
  return maker.finish(saysLps(head.slice(0, 80)) ? lpsToRas : undefined);
}

function textStl(bytes: Uint8Array, isLps: boolean): Mesh {
  const maker = new MeshMaker();
  const corners = new SharedCorners(maker);
  let facet: number[] | undefined;
  let isEnded = false;
  for (const line of linesOf(bytes)) {
    const [word = '', ...rest] = line.split(/\s+/);
    const key = word.toLowerCase();
    if (key === 'solid') isEnded = false;
    if (key === 'endsolid') isEnded = true;
    if (key === 'facet') facet = [];
    if (key === 'vertex') {
      const place = `vertex ${3 * maker.triangleCount + (facet?.length ?? 0) + 1}`;
      facet?.push(corners.add(numberIn(rest[0], place), numberIn(rest[1], place), numberIn(rest[2], place)));
    }
    if (key !== 'endfacet') continue;
    if ((facet?.length ?? 0) < 3)
      throw new StriaError('corrupt', `facet ${maker.triangleCount + 1} has fewer than three corners`);
    maker.addPolygon(facet ?? []);
    facet = undefined;
  }
  if (facet || !isEnded) throw new StriaError('corrupt', 'the STL file ends early: it has no endsolid. Copy or save it again');
  return maker.finish(isLps ? lpsToRas : undefined);
}
