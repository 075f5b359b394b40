import { base64Bytes } from '../../io/common/base64.ts';
import { StriaError } from '../../shared/errors.ts';
import { chained, identityTransform, isUsableTransform, type Transform, transformOf } from '../../transforms/transform.ts';
import type { NamedMesh } from '../mesh-formats.ts';
import { asList, asRecord, countIn, type GltfObject, gltfJson } from './gltf-json.ts';
import { type MeshInput, mostObjects, mostTriangles } from './mesh-file.ts';
import { MeshMaker, movedMesh, tooLarge } from './mesh-maker.ts';

const triangleModes = [4, 5, 6];
const [floats, vector3] = [5126, 'VEC3'];
const indexTypes: Readonly<Record<number, 1 | 2 | 4>> = { 5121: 1, 5123: 2, 5125: 4 };
const mostNodes = 2 ** 16;

/** A mesh at a place. */
interface Placed {
  readonly name: string;
  readonly mesh: number;
  readonly move: Transform;
}

/**
 * glTF 2.0 with buffers inside the file: the triangles of the scene, placed by its nodes. Lengths are metres; in files of Stria
 * whose volume had no known unit they are in that unit. Materials, colours, bones and animations are not read.
 * Source: Khronos, glTF 2.0 Specification, sections 3 and 4.4.
 * @throws StriaError `corrupt`, `unsupported`
 */
export function readGltf({ bytes, name, metres }: Pick<MeshInput, 'bytes' | 'name' | 'metres'>): readonly NamedMesh[] {
  const { json, binary } = gltfJson(bytes);
  const required = asList(json.extensionsRequired ?? [], 'extensionsRequired');
  if (required.length > 0)
    throw new StriaError(
      'unsupported',
      `the file needs ${required
        .map((name) => (typeof name === 'string' ? name : JSON.stringify(name)))
        .join(', ')
        .slice(0, 200)}. Export it again without compression and extensions`,
    );
  const file = new GltfFile(json, binary);
  // Stria says so where it does not know the unit of the volume.
  const { extras } = asRecord(json.asset ?? {}, 'asset');
  const isUnknown = extras !== undefined && asRecord(extras, 'extras').unit === 'unknown';
  const unit = isUnknown ? 1 : 1 / (metres ?? 1e-3);
  const scale: Transform = [unit, 0, 0, 0, 0, unit, 0, 0, 0, 0, unit, 0];
  let [corners, triangles] = [0, 0];
  return placedMeshes(json, name).flatMap(({ name: title, mesh, move }) => {
    const maker = new MeshMaker();
    file.addTo(maker, mesh);
    corners += maker.cornerCount;
    triangles += maker.triangleCount;
    // One mesh may stand at several places.
    if (Math.max(corners, triangles) > mostTriangles) throw tooLarge('triangles');
    return maker.triangleCount === 0 ? [] : [{ name: title, mesh: movedMesh(maker.finish(), chained(move, scale)) }];
  });
}

