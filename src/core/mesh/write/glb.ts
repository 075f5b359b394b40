import { StriaError } from '../../shared/errors.ts';
import type { NamedMesh } from '../mesh-formats.ts';

const magic = 0x46546c67;
const jsonChunk = 0x4e4f534a;
const binaryChunk = 0x004e4942;
const [floats, unsignedInts] = [5126, 5125];
const [arrayBuffer, elementArrayBuffer] = [34962, 34963];

/**
 * glTF 2.0 in one file: a node for each mesh, scaled to metres. Corners keep the volume's world coordinates.
 * Source: Khronos, glTF 2.0 Specification, sections 3 and 4.4.
 * @throws StriaError `unsupported` beyond 4 GiB
 */
export function* glbParts(meshes: readonly NamedMesh[], metres: number): Generator<Uint8Array[]> {
  const views: object[] = [];
  const accessors: object[] = [];
  const payloads: Uint8Array[] = [];
  let length = 0;
  const add = (numbers: Float32Array | Uint32Array, target: number, facts: object): number => {
    views.push({ buffer: 0, byteOffset: length, byteLength: numbers.byteLength, target });
    payloads.push(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
    length += numbers.byteLength;
    return accessors.push({ bufferView: views.length - 1, ...facts }) - 1;
  };
  // glTF knows no empty mesh.
  const shown = meshes.filter(({ mesh }) => mesh.triangles.length > 0);
  const parts = shown.map(({ name, mesh: { positions, triangles }, color }, at) => ({
    mesh: {
      name,
      primitives: [
        {
          attributes: {
            POSITION: add(positions, arrayBuffer, {
              componentType: floats,
              count: positions.length / 3,
              type: 'VEC3',
              ...rangeOf(positions),
            }),
          },
          indices: add(triangles, elementArrayBuffer, { componentType: unsignedInts, count: triangles.length, type: 'SCALAR' }),
          material: at,
        },
      ],
    },
    material: {
      name,
      pbrMetallicRoughness: {
        baseColorFactor: [...(color?.map(linear) ?? [0.8, 0.8, 0.8]), 1],
        metallicFactor: 0,
        roughnessFactor: 0.8,
      },
    },
    node: { name, mesh: at, ...(Number.isFinite(metres) && metres !== 1 && { scale: [metres, metres, metres] }) },
  }));
  const json = {
    asset: { version: '2.0', generator: 'Stria', ...(!Number.isFinite(metres) && { extras: { unit: 'unknown' } }) },
    scene: 0,
    scenes: [parts.length > 0 ? { nodes: parts.map((_, at) => at) } : {}],
    ...(parts.length > 0 && {
      nodes: parts.map(({ node }) => node),
      meshes: parts.map(({ mesh }) => mesh),
      materials: parts.map(({ material }) => material),
      accessors,
      bufferViews: views,
      buffers: [{ byteLength: length }],
    }),
  };
  const text = new TextEncoder().encode(JSON.stringify(json));
  const padding = new Uint8Array((4 - (text.byteLength % 4)) % 4).fill(0x20);
  const textLength = text.byteLength + padding.byteLength;
  const whole = 12 + 8 + textLength + (length > 0 ? 8 + length : 0);
  if (whole >= 2 ** 32)
    throw new StriaError('unsupported', 'the surfaces need more than 4 GiB, which a .glb cannot hold: write .ply or .stl');
  yield [words(magic, 2, whole), words(textLength, jsonChunk), text, padding];
  if (length > 0) yield [words(length, binaryChunk), ...payloads];
}

/** A part of an sRGB colour as linear light, in which glTF's factors are. Source: IEC 61966-2-1. */
function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function words(...numbers: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  for (const [at, number] of numbers.entries()) view.setUint32(4 * at, number, true);
  return new Uint8Array(view.buffer);
}

function rangeOf(positions: Float32Array): { readonly min: number[]; readonly max: number[] } {
  const min = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const max = min.map((number) => -number);
  for (let at = 0; at < positions.length; at++) {
    const value = positions[at] as number;
    if (value < (min[at % 3] as number)) min[at % 3] = value;
    if (value > (max[at % 3] as number)) max[at % 3] = value;
  }
  return { min, max };
}
