import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { swapBytes, typedVoxels } from '../../shared/volume.ts';
import { memoryTree } from '../common/file-tree.ts';
import { faultOf, noise, readVoxels } from '../common/source-testing.ts';
import { listVolumes, openVolume } from '../open-volume.ts';
import { ctSlice, dicomFile, elementBytes, type TestElements, uids } from './dicom-testing.ts';

const pixels = noise(4 * 3 * 2, 3);

async function openOne(bytes: Uint8Array, name = 'IM0001') {
  return openVolume(memorySource(name, bytes));
}

describe('one file', () => {
  const bigPixels = pixels.slice();
  swapBytes(bigPixels, 2);
  const encodings: readonly (readonly [string, Uint8Array])[] = [
    ['explicit', dicomFile(ctSlice({ pixels }))],
    ['implicit', dicomFile(ctSlice({ pixels }), { syntax: uids.implicit })],
    ['big-endian', dicomFile(ctSlice({ pixels: bigPixels }), { syntax: uids.big })],
    ['deflated', dicomFile(ctSlice({ pixels }), { syntax: uids.deflated, pack: deflateRawSync })],
    [
      'deflated and padded',
      Uint8Array.from([...dicomFile(ctSlice({ pixels }), { syntax: uids.deflated, pack: deflateRawSync }), 0]),
    ],
    ['explicit without preamble and meta information', elementBytes(ctSlice({ pixels }), { isExplicit: true, isLittle: true })],
    ['implicit without them', elementBytes(ctSlice({ pixels }), { isExplicit: false, isLittle: true })],
    ['big-endian without them', elementBytes(ctSlice({ pixels: bigPixels }), { isExplicit: true, isLittle: false })],
    ['gzipped', gzipSync(dicomFile(ctSlice({ pixels })))],
    ['with elements after the pixels', dicomFile({ ...ctSlice({ pixels }), 4294770684: ['OB', new Uint8Array(6)] })],
  ];
  test.each(encodings)('%s', async (_, bytes) => {
    const volume = await openOne(bytes);
    expect(volume.info).toMatchObject({
      dims: [4, 3, 1, 1],
      type: 'i16',
      spacing: [0.25, 0.5, 1, 1],
      slope: 1,
      intercept: -1024,
    });
    expect(await readVoxels(volume)).toEqual(pixels);
    expect(volume.valueUnit).toBe('HU');
    expect(volume.windows).toEqual([
      { name: 'BRAIN', low: 0, high: 79 },
      { name: 'BONE', low: -100, high: 899 },
    ]);
  });

  test('reading its header does not read its pixels', async () => {
    const columns = 2000;
    const bytes = dicomFile(ctSlice({ columns, rows: 1000, pixels: new Uint8Array(columns * 1000 * 2) }));
    let read = 0;
    const source = memorySource('IM0001', bytes);
    await listVolumes({
      ...source,
      read: async (offset, length, options) => {
        const part = await source.read(offset, length, options);
        read += part.byteLength;
        return part;
      },
    });
    expect(read).toBeLessThan(80_000);
  });

  test('a header longer than the first read', async () => {
    const long = { 2113536: ['LT', 'x'.repeat(60_000)], 3293184: ['UT', 'y'.repeat(300_000)] } as unknown as TestElements;
    const volume = await openOne(dicomFile(ctSlice({ pixels, more: long })));
    expect(await readVoxels(volume)).toEqual(pixels);
  });

  test('12 bits of 16: the bits above them are not part of the value', async () => {
    const words = Uint16Array.from({ length: 12 }, (_, index) => 0xa000 | (index * 300));
    const more: TestElements = { 2621697: ['US', 12], 2621698: ['US', 11], 2621699: ['US', 0] };
    const volume = await openOne(dicomFile(ctSlice({ pixels: new Uint8Array(words.buffer), more })));
    expect(Array.from(typedVoxels('u16', await readVoxels(volume)))).toEqual(Array.from(words, (word) => word & 0xfff));
    const signed = await openOne(
      dicomFile(ctSlice({ pixels: new Uint8Array(words.buffer), more: { ...more, 2621699: ['US', 1] } })),
    );
    expect(Array.from(typedVoxels('i16', await readVoxels(signed)))).toEqual(Array.from(words, (word) => (word << 20) >> 20));
  });

  test('tags have names, and personal ones are marked', async () => {
    const sequence: TestElements = { 528725: ['UI', '1.2.9'], 589840: ['LO', 'Maker'] };
    const more: TestElements = { 528704: ['SQ', [sequence]], 524293: ['CS', 'ISO_IR 192'], 1048592: ['PN', 'Müller^Änne'] };
    for (const isDelimited of [false, true]) {
      const { tags = [] } = await openOne(dicomFile(ctSlice({ pixels, more }), { isDelimited }));
      expect(tags).toContainEqual({ id: '(0010,0010)', name: "Patient's Name", value: 'Müller^Änne', isPersonal: true });
      expect(tags).toContainEqual({ id: '(0028,0010)', name: 'Rows', value: '3', isPersonal: false });
      expect(tags).toContainEqual({
        id: '(0008,1140)[1](0008,1155)',
        name: 'Referenced SOP Instance UID',
        value: '1.2.9',
        isPersonal: true,
      });
      expect(tags).toContainEqual({ id: '(0008,1140)[1](0009,0010)', name: 'Private', value: 'Maker', isPersonal: true });
    }
  });

  test('a film extends along time, a dose has the offsets in its file', async () => {
    const frames = noise(4 * 3 * 2 * 5, 5);
    const film: TestElements = { 2621448: ['IS', '5'], 2621449: ['AT', 0x00181063], 1577059: ['DS', '40'] };
    const volume = await openOne(dicomFile(ctSlice({ pixels: frames, more: film })));
    expect(volume.info).toMatchObject({ dims: [4, 3, 1, 5], timeUnit: 'ms', spacing: [0.25, 0.5, 0.25, 40] });
    expect(await readVoxels(volume)).toEqual(frames);
    const dose: TestElements = {
      2621448: ['IS', '5'],
      2621449: ['AT', 0x3004000c],
      805568524: ['DS', '0\\-2.5\\-5\\-7.5\\-10'],
      805568526: ['DS', '0.001'],
      805568514: ['CS', 'GY'],
      524384: ['CS', 'RTDOSE'],
      2625619: ['DS', ''],
      2625618: ['DS', ''],
    };
    const doses = await openOne(dicomFile(ctSlice({ pixels: frames, z: 7, more: dose })));
    expect(doses.info).toMatchObject({ dims: [4, 3, 5, 1], slope: 0.001, intercept: 0, spacing: [0.25, 0.5, 2.5, 1] });
    // The lowest slice is first.
    expect(doses.info.affine).toEqual([-0.25, 0, 0, 10, 0, -0.5, 0, 20, 0, 0, 2.5, -3]);
    expect((await readVoxels(doses)).subarray(0, 24)).toEqual(frames.subarray(96));
    expect(doses.valueUnit).toBe('Gy');
  });

  test('the rate at which a series should be shown is not its time step', async () => {
    const file = (instance: number, z: number, point: number) =>
      dicomFile(
        ctSlice({
          pixels: noise(24, instance),
          instance,
          z,
          // Temporal position, acquisition time, and the recommended rate of display: 10 pictures a second.
          more: {
            2097408: ['IS', String(point)],
            524322: ['DA', '20240229'],
            524338: ['TM', `1200${String(30 * point).padStart(2, '0')}`],
            532804: ['IS', '10'],
          },
        }),
      );
    const files = [file(1, 0, 0), file(2, 2, 0), file(3, 0, 1), file(4, 2, 1)];
    const volume = await openVolume(
      memoryTree('folder', Object.fromEntries(files.map((bytes, index) => [String(index), bytes]))),
    );
    expect(volume.info).toMatchObject({ dims: [4, 3, 2, 2], spacing: [0.25, 0.5, 2, 30], timeUnit: 's' });
  });

  test('unsupported features are refused by name', async () => {
    const refused = async (more: TestElements, syntax?: string) =>
      (await faultOf(openOne(dicomFile(ctSlice({ pixels, more }), { ...(syntax && { syntax }) }))))?.message;
    expect(await refused({}, '1.2.840.10008.1.2.4.103')).toContain(
      'MPEG-4 AVC/H.264 BD-compatible (transfer syntax 1.2.840.10008.1.2.4.103)',
    );
    expect(await refused({ 2621696: ['US', 12] })).toContain('12 bits per sample are not supported');
    expect(await refused({ 2621444: ['CS', 'HSV'] })).toContain('HSV is not supported');
    expect(await refused({ 2621448: ['IS', '1A'] })).toContain("the header gives '1A' as the number of frames");
    expect(await refused({ 2621456: ['US', 0] })).toContain('the header gives 0 as the number of rows');
    expect(await refused({ 2621456: ['US', 30] })).toContain('the header promises 240 bytes of pixels, but there are 24');
    const { 0x7fe00010: _, ...report } = ctSlice({ pixels, more: { 524384: ['CS', 'SR'] } });
    expect((await faultOf(openOne(dicomFile(report))))?.message).toContain('holds no pixels (its modality is SR)');
  });
});

