import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ByteSource, memorySource } from '../shared/bytes.ts';
import type { JobOptions, Progress } from '../shared/job.ts';
import { type Dims4, type ElementType, elementBytes, elementTypes } from '../shared/volume.ts';
import { joinBytes, pieceBytes } from './common/byte-stream.ts';
import { memoryTree } from './common/file-tree.ts';
import {
  faultOf,
  niftiFile,
  noise,
  nrrdLines,
  nrrdText,
  readVoxels,
  rebuild,
  siblingsAmong,
  trickling,
  typeCodes,
} from './common/source-testing.ts';
import { openVolume } from './open-volume.ts';

test('axes are given only to arrays', async () => {
  const nifti = niftiFile({ dim: [3, 2, 2, 2], datatype: 2 }, noise(8));
  const raw = { dims: [2, 2, 2, 1], type: 'u8' } as const;
  for (const [name, options] of [
    ['scan.nii', { axes: 'czyx' }],
    ['scan.bin', { axes: 'czyx', raw }],
  ] as const) {
    const fault = await faultOf(openVolume(memorySource(name, nifti), options));
    expect(fault).toMatchObject({ tag: 'invalid-input' });
    expect(fault?.message).toBe('the axes of this format are known; only HDF5, Zarr and NumPy take --axes');
  }
  const folder = memoryTree('study', { 'scan.nii': nifti });
  expect((await faultOf(openVolume(folder, { axes: 'czyx' })))?.message).toContain('only HDF5, Zarr and NumPy take --axes');
  expect((await faultOf(openVolume(memorySource('notes', noise(20)), { axes: 'zyx' })))?.tag).toBe('unsupported');
});

describe('a file that is not a volume', () => {
  const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

  test.each([
    ['photo.jpg', '\xff\xd8\xff\xe0', 'JPEG'],
    ['IM0001', `${'\0'.repeat(128)}DICM`, 'holds no pixels'],
    ['slice.dcm', '\x08\0', 'named like a DICOM file'],
    ['scan.stria', '\x89STRIA\r\n', 'already compressed'],
    ['brain.mnc', 'CDF\x01\0\0\0\0', 'MINC 1'],
    ['cells.mat', 'MATLAB 5.0 MAT-file, Platform', '-v7.3'],
    ['anat+orig.BRIK', '\0\x01', '3dAFNItoNIFTI'],
    ['anat+orig.HEAD', '\ntype = string-attribute\n', '3dAFNItoNIFTI'],
    ['anat+orig.BRIK.gz', '\0\x01', 'AFNI'],
    ['pet.v', 'MATRIX72v\0', 'ECAT 7'],
    ['pet.hv', '!INTERFILE :=', 'Interfile'],
    ['cell.czi', 'ZISRAWFILE\0\0', 'CZI'],
    ['cell.lif', 'p\0\0\0\x10\0\0\0*', 'LIF'],
    ['cell.nd2', '\xda\xce\xbe\x0a', 'ND2'],
    ['cell.oib', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'OIB'],
    ['cell.ome', '<?xml version="1.0" encoding="UTF-8"?>\n<OME xmlns="">', 'OME-XML'],
    ['zarr.json', '{"zarr_format": 3}', 'Zarr'],
    ['.zarray', '{"zarr_format": 2}', 'Zarr'],
    ['photo.jp2', '\0\0\0\x0cjP  \r\n\x87\n', 'JPEG 2000'],
    ['photo.j2k', '\xff\x4f\xff\x51', 'JPEG 2000'],
    ['photo.heic', '\0\0\0\x18ftypheic', 'HEIC'],
    ['film.mp4', '\0\0\0\x18ftypisom', 'video'],
    ['sky.fits', 'SIMPLE  =                    T', 'FITS'],
    ['scan.nii.bz2', 'BZh91AY', 'bzip2'],
    ['all.tar', `${'a'.padEnd(257, '\0')}ustar`, 'TAR'],
    ['scan.raw.json', '{}', 'raw file'],
    ['notes.txt', 'hello', 'NIfTI (.nii'],
    ['scan.raw', '12345678', 'dims and type'],
  ])('is named: %s', async (name, content, named) => {
    const fault = await faultOf(openVolume(memorySource(name, ascii(content))));
    expect(fault).toMatchObject({ tag: 'unsupported' });
    expect(fault?.message).toContain(named);
  });

  test('is named inside gzip, too', async () => {
    const fault = await faultOf(openVolume(memorySource('stack.tif.gz', gzipSync(ascii('II*\0')))));
    expect(fault?.message).toContain('TIFF');
    expect(fault?.message).toContain('gunzip');
  });

  test('is corrupt if it is empty or if its content does not match its name', async () => {
    expect(await faultOf(openVolume(memorySource('scan.raw', new Uint8Array())))).toMatchObject({ tag: 'corrupt' });
    for (const name of ['scan.nii', 'scan.hdr', 'scan.nrrd', 'scan.nhdr', 'scan.nii.gz']) {
      const isEmpty = { tag: 'corrupt', message: 'the file is empty' };
      expect(await faultOf(openVolume(memorySource(name, new Uint8Array())))).toMatchObject(isEmpty);
      expect(await faultOf(openVolume(memorySource(name, noise(700))))).toMatchObject({ tag: 'corrupt' });
    }
  });
});

