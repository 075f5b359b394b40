import { zlibSync } from 'fflate';
import { memorySink } from '../../shared/bytes.ts';
import type { Mesh } from '../mesh.ts';
import type { MeshFormat, NamedMesh } from '../mesh-formats.ts';

// Small files of meshes, for tests and the fuzzer.

/** A tetrahedron. */
export const tetrahedron: Mesh = {
  positions: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0.1, 0.2, -12.75]),
  triangles: new Uint32Array([0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2]),
};

/** The places of all triangles' corners, one after another. */
export function placesOf({ positions, triangles }: Mesh): number[] {
  return [...triangles].flatMap((corner) => [...positions.subarray(3 * corner, 3 * corner + 3)]);
}

export function textBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** @param write `writeMesh`, which is in another room */
export async function writtenMesh(
  write: (
    sink: ReturnType<typeof memorySink>,
    format: MeshFormat,
    meshes: readonly NamedMesh[],
    metres: number,
  ) => Promise<number>,
  format: MeshFormat,
  meshes: readonly NamedMesh[],
  metres = 1e-3,
): Promise<Uint8Array<ArrayBuffer>> {
  const sink = memorySink();
  await write(sink, format, meshes, metres);
  return sink.bytes();
}

export const asciiStl = `solid four
facet normal 0 0 1
  outer loop
    vertex 0 0 0
    vertex 1 0 0
    vertex 0 1 0
  endloop
endfacet
facet normal 0 0 0
  outer loop
    vertex 0 0 0
    vertex 1e-1 .2 -12.75
    vertex 1 0 0
  endloop
endfacet
endsolid four
`;

export const asciiPly = `ply
format ascii 1.0
comment two faces
element vertex 4
property uchar red
property double x
property float32 y
property float z
property list uchar int more
element face 2
property uchar flag
property list uchar int vertex_index
end_header
1 0 0 0 0
2 1 0 0 2 7 8
3 0 1 0 0
4 1 1 0 0
9 4 0 1 3 2
9 3 0 1 2
`;

/** A square and a triangle. @param isLittle the byte order */
export function binaryPly(isLittle: boolean): Uint8Array<ArrayBuffer> {
  const head = textBytes(
    `ply\nformat binary_${isLittle ? 'little' : 'big'}_endian 1.0\nelement vertex 4\nproperty double x\nproperty float y\nproperty short z\nproperty list uchar ushort more\nelement face 2\nproperty list uchar uint vertex_indices\nend_header\n`,
  );
  const view = new DataView(new ArrayBuffer(4 * 15 + 2 + 17 + 13));
  let at = 0;
  for (const [x, y] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ] as const) {
    view.setFloat64(at, x, isLittle);
    view.setFloat32(at + 8, y, isLittle);
    view.setInt16(at + 12, 0, isLittle);
    view.setUint8(at + 14, x + y === 2 ? 1 : 0);
    at += x + y === 2 ? 17 : 15;
  }
  for (const face of [
    [0, 1, 3, 2],
    [0, 1, 2],
  ]) {
    view.setUint8(at++, face.length);
    for (const corner of face) {
      view.setUint32(at, corner, isLittle);
      at += 4;
    }
  }
  return new Uint8Array([...head, ...new Uint8Array(view.buffer)]);
}

export const objText = `# two parts
v 0 0 0
v 1 0 0 0.5 0.5 0.5
v 0 1 0
v 1 1 \\
0
vn 0 0 1
o left part
f 1//1 2//1 4//1 3//1
g right
f -4 -3 -2
`;

interface GiftiOptions {
  readonly encoding?: 'ASCII' | 'Base64Binary' | 'GZipBase64Binary';
  readonly isBig?: boolean;
  readonly isColumn?: boolean;
  /** Elements of the corners' array: matrices and metadata. */
  readonly about?: string;
  readonly type?: 'FLOAT32' | 'FLOAT64';
}

