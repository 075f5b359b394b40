import type { BufferGeometry, MeshStandardMaterial, Mesh as ThreeMesh } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js';
import { PLYLoader } from 'three/examples/jsm/loaders/PLYLoader.js';
import { STLLoader } from 'three/examples/jsm/loaders/STLLoader.js';
import { expect, test } from 'vitest';
import { memorySink } from '../../shared/bytes.ts';
import type { MeshFormat, NamedMesh } from '../mesh-formats.ts';
import { SurfaceBuilder } from '../surface-builder.ts';
import { writeMesh } from './write-mesh.ts';

// Read by three.js, which knows nothing of how the files were written.

function ball(radius: number): NamedMesh['mesh'] {
  const builder = new SurfaceBuilder(12, 12, -radius);
  for (let z = 0; z < 12; z++)
    builder.add(Array.from({ length: 144 }, (_, at) => -Math.hypot((at % 12) - 5.4, Math.floor(at / 12) - 5.6, z - 5.5)));
  return builder.finish();
}
const one: NamedMesh = { name: 'left “thalamus”', mesh: ball(4.2), color: [1, 0.5, 0] };
const two: NamedMesh = { name: 'b', mesh: ball(2.3) };

async function written(format: MeshFormat, meshes: readonly NamedMesh[], metres = 1e-3): Promise<Uint8Array<ArrayBuffer>> {
  const sink = memorySink();
  const length = await writeMesh(sink, format, meshes, metres);
  const bytes = sink.bytes().slice();
  expect(bytes.byteLength).toBe(length);
  return bytes;
}

/** The corners of all triangles, one after another. */
function cornersOf({ mesh: { positions, triangles } }: NamedMesh): Float32Array {
  return Float32Array.from([...triangles].flatMap((corner) => [...positions.subarray(3 * corner, 3 * corner + 3)]));
}
const soup = (geometry: BufferGeometry) =>
  Float32Array.from((geometry.index ? geometry.toNonIndexed() : geometry).getAttribute('position').array);

test('STL has every triangle, with normals that point outwards', async () => {
  const geometry = new STLLoader().parse((await written('stl', [one])).buffer);
  expect(soup(geometry)).toEqual(cornersOf(one));
  const [points, normals] = [geometry.getAttribute('position'), geometry.getAttribute('normal')];
  for (let at = 0; at < points.count; at += 3) {
    const outward = [points.getX(at) - 5.4, points.getY(at) - 5.6, points.getZ(at) - 5.5];
    const along = [normals.getX(at), normals.getY(at), normals.getZ(at)];
    expect(Math.hypot(...along)).toBeCloseTo(1, 5);
    expect(outward.reduce((sum, part, axis) => sum + part * (along[axis] as number), 0)).toBeGreaterThan(0);
  }
});

test('PLY has the same corners, shared', async () => {
  const geometry = new PLYLoader().parse((await written('ply', [one])).buffer);
  expect(geometry.getAttribute('position').array).toEqual(one.mesh.positions);
  expect(Uint32Array.from(geometry.index?.array ?? [])).toEqual(one.mesh.triangles);
});

test('OBJ has an object for each mesh', async () => {
  const { children } = new OBJLoader().parse(new TextDecoder().decode(await written('obj', [one, two])));
  expect(children.map(({ name }) => name)).toEqual(['left_thalamus_', 'b']);
  expect(children.map((child) => soup((child as ThreeMesh).geometry))).toEqual([cornersOf(one), cornersOf(two)]);
});

test('GLB has a named node for each mesh, scaled to metres, and leaves out empty ones', async () => {
  const empty: NamedMesh = { name: 'nothing', mesh: new SurfaceBuilder(1, 1, 1).finish() };
  const bytes = await written('glb', [one, empty, two]);
  const { scene, parser } = await new GLTFLoader().parseAsync(bytes.buffer, '');
  expect(scene.children.map(({ userData }) => userData.name)).toEqual([one.name, two.name]);
  for (const [at, mesh] of [one, two].entries()) {
    const { geometry, scale } = scene.children[at] as ThreeMesh;
    expect(scale.toArray()).toEqual([1e-3, 1e-3, 1e-3]);
    expect(soup(geometry)).toEqual(cornersOf(mesh));
    geometry.computeBoundingBox();
  }
  const { accessors } = parser.json;
  expect(((scene.children[0] as ThreeMesh).material as MeshStandardMaterial).color.getHexString()).toBe('ff8000');
  const xs = one.mesh.positions.filter((_, at) => at % 3 === 0);
  expect([accessors[0].min[0], accessors[0].max[0]]).toEqual([Math.min(...xs), Math.max(...xs)]);
  const unknown = await new GLTFLoader().parseAsync((await written('glb', [one], Number.NaN)).buffer, '');
  expect(unknown.scene.children[0]?.scale.x).toBe(1);
  await expect(new GLTFLoader().parseAsync((await written('glb', [empty])).buffer, '')).resolves.toBeDefined();
});

test('formats for one mesh refuse two', async () => {
  for (const format of ['stl', 'ply'] as const)
    await expect(written(format, [one, two])).rejects.toMatchObject({ tag: 'invalid-input' });
});