interface Case {
  readonly dims: Dims4;
  readonly type: ElementType;
  readonly endian: 'little' | 'big';
  readonly seed: number;
  readonly extra: number;
  readonly after: number;
  readonly gzip: boolean;
  readonly most: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  dims: fc.tuple(
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 1, max: 3 }),
  ),
  type: fc.constantFrom(...elementTypes),
  endian: fc.constantFrom('little', 'big'),
  seed: fc.integer(),
  extra: fc.integer({ min: 0, max: 70 }),
  after: fc.integer({ min: 0, max: 30 }),
  gzip: fc.boolean(),
  most: fc.integer({ min: 1, max: 1000 }),
});

/** A volume of noise in every format. */
function filesOf({ dims, type, endian, seed, extra, after }: Case): { name: string; bytes: Uint8Array; offset?: number }[] {
  const voxels = noise(
    dims.reduce((product, length) => product * length, elementBytes(type)),
    seed,
  );
  const [inFront, behind] = [noise(extra, seed + 1), noise(after, seed + 2)];
  const fields = { endian, dim: [4, ...dims], datatype: typeCodes[type].nifti };
  return [
    { name: 'a.nii', bytes: niftiFile(fields, voxels, inFront, behind) },
    { name: 'b.nii', bytes: niftiFile({ ...fields, version: 2 }, voxels, inFront, behind) },
    {
      name: 'c.nrrd',
      bytes: joinBytes([nrrdText([...nrrdLines(dims, type, endian), `byteskip: ${extra}`]), inFront, voxels, behind]),
    },
    { name: 'd.raw', bytes: joinBytes([inFront, voxels, behind]), offset: extra },
  ];
}

test('any volume in any format is restored byte for byte from voxels and source', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (drawn) => {
      const { dims, type, endian, gzip, most } = drawn;
      for (const { name, bytes, offset } of filesOf(drawn)) {
        const file = gzip ? memorySource(`${name}.gz`, gzipSync(bytes)) : memorySource(name, bytes);
        const raw = offset === undefined ? undefined : { dims, type, endian, offset };
        const volume = await openVolume(trickling(file, most), { raw });
        expect(volume.info).toMatchObject({ dims, type });
        const voxels = await readVoxels(volume);
        expect(rebuild(await volume.source(), voxels, type)).toEqual([{ name, bytes }]);
      }
    }),
    { numRuns: 60 },
  );
});

test('voxels can be read again, and the source can be described without them', async () => {
  const bytes = niftiFile({}, noise(24), undefined, noise(5));
  for (const file of [memorySource('a.nii', bytes), memorySource('a.nii.gz', gzipSync(bytes))]) {
    const volume = await openVolume(file);
    expect((await volume.source()).parts[0]?.after).toEqual(noise(5));
    expect(await readVoxels(volume)).toEqual(noise(24));
    expect(await readVoxels(volume)).toEqual(noise(24));
  }
});