export function giftiText(
  { positions, triangles }: Mesh,
  { encoding = 'GZipBase64Binary', isBig = false, isColumn = false, about = '', type = 'FLOAT32' }: GiftiOptions = {},
): string {
  const array = (intent: string, kind: string, values: ArrayLike<number>, inside: string): string => {
    const rows = values.length / 3;
    const ordered = Array.from(values, (_, at) => values[isColumn ? 3 * (at % rows) + Math.floor(at / rows) : at] as number);
    return (
      `<DataArray Intent="NIFTI_INTENT_${intent}" DataType="NIFTI_TYPE_${kind}" ArrayIndexingOrder="${isColumn ? 'Column' : 'Row'}MajorOrder" ` +
      `Dimensionality="2" Dim0="${rows}" Dim1="3" Encoding="${encoding}" Endian="${isBig ? 'Big' : 'Little'}Endian" ExternalFileName="" ExternalFileOffset="">` +
      `${inside}<Data>${dataText(ordered, kind)}</Data></DataArray>\n`
    );
  };
  const dataText = (values: readonly number[], kind: string): string => {
    if (encoding === 'ASCII') return `\n${values.join(' ')}\n`;
    const width = kind === 'FLOAT64' ? 8 : 4;
    const view = new DataView(new ArrayBuffer(width * values.length));
    for (const [at, value] of values.entries()) {
      if (kind === 'INT32') view.setInt32(4 * at, value, !isBig);
      else if (kind === 'FLOAT64') view.setFloat64(8 * at, value, !isBig);
      else view.setFloat32(4 * at, value, !isBig);
    }
    const bytes = new Uint8Array(view.buffer);
    return btoa(String.fromCharCode(...(encoding === 'Base64Binary' ? bytes : zlibSync(bytes))));
  };
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE GIFTI SYSTEM "http://www.nitrc.org/frs/download.php/115/gifti.dtd">\n` +
    `<GIFTI Version="1.0" NumberOfDataArrays="2"><MetaData><MD><Name>a</Name><Value><![CDATA[b]]></Value></MD></MetaData><LabelTable/>\n` +
    `${array('POINTSET', type, positions, about)}${array('TRIANGLE', 'INT32', triangles, '')}</GIFTI>\n`
  );
}

export function giftiSystem(from: string, to: string, matrix: readonly number[]): string {
  return `<CoordinateSystemTransformMatrix><DataSpace><![CDATA[${from}]]></DataSpace><TransformedSpace>${to}</TransformedSpace><MatrixData>${matrix.join(' ')}</MatrixData></CoordinateSystemTransformMatrix>`;
}

/** @param footer what follows the triangles */
export function freesurferBytes({ positions, triangles }: Mesh, footer: Uint8Array = new Uint8Array(0)): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array([0xff, 0xff, 0xfe, ...textBytes('created by me on a day\n\n')]);
  const view = new DataView(new ArrayBuffer(8 + 4 * (positions.length + triangles.length)));
  view.setInt32(0, positions.length / 3);
  view.setInt32(4, triangles.length / 3);
  for (const [at, value] of positions.entries()) view.setFloat32(8 + 4 * at, value);
  for (const [at, value] of triangles.entries()) view.setInt32(8 + 4 * (positions.length + at), value);
  return new Uint8Array([...head, ...new Uint8Array(view.buffer), ...footer]);
}

/** @param realRas whether the footer says that coordinates are the scanner's already */
export function freesurferFooter(lines: string, realRas = false): Uint8Array {
  return new Uint8Array([0, 0, 0, 2, 0, 0, 0, realRas ? 1 : 0, 0, 0, 0, 20, ...textBytes(lines)]);
}

/** A .glb as text, with its binary part in base64. */
export function gltfText(glb: Uint8Array): string {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length)));
  const binary = glb.subarray(28 + length);
  json.buffers[0].uri = `data:application/octet-stream;base64,${btoa(String.fromCharCode(...binary))}`;
  return JSON.stringify(json);
}