/** Slices of a series, given by their positions. */
function series(places: readonly number[], more: (index: number) => TestElements = () => ({})): Record<string, Uint8Array> {
  return Object.fromEntries(
    places.map((z, index) => [
      // Names and positions have different orders.
      `study/IM${(index * 7) % 10}${index}`,
      dicomFile(ctSlice({ z, instance: index + 1, pixels: noise(24, index + 1), more: more(index) })),
    ]),
  );
}

async function entriesOf(files: Record<string, Uint8Array>) {
  return (await listVolumes(memoryTree('folder', files))) ?? [];
}

describe('a folder', () => {
  test('slices are sorted by position, in RAS patient space', async () => {
    const places = [5, 2.5, 10, 7.5];
    const [entry] = await entriesOf({ ...series(places), 'study/notes.txt': noise(50), 'study/thumb': noise(500) });
    expect(entry).toMatchObject({
      id: '3',
      label: 'Bone 0.6',
      group: ['Doe Jane', '2024-02-29 Head'],
      shape: [4, 3, 4],
      type: 'i16',
    });
    expect(entry?.details).toBe('CT · 4 slices · 0.25 × 0.5 × 2.5 mm');
    const volume = await entry?.open({});
    expect(volume?.info).toMatchObject({ dims: [4, 3, 4, 1], spacing: [0.25, 0.5, 2.5, 1], spatialUnit: 'mm' });
    expect(volume?.info.affine).toEqual([-0.25, 0, 0, 10, 0, -0.5, 0, 20, 0, 0, 2.5, 2.5]);
    const voxels = volume && (await readVoxels(volume));
    const sorted = [2, 1, 4, 3].map((seed) => Array.from(noise(24, seed)));
    expect(Array.from(voxels ?? [])).toEqual(sorted.flat());
    const picture = await entry?.thumbnail?.();
    expect(picture).toMatchObject({ width: 4, height: 3 });
  });

  test('gaps, duplicate and tilted slices are reported', async () => {
    const details = async (places: readonly number[], more?: (index: number) => TestElements) =>
      (await entriesOf(series(places, more))).map((entry) => entry.details);
    expect(await details([0, 1, 2, 4, 5])).toEqual([expect.stringContaining('1 slice is missing after slice 3')]);
    expect(await details([0, 1, 2, 3.4, 4.4])).toEqual([expect.stringContaining('slices are 1.00 to 1.40 mm apart')]);
    expect(await details([0, 1, 1, 2])).toEqual([
      expect.stringContaining('1 picture does not fit in and can be opened separately'),
      expect.stringContaining('1 slice'),
    ]);
    const tilted = (index: number): TestElements => ({
      2097202: ['DS', `-10\\${-20 + index * Math.tan(Math.PI / 9)}\\${index}`],
    });
    expect(await details([0, 1, 2], tilted)).toEqual([
      expect.stringContaining('slices are tilted by 20.0° relative to their stack'),
    ]);
    const [sheared] = await entriesOf(series([0, 1, 2], tilted));
    const affine = (await sheared?.open({}))?.info.affine ?? [];
    expect(affine[6]).toBeCloseTo(-Math.tan(Math.PI / 9), 6);
    expect(affine[10]).toBeCloseTo(1, 6);
  });

  test('duplicate files count once', async () => {
    const files = series([0, 1]);
    const [first] = Object.values(files);
    const [entry] = await entriesOf({ ...files, 'copy/IM1': first as Uint8Array });
    expect(entry?.details).toContain('1 duplicate file is ignored');
    expect(entry?.shape).toEqual([4, 3, 2]);
  });

  test.each([
    ['time', 0x00200100, 'IS'],
    ['trigger time', 0x00181060, 'DS'],
    ['b-value', 0x00189087, 'FD'],
    ['echo', 0x00180081, 'DS'],
  ] as const)('4-D by %s', async (phase, tag, vr) => {
    const values = [30, 10, 20];
    const files = series([0, 0, 0, 1, 1, 1], (index) => ({
      [tag]: [vr, vr === 'FD' ? (values[index % 3] as number) : String(values[index % 3])],
    }));
    const [entry] = await entriesOf(files);
    expect(entry?.details).toContain(`3 time points by ${phase}`);
    const volume = await entry?.open({});
    expect(volume?.info.dims).toEqual([4, 3, 2, 3]);
    const seeds = [2, 5, 3, 6, 1, 4].flatMap((seed) => Array.from(noise(24, seed)));
    expect(volume && Array.from(await readVoxels(volume))).toEqual(seeds);
  });

  test('several series are offered as a choice', async () => {
    const other: TestElements = { 2097166: ['UI', '1.2.3.5'], 2097169: ['IS', '7'], 528446: ['LO', 'Soft'] };
    const turned: TestElements = { 2097207: ['DS', '0\\1\\0\\0\\0\\-1'] };
    const files = {
      ...series([0, 1]),
      'b/1': dicomFile(ctSlice({ pixels, instance: 21, more: other })),
      'b/2': dicomFile(ctSlice({ pixels, instance: 22, more: { ...other, ...turned } })),
    };
    const tree = memoryTree('folder', files);
    const fault = await faultOf(openVolume(tree));
    expect(fault).toMatchObject({ tag: 'several' });
    expect(fault?.choices?.map(({ id, label, shape }) => [id, label, shape])).toEqual([
      ['3', 'Bone 0.6', [4, 3, 2]],
      ['7/1', 'Soft', [4, 3]],
      ['7/2', 'Soft', [4, 3]],
    ]);
    expect((await openVolume(tree, { dataset: '7/2' })).info.affine.slice(0, 3)).toEqual([0, 0, 1]);
  });

  test('if scalings differ, the voxels are physical values', async () => {
    const files = series([0, 1, 2], (index) => ({ 2625619: ['DS', String([1, 0.5, 2.25][index])], 2625618: ['DS', '0'] }));
    const [entry] = await entriesOf(files);
    expect(entry?.details).toContain('each slice has its own scaling');
    const volume = await entry?.open({});
    expect(volume?.info).toMatchObject({ type: 'f32', slope: 1, intercept: 0 });
    const values = volume && typedVoxels('f32', await readVoxels(volume));
    const stored = [1, 2, 3].flatMap((seed) =>
      Array.from(typedVoxels('i16', noise(24, seed)), (value) => Math.fround(value * ([1, 0.5, 2.25][seed - 1] as number))),
    );
    expect(Array.from(values ?? [])).toEqual(stored);
  });

  test('uptake values if everything is known, otherwise becquerels', async () => {
    const drug: TestElements = { 1577074: ['TM', '090000'], 1577076: ['DS', '370000000'], 1577077: ['DS', '6586.2'] };
    const pet: TestElements = {
      524384: ['CS', 'PT'],
      524321: ['DA', '20240229'],
      524337: ['TM', '100000'],
      1052720: ['DS', '70'],
      2621521: ['CS', 'NORM\\ATTN\\DECY'],
      2625618: ['DS', '0'],
      2625619: ['DS', '2'],
      5505046: ['SQ', [drug]],
      5509121: ['CS', 'BQML'],
      5509378: ['CS', 'START'],
    };
    const volume = await openOne(dicomFile(ctSlice({ pixels, more: pet })));
    expect(volume.valueUnit).toBe('SUVbw');
    expect(volume.info.slope).toBeCloseTo((2 * 70_000) / (370e6 * 2 ** (-3600 / 6586.2)), 12);
    const light = await openOne(dicomFile(ctSlice({ pixels, more: { ...pet, 1052720: ['DS', ''] } })));
    expect([light.valueUnit, light.info.slope]).toEqual(['Bq/ml', 2]);
    // A series that was processed hours after the acquisition.
    const later: TestElements = { ...pet, 524322: ['DA', '20240229'], 524338: ['TM', '100000'], 524337: ['TM', '140000'] };
    const processed = await openOne(dicomFile(ctSlice({ pixels, more: later })));
    expect([processed.valueUnit, processed.info.slope]).toEqual(['Bq/ml', 2]);
  });
});