describe('damage gives a typed error or a volume, never more memory than the file has', () => {
  const fields = {
    dim: [4, 4, 3, 2, 2],
    datatype: 4,
    slope: 2,
    units: 10,
    sform: { code: 1, rows: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] },
  };
  const files = [
    { name: 'a.nii', bytes: niftiFile(fields, noise(96)), header: 352 },
    { name: 'b.nii', bytes: niftiFile({ ...fields, version: 2, endian: 'big' }, noise(96)), header: 544 },
    {
      name: 'c.nrrd',
      bytes: joinBytes([
        nrrdText([
          ...nrrdLines([4, 3, 2, 2], 'i16'),
          'space: LPS',
          'space directions: (1,0,0) (0,1,0) (0,0,1) none',
          'byte skip: 4',
        ]),
        noise(100),
      ]),
      header: 210,
    },
    {
      name: 'd.nhdr',
      bytes: nrrdText([...nrrdLines([4, 3, 2, 2], 'i16', 'big', 'gzip'), 'data file: d.raw.gz', 'line skip: 0']),
      header: 150,
    },
  ];
  const siblings = siblingsAmong([{ name: 'd.raw.gz', bytes: gzipSync(noise(96)) }]);

  async function openAndRead(file: ByteSource): Promise<void> {
    const volume = await openVolume(file, { siblings });
    let length = 0;
    for await (const piece of volume.voxels()) length += piece.byteLength;
    expect(length).toBeLessThanOrEqual(2000);
    await volume.source();
  }

  const zippedToo = files.flatMap(({ name, bytes, header }) =>
    [false, true].map((gzip) => ({ name: gzip ? `${name}.gz` : name, bytes, header, gzip })),
  );

  test.each(zippedToo)('$name cut at every byte', async ({ name, bytes, gzip }) => {
    for (let length = 0; length < bytes.byteLength; length++) {
      const cut = bytes.subarray(0, length);
      const fault = await faultOf(openAndRead(memorySource(name, gzip ? gzipSync(cut) : cut)));
      // A text header truncated in its last line or in skipped bytes can still be complete.
      if (!name.startsWith('d')) expect(fault, `cut at ${length}`).toBeDefined();
    }
  });

  test.each(zippedToo)('$name with flipped header bytes', async ({ name, bytes, header, gzip }) => {
    for (let at = 0; at < Math.min(header, bytes.byteLength); at++) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const flipped = new Uint8Array(bytes);
        flipped[at] = (flipped[at] as number) ^ mask;
        await faultOf(openAndRead(memorySource(name, gzip ? gzipSync(flipped) : flipped)));
      }
    }
    expect(await faultOf(openAndRead(memorySource(name, gzip ? gzipSync(bytes) : bytes)))).toBeUndefined();
  });
});

describe('cancelling', () => {
  /** A source that records the signals it receives and cancels after some reads. */
  function watched(inner: ByteSource, cancel: AbortController, after: number) {
    const signals: (AbortSignal | undefined)[] = [];
    const source: ByteSource = {
      ...inner,
      async read(offset: number, length: number, options?: JobOptions) {
        signals.push(options?.signal);
        if (signals.length > after) cancel.abort();
        return inner.read(offset, Math.min(length, 5000), options);
      },
    };
    return { source, signals };
  }

  const bytes = niftiFile({ dim: [3, 64, 64, 30] }, noise(64 * 64 * 30));
  test.each([
    ['plain', memorySource('a.nii', bytes)],
    ['gzip', memorySource('a.nii.gz', gzipSync(bytes))],
  ])('reaches the innermost read and ends it: %s', async (_, file) => {
    for (const after of [0, 1, 3, 8, 14]) {
      const cancel = new AbortController();
      const { source, signals } = watched(file, cancel, after);
      const work = async () => {
        const volume = await openVolume(source, { signal: cancel.signal });
        for await (const _ of volume.voxels({ signal: cancel.signal }));
      };
      expect(await faultOf(work())).toMatchObject({ tag: 'aborted' });
      expect(signals).toEqual(Array(after + 1).fill(cancel.signal));
    }
  });

  test('a job cancelled before it begins reads nothing', async () => {
    const { source, signals } = watched(memorySource('a.nii', bytes), new AbortController(), 99);
    expect(await faultOf(openVolume(source, { signal: AbortSignal.abort() }))).toMatchObject({ tag: 'aborted' });
    expect(signals).toEqual([]);
  });
});

test('a large volume is read in pieces, with progress, and never ahead of its caller', async () => {
  const total = 5 * pieceBytes + 12;
  let read = 0;
  const source: ByteSource = {
    name: 'a_1x1x10485772_uint8.raw',
    size: total,
    async read(_, length) {
      read += length;
      return new Uint8Array(length);
    },
  };
  const volume = await openVolume(source);
  const before = read;
  const progress: Progress[] = [];
  const lengths: number[] = [];
  for await (const piece of volume.voxels({ onProgress: (step) => progress.push(step) })) {
    lengths.push(piece.byteLength);
    expect(read - before).toBe(lengths.reduce((sum, length) => sum + length));
    // The caller may do anything with its piece.
    structuredClone(piece.buffer, { transfer: [piece.buffer as ArrayBuffer] });
  }
  expect(lengths).toEqual([...Array(5).fill(pieceBytes), 12]);
  expect(progress.at(-1)).toEqual({ stage: 'Reading', done: total, total });
});
