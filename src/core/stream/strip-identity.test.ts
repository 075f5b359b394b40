import { expect, test } from 'vitest';
import { createCpuBackend } from '../cpu/cpu-backend.ts';
import { inlinePool } from '../cpu/inline-pool.ts';
import { ContainerReader } from '../format/container-reader.ts';
import { memoryTree } from '../io/common/file-tree.ts';
import { parseFilesTable } from '../io/common/files-table.ts';
import { noise, readVoxels } from '../io/common/source-testing.ts';
import { ctSlice, dicomFile, fragmentBytes, type TestElements, uids } from '../io/dicom/dicom-testing.ts';
import { encodeRle } from '../io/dicom/pixels/encoders-testing.ts';
import { openVolume } from '../io/open-volume.ts';
import { memorySink, memorySource } from '../shared/bytes.ts';
import { compressVolume } from './compress/compress.ts';
import { auto } from './engine-testing.ts';
import { restoreVolume } from './restore/restore.ts';

const backend = createCpuBackend(inlinePool());
const secret = 'SECRET';
/** Each of these contains the word in a different way. */
const personal: TestElements = {
  524416: ['LO', `${secret} hospital`],
  528656: ['SQ', [{ 528725: ['UI', '1.2.99'] }]],
  589840: ['LO', secret],
  1048592: ['PN', `${secret}^Jane`],
  1048624: ['DA', '19700203'],
  1064960: ['LT', secret],
  4194933: ['SQ', [{ 4194311: ['LO', secret], 3280992: ['LO', 'Head'], 593921: ['LO', secret] }]],
  1610629120: ['LT', secret],
};

function slice(z: number, more: TestElements = {}): TestElements {
  return ctSlice({ columns: 8, rows: 6, z, instance: z + 1, pixels: noise(96, z + 1), more: { ...personal, ...more } });
}

async function stripped(files: Record<string, Uint8Array>) {
  const sink = memorySink();
  const volume = await openVolume(memoryTree(secret, files), { stripIdentity: true });
  expect(volume.tags?.filter((tag) => tag.isPersonal)).toEqual([]);
  await compressVolume(volume, sink, { backend, choice: auto });
  const container = await ContainerReader.open(memorySource('a.stria', sink.bytes()));
  const { parts } = await container.sourceDescription();
  const table = parseFilesTable(parts[0]?.before ?? new Uint8Array(), container.header.volume);
  const restored: Record<string, Uint8Array> = {};
  const sinks = new Map<string, ReturnType<typeof memorySink>>();
  await restoreVolume(
    container,
    async (name) => {
      const file = memorySink();
      sinks.set(name, file);
      return file;
    },
    { backend, baseName: 'a' },
  );
  for (const [name, file] of sinks) restored[name] = file.bytes();
  const text =
    new TextDecoder('latin1').decode(sink.bytes()) +
    [...sinks.values()].map((file) => new TextDecoder('latin1').decode(file.bytes())).join();
  expect(text).not.toContain(secret);
  expect(text).not.toContain('19700203');
  return { restored, table };
}

const { 0x7fe00010: _, ...header } = slice(1);
const folders: Readonly<Record<string, Record<string, Uint8Array>>> = {
  explicit: {
    [`${secret}/1`]: dicomFile(slice(0)),
    [`${secret}/2`]: dicomFile(slice(1, { 4294770684: ['OB', new TextEncoder().encode(secret)] })),
  },
  implicit: { a: dicomFile(slice(0), { syntax: uids.implicit }), b: dicomFile(slice(1), { syntax: uids.implicit }) },
  'with delimiters': { a: dicomFile(slice(0), { isDelimited: true }), b: dicomFile(slice(1), { isDelimited: true }) },
  'big-endian': { a: dicomFile(slice(0), { syntax: uids.big }), b: dicomFile(slice(1), { syntax: uids.big }) },
  compressed: { a: dicomFile(header, { syntax: uids.rle, after: fragmentBytes([encodeRle(noise(96, 2), 2)]) }) },
  'kept beside the voxels': { a: dicomFile(slice(0, { 2621697: ['US', 12], 2621698: ['US', 11] })) },
};

test.each(Object.entries(folders))(
  '%s: nothing of a person is kept, and the files open with the same voxels',
  async (_name, files) => {
    const { restored } = await stripped(files);
    const before = await openVolume(memoryTree('a', files));
    const after = await openVolume(memoryTree('b', restored));
    expect(after.info).toEqual(before.info);
    expect(await readVoxels(after)).toEqual(await readVoxels(before));
    const tag = (id: string) => after.tags?.find((one) => one.id === id)?.value;
    expect(tag('(0012,0062)')).toBe('YES');
    expect(tag('(0010,0010)')).toBe('');
    expect(tag('(0008,0060)')).toBe('CT');
    expect(tag('(0020,000E)')).toMatch(/^2\.25\.\d+$/);
  },
);

test('files of a series stay one series', async () => {
  const { restored } = await stripped({ a: dicomFile(slice(0)), b: dicomFile(slice(1)) });
  expect(Object.keys(restored)).toEqual(['IM000001', 'IM000002']);
  expect((await openVolume(memoryTree('b', restored))).info.dims).toEqual([8, 6, 2, 1]);
});
