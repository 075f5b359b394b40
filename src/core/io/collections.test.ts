import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ByteSource, memorySource } from '../shared/bytes.ts';
import { faultFromData, faultToData, inContext, StriaError } from '../shared/errors.ts';
import { collectionReaders } from './collections.ts';
import { type FileTree, isFileTree, memoryTree, splitPath } from './common/file-tree.ts';
import { faultOf, readVoxels } from './common/source-testing.ts';
import type { CollectionReader, VolumeEntry } from './common/volume-entry.ts';
import { listVolumes, openVolume } from './open-volume.ts';
import { openRaw } from './raw/raw-reader.ts';

// A format with several volumes in a file: 'MANY', then for each pair of bytes a volume of 2 × 1 × 1 u8. A pair that begins with
// 0xff is a volume that cannot be opened.

const many = (...bytes: number[]) => Uint8Array.of(...new TextEncoder().encode('MANY'), ...bytes);

async function entriesOf(source: ByteSource, prefix = ''): Promise<VolumeEntry[]> {
  const bytes = (await source.read(0, source.size)).subarray(4);
  return Array.from({ length: bytes.length / 2 }, (_, index) => {
    const pair = bytes.slice(2 * index, 2 * index + 2);
    return {
      id: `${prefix}${index}`,
      label: `pair ${index}`,
      group: [source.name],
      shape: [2, 1, 1],
      type: 'u8',
      details: '',
      ...(pair[0] === 0xff ? { problem: 'it begins with 255' } : {}),
      open: (options) => openRaw(memorySource('pair', pair), { layout: { dims: [2, 1, 1, 1], type: 'u8' } }, options),
    };
  });
}

const planted: CollectionReader = {
  format: 'raw',
  recognises: (_, head) => new TextDecoder().decode(head.subarray(0, 4)) === 'MANY',
  recognisesTree: async (tree) => (await tree.files()).some(({ path }) => path.endsWith('.many')),
  async list(input) {
    if (!isFileTree(input)) return entriesOf(input);
    const lists: VolumeEntry[][] = [];
    for (const { path, open } of await input.files()) {
      if (path.endsWith('.many')) lists.push(await entriesOf(await open(), splitPath(path)[0]));
    }
    return lists.flat();
  },
};

beforeEach(() => {
  collectionReaders.unshift(planted);
});
afterEach(() => {
  collectionReaders.splice(collectionReaders.indexOf(planted), 1);
});

const idsOf = (input: ByteSource | FileTree) => listVolumes(input).then((entries) => entries?.map(({ id }) => id));