/** The meshes of the scene, or of all nodes if there is none. */
function placedMeshes(json: GltfObject, name: string): readonly Placed[] {
  const nodes = asList(json.nodes ?? [], 'nodes').map((node) => asRecord(node, 'a node'));
  const meshes = asList(json.meshes ?? [], 'meshes').map((mesh) => asRecord(mesh, 'a mesh'));
  if (nodes.length > mostNodes)
    throw new StriaError('unsupported', `the file has more than ${mostNodes} nodes. Join its objects`);
  const scenes = asList(json.scenes ?? [], 'scenes');
  const children = new Set(nodes.flatMap((node) => asList(node.children ?? [], 'children')));
  const scene = scenes[json.scene === undefined ? 0 : countIn(json.scene, 'scene')];
  const roots = scene
    ? asList(asRecord(scene, 'a scene').nodes ?? [], 'nodes')
    : nodes.map((_, at) => at).filter((at) => !children.has(at));
  const placed: Placed[] = [];
  const seen = new Set<number>();
  const waiting = roots.map((at) => ({ at: countIn(at, 'a node'), before: identityTransform }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { at, before } = next;
    const node = nodes[at];
    // A node has one parent, so what is met twice is a circle.
    if (!node || seen.has(at))
      throw new StriaError('corrupt', `the nodes of the file are not a tree, at node ${at}: the file is damaged`);
    seen.add(at);
    const move = chained(moveOf(node, at), before);
    if (node.mesh !== undefined) {
      const mesh = countIn(node.mesh, 'a mesh');
      const own = [node.name, meshes[mesh]?.name].find((each) => typeof each === 'string' && each !== '');
      placed.push({ name: typeof own === 'string' ? own.slice(0, 200) : name, mesh, move });
      if (placed.length > mostObjects)
        throw new StriaError(
          'unsupported',
          `the file has more than ${mostObjects} objects. Join some of them, for example with Blender`,
        );
    }
    for (const child of asList(node.children ?? [], 'children')) waiting.push({ at: countIn(child, 'a node'), before: move });
  }
  // The stack gave the last ones first.
  return placed.reverse();
}

function moveOf({ matrix, translation, rotation, scale }: GltfObject, at: number): Transform {
  const numbers = (value: unknown, count: number, fallback: readonly number[]): readonly number[] => {
    const list = value === undefined ? fallback : asList(value, 'a transform');
    if (list.length !== count || !list.every((number) => typeof number === 'number'))
      throw new StriaError('corrupt', `the transform of node ${at} is not ${count} numbers`);
    return list as readonly number[];
  };
  let move: Transform;
  if (matrix !== undefined) {
    const m = numbers(matrix, 16, []);
    move = [0, 1, 2].flatMap((row) => [m[row], m[4 + row], m[8 + row], m[12 + row]] as number[]);
  } else {
    const [x, y, z, w] = numbers(rotation, 4, [0, 0, 0, 1]) as [number, number, number, number];
    const [a, b, c] = numbers(scale, 3, [1, 1, 1]) as [number, number, number];
    const [p, q, r] = numbers(translation, 3, [0, 0, 0]) as [number, number, number];
    const columns = [
      [a * (1 - 2 * (y * y + z * z)), a * 2 * (x * y + z * w), a * 2 * (x * z - y * w)],
      [b * 2 * (x * y - z * w), b * (1 - 2 * (x * x + z * z)), b * 2 * (y * z + x * w)],
      [c * 2 * (x * z + y * w), c * 2 * (y * z - x * w), c * (1 - 2 * (x * x + y * y))],
    ] as const;
    move = transformOf(columns, [p, q, r]);
  }
  if (!isUsableTransform(move))
    throw new StriaError('corrupt', `the transform of node ${at} flattens it, or is not finite: the file is damaged`);
  return move;
}

class GltfFile {
  readonly #json: GltfObject;
  readonly #binary: Uint8Array | undefined;
  /** Buffers that are base64 text. */
  readonly #decoded = new Map<number, Uint8Array>();

  constructor(json: GltfObject, binary: Uint8Array | undefined) {
    this.#json = json;
    this.#binary = binary;
  }

  /** Adds the triangles of a mesh. */
  addTo(maker: MeshMaker, at: number): void {
    const mesh = asRecord(asList(this.#json.meshes, 'meshes')[at], `mesh ${at}`);
    for (const each of asList(mesh.primitives, 'primitives')) {
      const { attributes, indices, mode = 4 } = asRecord(each, 'a primitive');
      if (!triangleModes.includes(mode as number)) continue;
      const first = maker.cornerCount;
      const points = this.#accessor(asRecord(attributes, 'attributes').POSITION);
      if (points.type !== vector3 || points.component !== floats)
        throw new StriaError(
          'unsupported',
          'the positions in the file are not 32-bit floats. Export it again without quantization',
        );
      this.#each(points, 12, (view, byte) =>
        maker.addCorner(view.getFloat32(byte, true), view.getFloat32(byte + 4, true), view.getFloat32(byte + 8, true)),
      );
      const indexAt = indices === undefined ? (at: number) => at : this.#indices(indices);
      const cornerAt = (at: number) => {
        const index = indexAt(at);
        // Beyond them are the corners of the mesh's next part.
        if (index >= points.count)
          throw new StriaError('corrupt', 'a triangle names a corner that the file lacks: the file is damaged');
        return first + index;
      };
      addTriangles(maker, cornerAt, indices === undefined ? points.count : this.#accessor(indices).count, mode as number);
    }
  }

  #indices(at: unknown): (index: number) => number {
    const accessor = this.#accessor(at);
    const width = indexTypes[accessor.component];
    if (!width || accessor.type !== 'SCALAR')
      throw new StriaError('corrupt', 'the corners of triangles are not whole numbers: the file is damaged');
    const { view, start, stride } = this.#view(accessor, width);
    if (width === 1) return (index) => view.getUint8(start + index * stride);
    if (width === 2) return (index) => view.getUint16(start + index * stride, true);
    return (index) => view.getUint32(start + index * stride, true);
  }

  #each(accessor: Accessor, width: number, take: (view: DataView, byte: number) => void): void {
    const { view, start, stride } = this.#view(accessor, width);
    for (let index = 0; index < accessor.count; index++) take(view, start + index * stride);
  }

  #accessor(at: unknown): Accessor {
    const all = asList(this.#json.accessors, 'accessors');
    const {
      bufferView,
      byteOffset = 0,
      componentType,
      count,
      type,
      sparse,
    } = asRecord(all[countIn(at, 'an accessor')], 'an accessor');
    if (sparse !== undefined || bufferView === undefined)
      throw new StriaError('unsupported', 'the file has sparse accessors, which are not supported. Export it again without them');
    return {
      view: countIn(bufferView, 'bufferView'),
      offset: countIn(byteOffset, 'byteOffset'),
      component: countIn(componentType, 'componentType'),
      count: countIn(count, 'count'),
      type: typeof type === 'string' ? type : '',
    };
  }

  /** The bytes of an accessor, all of which are there. */
  #view(
    { view: at, offset, count }: Accessor,
    width: number,
  ): { readonly view: DataView; readonly start: number; readonly stride: number } {
    const view = asRecord(asList(this.#json.bufferViews, 'bufferViews')[at], 'a bufferView');
    const bytes = this.#buffer(countIn(view.buffer, 'buffer'));
    const from = countIn(view.byteOffset ?? 0, 'byteOffset');
    const stride = countIn(view.byteStride ?? width, 'byteStride');
    const length = countIn(view.byteLength, 'byteLength');
    const needed = count === 0 ? 0 : offset + (count - 1) * stride + width;
    if (stride < width || needed > length || from + length > bytes.byteLength)
      throw new StriaError('corrupt', 'the file ends early, or its parts lie outside of it. Copy or export it again');
    return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), start: from + offset, stride };
  }

  #buffer(at: number): Uint8Array {
    const known = this.#decoded.get(at);
    if (known) return known;
    const { uri } = asRecord(asList(this.#json.buffers, 'buffers')[at], 'a buffer');
    if (uri === undefined) {
      if (at === 0 && this.#binary) return this.#binary;
      throw new StriaError('corrupt', 'the file lacks its binary part. Copy or export it again');
    }
    const [head, text] = typeof uri === 'string' && uri.startsWith('data:') ? splitOnce(uri) : [];
    if (text === undefined)
      throw new StriaError(
        'unsupported',
        `the triangles lie in another file, ${JSON.stringify(uri).slice(0, 80)}. Export it as .glb, which holds all`,
      );
    const bytes = head?.endsWith(';base64') ? base64Bytes(text) : undefined;
    if (!bytes) throw new StriaError('corrupt', 'a buffer of the file is not base64: the file is damaged');
    this.#decoded.set(at, bytes);
    return bytes;
  }
}

interface Accessor {
  readonly view: number;
  readonly offset: number;
  readonly component: number;
  readonly count: number;
  readonly type: string;
}

function splitOnce(uri: string): [head: string, text: string] {
  const comma = uri.indexOf(',');
  return [uri.slice(0, comma), uri.slice(comma + 1)];
}

/** Lists, strips and fans. */
function addTriangles(maker: MeshMaker, corner: (index: number) => number, count: number, mode: number): void {
  for (let at = mode === 4 ? 0 : 2; mode === 4 ? at + 2 < count : at < count; at += mode === 4 ? 3 : 1) {
    if (mode === 4) maker.addTriangle(corner(at), corner(at + 1), corner(at + 2));
    else if (mode === 6) maker.addTriangle(corner(0), corner(at - 1), corner(at));
    else if (at % 2 === 0) maker.addTriangle(corner(at - 2), corner(at - 1), corner(at));
    else maker.addTriangle(corner(at - 1), corner(at - 2), corner(at));
  }
}
