import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { ballMesh } from '../mesh-testing.ts';
import { writeMesh } from '../write/write-mesh.ts';
import {
  asciiPly,
  asciiStl,
  binaryPly,
  freesurferBytes,
  giftiSystem,
  giftiText,
  objText,
  tetrahedron,
  textBytes,
  writtenMesh,
} from './mesh-files-testing.ts';
import { readObj } from './obj.ts';
import { readMesh } from './read-mesh.ts';

const read = (name: string, bytes: Uint8Array | string) =>
  readMesh(memorySource(name, typeof bytes === 'string' ? textBytes(bytes) : bytes), { metres: 1e-3 });

/** The fault with its name, which is the file's. */
const fails = (name: string, bytes: Uint8Array | string, tag: string, words: string | RegExp) =>
  expect(read(name, bytes)).rejects.toMatchObject({
    tag,
    context: [name],
    message: words instanceof RegExp ? expect.stringMatching(words) : expect.stringContaining(words),
  });

const written = (format: 'stl' | 'ply' | 'glb') => writtenMesh(writeMesh, format, [{ name: 'a', mesh: tetrahedron }]);
const withNumber = (bytes: Uint8Array<ArrayBuffer>, at: number, number: number, isLittle = true) => {
  new DataView(bytes.buffer).setUint32(at, number, isLittle);
  return bytes;
};
const notANumber = 0x7fc00000;

test('empty files, files without triangles and files that are too large', async () => {
  await fails('a.stl', '', 'corrupt', 'empty');
  await fails('a.obj', 'v 0 0 0\n', 'invalid-input', 'no triangles');
  await fails('a.stl', 'solid a\nendsolid a\n', 'invalid-input', 'no triangles');
  const huge = { name: 'a.stl', size: 2 ** 30 + 1, read: () => Promise.reject(new Error('it was read')) };
  await expect(readMesh(huge, { metres: 1 })).rejects.toMatchObject({
    tag: 'unsupported',
    message: expect.stringContaining('1 GiB'),
  });
});

test('STL', async () => {
  const stl = await written('stl');
  await fails('a.stl', stl.subarray(0, 150), 'corrupt', 'has 1 of its 4 triangles');
  await fails('a.stl', withNumber(stl.slice(), 80, 0xffffffff), 'corrupt', 'of its 4294967295 triangles');
  await fails('a.stl', withNumber(stl.slice(), 84 + 12, notANumber), 'corrupt', 'corner 1 has a coordinate');
  await fails('a.stl', asciiStl.slice(0, asciiStl.indexOf('endfacet')), 'corrupt', 'no endsolid');
  const cutSecond = asciiStl.concat(asciiStl.slice(0, asciiStl.lastIndexOf('facet normal')));
  await fails('a.stl', cutSecond, 'corrupt', 'no endsolid');
  await fails('a.stl', asciiStl.replace('1e-1', 'nan'), 'corrupt', 'vertex 5 has "nan" instead of a number');
  await fails('a.stl', asciiStl.replace('vertex 1 0 0', ''), 'corrupt', 'fewer than three');
  const solid = stl.slice();
  solid.set(textBytes('solid by some program'));
  await fails('a.stl', solid.subarray(0, 150), 'corrupt', 'has 1 of its 4 triangles');
});

test('PLY', async () => {
  const ply = binaryPly(true);
  await fails('a.ply', ply.subarray(0, ply.length - 3), 'corrupt', 'face 2 of 2');
  await fails('a.ply', asciiPly.replace('vertex 4', 'vertex 999999999999999'), 'corrupt', 'of 999999999999999');
  const most = asciiPly.replace('face 2', 'face 99999999999');
  await fails('a.ply', most, 'corrupt', 'face 3 of 99999999999');
  await fails('a.ply', asciiPly.replace('3 0 1 2\n', '3 0 1 4\n'), 'corrupt', 'corner that the file lacks');
  await fails('a.ply', asciiPly.replace('3 0 1 2\n', '3 0 1 4294967296\n'), 'corrupt', 'corner that the file lacks');
  await fails('a.ply', asciiPly.replace('3 0 1 2\n', '-3 0 1 2\n'), 'corrupt', '-3 corners');
  await fails('a.ply', asciiPly.replace('1 0 0 0 0\n', '1 inf 0 0 0\n'), 'corrupt', '"inf"');
  await fails('a.ply', asciiPly.replace('1 0 0 0 0\n', '1 1e300 0 0 0\n'), 'corrupt', 'corner 1 has a coordinate');
  await fails('a.ply', asciiPly.replace('ascii', 'binary_middle_endian'), 'unsupported', 'binary_middle_endian');
  await fails('a.ply', asciiPly.replace('double x', 'double w'), 'corrupt', 'no x, y and z');
  await fails('a.ply', asciiPly.replace('end_header', ''), 'corrupt', 'no whole header');
  await fails('a.ply', 'ply\nformat ascii 1.0\nelement nothing 999999999999\nend_header\n', 'invalid-input', 'no triangles');
});