describe('a file with several volumes', () => {
  test('opens its only volume, or the named one', async () => {
    expect(await readVoxels(await openVolume(memorySource('a', many(1, 2))))).toEqual(Uint8Array.of(1, 2));
    const named = await openVolume(memorySource('a', many(1, 2, 3, 4)), { dataset: '1' });
    expect(await readVoxels(named)).toEqual(Uint8Array.of(3, 4));
  });

  test('opens the only volume that can be opened', async () => {
    expect(await readVoxels(await openVolume(memorySource('a', many(0xff, 2, 3, 4))))).toEqual(Uint8Array.of(3, 4));
  });

  test('requires a name if there are several, and lists them as plain data', async () => {
    const fault = await faultOf(openVolume(memorySource('a', many(1, 2, 3, 4, 0xff, 6))));
    expect(fault).toMatchObject({ tag: 'several', message: 'there are 2 volumes here: 0 (pair 0), 1 (pair 1)' });
    expect(fault?.choices).toHaveLength(3);
    expect(fault?.choices?.[2]).toEqual({
      id: '2',
      label: 'pair 2',
      group: ['a'],
      shape: [2, 1, 1],
      type: 'u8',
      details: '',
      problem: 'it begins with 255',
    });
    const posted = faultFromData(structuredClone(faultToData(inContext('a', fault))));
    expect(posted).toMatchObject({ tag: 'several', context: ['a'], choices: fault?.choices });
  });

  test('lists only some of many volumes in a message', async () => {
    const fault = await faultOf(openVolume(memorySource('a', many(...Array(40).fill(1)))));
    expect(fault?.message).toMatch(/^there are 20 volumes here: 0 .* and 8 more$/);
    expect(fault?.choices).toHaveLength(20);
  });

  test('reports why no volume can be opened', async () => {
    expect(await faultOf(openVolume(memorySource('a', many(0xff, 2))))).toMatchObject({
      tag: 'unsupported',
      message: 'no volume here can be opened: it begins with 255',
    });
    expect(await faultOf(openVolume(memorySource('a', many())))).toMatchObject({ tag: 'unsupported' });
  });

  test('refuses an unknown name, and a volume that cannot be opened', async () => {
    const source = memorySource('a', many(1, 2, 0xff, 4));
    expect(await faultOf(openVolume(source, { dataset: '9' }))).toMatchObject({ tag: 'invalid-input' });
    expect(await faultOf(openVolume(source, { dataset: '1' }))).toMatchObject({ tag: 'unsupported' });
  });

  test('is raw if a raw layout is given', async () => {
    const raw = { dims: [6, 1, 1, 1], type: 'u8' } as const;
    expect(await readVoxels(await openVolume(memorySource('a', many(1, 2)), { raw }))).toEqual(many(1, 2));
  });
});

test('a file with one volume has no list and accepts no name', async () => {
  const raw = memorySource('a_2x2x1_uint8.raw', Uint8Array.of(1, 2, 3, 4));
  expect(await listVolumes(raw)).toBeUndefined();
  expect(await faultOf(openVolume(raw, { dataset: 'x' }))).toMatchObject({ tag: 'invalid-input' });
});

describe('a folder', () => {
  const tree = memoryTree('study', { 'a/1.many': many(1, 2), 'b/2.many': many(3, 4), 'notes.txt': many(9, 9) });

  test('is listed and opened by name', async () => {
    expect(await idsOf(tree)).toEqual(['a/0', 'b/0']);
    expect(await readVoxels(await openVolume(tree, { dataset: 'b/0' }))).toEqual(Uint8Array.of(3, 4));
    expect(await faultOf(openVolume(tree))).toMatchObject({ tag: 'several' });
  });

  test('gives each volume a unique id, whatever its reader returns', async () => {
    const twice = memoryTree('study', { '1.many': many(1, 2), '2.many': many(3, 4) });
    expect(await idsOf(twice)).toEqual(['0', '0#2']);
    expect(await readVoxels(await openVolume(twice, { dataset: '0#2' }))).toEqual(Uint8Array.of(3, 4));
  });

  test('without volumes says so', async () => {
    expect(await faultOf(openVolume(memoryTree('empty', {})))).toMatchObject({ message: 'the folder is empty' });
    const fault = await faultOf(openVolume(memoryTree('notes', { 'a.txt': many() })));
    expect(fault).toMatchObject({ tag: 'unsupported' });
    expect(fault?.message).toContain('none of the 1 files');
  });

  test('is never raw', async () => {
    const raw = { dims: [1, 1, 1, 1], type: 'u8' } as const;
    expect(await faultOf(openVolume(tree, { raw }))).toMatchObject({ tag: 'invalid-input' });
  });

  test('returns its files in the order of their paths, and finds them', async () => {
    expect((await tree.files()).map(({ path, size }) => [path, size])).toEqual([
      ['a/1.many', 6],
      ['b/2.many', 6],
      ['notes.txt', 6],
    ]);
    expect((await tree.find('b/2.many'))?.name).toBe('2.many');
    expect(await tree.find('2.many')).toBeUndefined();
  });
});

test('only a `several` fault has choices', () => {
  expect(faultToData(new StriaError('corrupt', 'x'))).toEqual({ tag: 'corrupt', message: 'x', context: [] });
});