test('OBJ', async () => {
  await fails('a.obj', objText.replace('f -4', 'f -9'), 'corrupt', '"-9", but there are 4');
  await fails('a.obj', objText.replace('f 1//1', 'f 0'), 'corrupt', '"0"');
  await fails('a.obj', objText.replace('f 1//1', 'f x'), 'corrupt', '"x"');
  await fails('a.obj', objText.replace('v 0 1 0', 'v 0 1'), 'corrupt', 'instead of a number');
  expect(() => readObj({ bytes: textBytes('v 0 0 0\n'.repeat(6)), name: 'a' }, 5)).toThrow('the file has more than');
  await fails('a.obj', `v 0 0 ${'0'.repeat(2 ** 20 + 1)}\n`, 'corrupt', '1 MiB');
});

test('FreeSurfer', async () => {
  const bytes = freesurferBytes(tetrahedron);
  const counts = bytes.findIndex((byte, at) => byte === 10 && bytes[at + 1] === 10) + 2;
  await fails('lh.pial', bytes.subarray(0, bytes.length - 1), 'corrupt', 'ends early');
  await fails('lh.pial', withNumber(bytes.slice(), counts, 0x7fffffff, false), 'corrupt', '2147483647 corners');
  await fails('lh.pial', withNumber(bytes.slice(), counts, 0xffffffff, false), 'corrupt', '-1 corners');
  await fails('lh.pial', withNumber(bytes.slice(), counts + 8, notANumber, false), 'corrupt', 'corner 1');
  await fails('lh.pial', withNumber(bytes.slice(), bytes.length - 4, 0xffffffff, false), 'corrupt', 'triangle 4');
  await fails('lh.pial', new Uint8Array([255, 255, 253, 0, 0]), 'unsupported', 'mris_convert');
  await fails('lh.pial', bytes.subarray(0, 10), 'corrupt', 'in its header');
});

test('GIFTI', async () => {
  const good = giftiText(tetrahedron, { encoding: 'ASCII' });
  await fails('a.gii', good.slice(0, 500), 'corrupt', 'XML');
  await fails('a.gii', good.replace('NIFTI_INTENT_TRIANGLE', 'NIFTI_INTENT_SHAPE'), 'unsupported', '.surf.gii');
  await fails('a.gii', good.replaceAll('Dim0="4"', 'Dim0="5"'), 'corrupt', '12 of its 15 numbers');
  await fails('a.gii', good.replaceAll('Dim0="4"', 'Dim0="999999999"'), 'unsupported', 'more than 16777216');
  await fails('a.gii', good.replace('0 3 1', '0 3 9'), 'corrupt', 'corner that the file lacks');
  await fails('a.gii', good.replace('0 0 0 1', '0 0 x 1'), 'corrupt', 'corner 1');
  await fails('a.gii', good.replaceAll('"ASCII"', '"ExternalFileBinary"'), 'unsupported', 'another file');
  const packed = giftiText(tetrahedron);
  await fails('a.gii', packed.replace('<Data>', '<Data>AAAA'), 'corrupt', 'broken or truncated');
  await fails('a.gii', packed.replaceAll('Dim0="4"', 'Dim0="2"'), 'corrupt', /exceeds the stated 24 bytes/);
  await fails('a.gii', packed.replace('<Data>', '<Data>!'), 'corrupt', 'not base64');
  const about = giftiSystem('NIFTI_XFORM_UNKNOWN', 'NIFTI_XFORM_SCANNER_ANAT', new Array(16).fill(0));
  await fails('a.gii', giftiText(tetrahedron, { about }), 'corrupt', 'no usable matrix');
  await fails('a.gii', good.replace('<MetaData>', '<a>'.repeat(40)), 'corrupt', 'nested');
});

describe('glTF', () => {
  const positions = btoa(String.fromCharCode(...new Uint8Array(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0]).buffer)));
  const uri = `data:application/octet-stream;base64,${positions}`;
  const file = (change: object = {}) =>
    JSON.stringify({
      asset: { version: '2.0' },
      nodes: [{ name: 'n', mesh: 0, translation: [0, 0, 0.002] }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, mode: 5 }] }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 4, type: 'VEC3' }],
      bufferViews: [{ buffer: 0, byteLength: 48 }],
      buffers: [{ byteLength: 48, uri }],
      ...change,
    });

  test('a strip without numbers of corners, in a text file, is placed by its nodes', async () => {
    const nodes = [
      { children: [1], scale: [1, 1, -1] },
      { name: 'n', mesh: 0, translation: [0, 0, 0.002] },
    ];
    const { meshes } = await read('a.gltf', file({ nodes }));
    expect(meshes.map(({ name }) => name)).toEqual(['n']);
    expect([...(meshes[0]?.mesh.positions ?? [])]).toEqual([0, 0, -2, 1000, 0, -2, 0, 1000, -2, 1000, 1000, -2]);
    // Mirrored, so each triangle is turned.
    expect([...(meshes[0]?.mesh.triangles ?? [])]).toEqual([0, 2, 1, 2, 3, 1]);
  });

  test.each([
    ['extensions', { extensionsRequired: ['KHR_draco_mesh_compression'] }, 'unsupported', 'KHR_draco_mesh_compression'],
    ['another file', { buffers: [{ byteLength: 48, uri: 'a.bin' }] }, 'unsupported', '"a.bin"'],
    ['no binary part', { buffers: [{ byteLength: 48 }] }, 'corrupt', 'binary part'],
    ['a circle', { nodes: [{ children: [1] }, { children: [0], mesh: 0 }], scenes: [{ nodes: [0] }] }, 'corrupt', 'not a tree'],
    ['a node that is not there', { scenes: [{ nodes: [7] }] }, 'corrupt', 'not a tree'],
    ['a flat transform', { nodes: [{ mesh: 0, scale: [1, 0, 1] }] }, 'corrupt', 'flattens'],
    [
      'counts beyond the file',
      { accessors: [{ bufferView: 0, componentType: 5126, count: 1e15, type: 'VEC3' }] },
      'corrupt',
      'ends early',
    ],
    ['a part outside of the file', { bufferViews: [{ buffer: 0, byteOffset: 1e6, byteLength: 48 }] }, 'corrupt', 'ends early'],
    ['corners that overlap', { bufferViews: [{ buffer: 0, byteLength: 48, byteStride: 0 }] }, 'corrupt', 'ends early'],
    ['sparse accessors', { accessors: [{ componentType: 5126, count: 4, type: 'VEC3' }] }, 'unsupported', 'sparse'],
    ['a mesh that is not there', { nodes: [{ mesh: 3 }] }, 'corrupt', 'mesh 3'],
    ['negative numbers', { nodes: [{ mesh: -1 }] }, 'corrupt', '-1'],
    ['lists that are none', { accessors: 4 }, 'corrupt', 'accessors'],
    [
      'a corner of the next part',
      {
        meshes: [
          {
            primitives: [
              { attributes: { POSITION: 0 }, indices: 1 },
              { attributes: { POSITION: 0 }, mode: 5 },
            ],
          },
        ],
        accessors: [
          { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' },
          { bufferView: 1, componentType: 5121, count: 3, type: 'SCALAR' },
        ],
        bufferViews: [
          { buffer: 0, byteLength: 48 },
          { buffer: 1, byteLength: 3 },
        ],
        // 0, 1, 3
        buffers: [
          { byteLength: 48, uri },
          { byteLength: 3, uri: 'data:;base64,AAED' },
        ],
      },
      'corrupt',
      'corner that the file lacks',
    ],
    ['names that are objects', { extensionsRequired: [{ toString: 1 }] }, 'unsupported', 'toString'],
    ['lines', { meshes: [{ primitives: [{ attributes: { POSITION: 0 }, mode: 1 }] }] }, 'invalid-input', 'no triangles'],
    ['many objects', { nodes: Array.from({ length: 65 }, () => ({ mesh: 0 })) }, 'unsupported', 'more than 64 objects'],
  ] as const)('%s', async (_, change, tag, words) => {
    await fails('a.gltf', file(change), tag, words);
  });

  test('a .glb that is damaged', async () => {
    const glb = await written('glb');
    await fails('a.glb', glb.subarray(0, glb.length - 4), 'corrupt', 'ends early');
    await fails('a.glb', withNumber(glb.slice(), 4, 1), 'unsupported', 'glTF 1');
    await fails('a.gltf', '{"a"', 'corrupt', 'not JSON');
    // The last corner's number.
    await fails('a.glb', withNumber(glb.slice(), glb.length - 4, 4), 'corrupt', 'corner that the file lacks');
  });
});

test('a promise of many corners costs no memory', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const mesh = ballMesh([0, 0, 0], 1, 4);
  const ply = await writtenMesh(writeMesh, 'ply', [{ name: 'a', mesh }]);
  const text = new TextDecoder('latin1').decode(ply);
  const lying = text.replace(/element vertex \d+/, 'element vertex 999999999999');
  await fails(
    'a.ply',
    Uint8Array.from(lying, (letter) => letter.charCodeAt(0)),
    'corrupt',
    'vertex',
  );
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 22);
});
