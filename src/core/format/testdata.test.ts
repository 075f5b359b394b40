import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { memorySink, memorySource } from '../shared/bytes.ts';
import { toStriaError } from '../shared/errors.ts';
import type { SourceDescription } from '../shared/source.ts';
import type { VolumeInfo } from '../shared/volume.ts';
import { checksum } from './checksum.ts';
import type { EncodedChunk } from './chunk.ts';
import { type ChunkShape, chunkGridOf, codecElementBytes } from './chunk-grid.ts';
import { ContainerReader } from './container-reader.ts';
import {
  joinRecords,
  type RawRecord,
  rawSource,
  smallChunks,
  smallContainer,
  smallVolume,
  splitRecords,
  writeContainer,
} from './container-testing.ts';
import { ContainerWriter } from './container-writer.ts';
import { LostChunks } from './lost-chunks.ts';
import { recoverContainer } from './recover.ts';

// The files of testdata/ are made here: `STRIA_WRITE_TESTDATA=1 npx vitest run --project unit src/core/format/testdata`.
// Golden files stay as they are for as long as version 1 is read: a change of one is a change of the format.

const folder = new URL('../../../testdata/', import.meta.url);

/** Chunks of a volume's own bytes: raw, or constant where all elements agree. */
function rawChunks(volume: VolumeInfo, chunkShape: ChunkShape, voxels: Uint8Array): EncodedChunk[] {
  const grid = chunkGridOf(volume, chunkShape);
  const width = codecElementBytes(volume.type);
  return Array.from({ length: grid.count }, (_, number) => {
    const { origin, shape, t, timePoints } = grid.box(number);
    const rows: number[] = [];
    for (let at = 0; at < shape[2]; at++) {
      const first = t * grid.dims[2] + origin[2];
      const plane = grid.isInterleaved ? first + Math.floor(at / timePoints) + (at % timePoints) * grid.dims[2] : first + at;
      for (let y = origin[1]; y < origin[1] + shape[1]; y++) {
        const start = ((plane * grid.dims[1] + y) * grid.dims[0] + origin[0]) * width;
        rows.push(...voxels.subarray(start, start + shape[0] * width));
      }
    }
    const payload = Uint8Array.from(rows);
    const decodedChecksum = checksum(payload, shape[0] * width);
    const element = payload.slice(0, width);
    if (payload.every((byte, at) => byte === element[at % width])) return { kind: 'constant', element, decodedChecksum };
    const stages = [{ codecId: 1, parameters: new Uint8Array(0) }];
    return { kind: 'coded', stages, payload, encodedChecksum: checksum(payload), decodedChecksum };
  });
}

const text = (value: string) => new TextEncoder().encode(value);

/** 5 × 4 × 3 voxels of two time points: x + 10 y + 100 z at the first; 7 at the second. */
const seriesVolume: VolumeInfo = { ...smallVolume, dims: [5, 4, 3, 2], type: 'u16', timeUnit: 's', spacing: [1, 1, 2, 0.5] };
const seriesVoxels = Uint16Array.from({ length: 120 }, (_, i) =>
  i < 60 ? (i % 5) + 10 * (Math.floor(i / 5) % 4) + 100 * Math.floor(i / 20) : 7,
);
const seriesSource: SourceDescription = {
  format: 'nifti',
  endian: 'big',
  parts: [
    { name: 'series.hdr', before: text('not a real header'), hasVoxels: false, after: new Uint8Array(0) },
    { name: 'series.img', before: text('before'), hasVoxels: true, after: text('after') },
  ],
};

const seriesGrid = chunkGridOf(seriesVolume, [4, 4, 2, 1]);

const doublesVolume: VolumeInfo = { ...smallVolume, dims: [3, 1, 1, 1], type: 'f64', slope: Number.NaN, intercept: -0 };
const doublesVoxels = Float64Array.of(1.5, -0, Number.NEGATIVE_INFINITY);

/** 3 × 2 × 1 voxels of five time points, in chunks of two: 10 t + x + 3 y; but 9 at the third and the fourth. */
const framesVolume: VolumeInfo = { ...seriesVolume, dims: [3, 2, 1, 5], type: 'u8' };
/** 2 × 2 × 1 voxels of two channels at two time points: 100 channel + 10 time + voxel. */
const channelsVolume: VolumeInfo = {
  ...seriesVolume,
  dims: [2, 2, 1, 4],
  type: 'u8',
  channels: [{ name: 'DAPI', color: '#0000ff', window: [0, 120] }, { name: 'GFP' }],
  valueUnit: 'counts',
  windows: [{ name: 'All', low: 0, high: 255 }],
};
const channelsShape = [2, 2, 1, 1] as const;
const channelsVoxels = Uint8Array.from(
  { length: 16 },
  (_, i) => 100 * Math.floor(i / 8) + 10 * (Math.floor(i / 4) % 2) + (i % 4),
);

/** 2 × 2 × 3 voxels: 256 z + voxel, in two files of different byte order; a third one without voxels. */
const filesVolume: VolumeInfo = { ...seriesVolume, dims: [2, 2, 3, 1], type: 'u16' };
const filesVoxels = Uint16Array.from({ length: 12 }, (_, i) => 256 * Math.floor(i / 4) + (i % 4));
const filesSource: SourceDescription = {
  format: 'dicom',
  endian: 'little',
  parts: [{ name: '1', before: filesTable(), hasVoxels: true, after: new Uint8Array(0) }],
};

/** A table of files in a stored block of deflate: compressed bytes may change with the compressor. */
function filesTable(): Uint8Array {
  const rows = [
    { name: 'a/1', before: 5, after: 3, endian: 'big', samples: 1, planar: false, planes: [2, 0], rewritten: false },
    { name: 'a/2', before: 2, after: 0, endian: 'little', samples: 1, planar: false, planes: [1], rewritten: true },
    { name: 'DICOMDIR', before: 4, after: 0, endian: 'little', samples: 1, planar: false, planes: [], rewritten: false },
  ];
  const json = text(JSON.stringify({ files: rows }));
  const u32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer);
  const content = [...u32(json.length), ...json, ...text('beforendb2none')];
  return Uint8Array.from([...u32(content.length), ...storedBlock(content)]);
}

/** Content of at most 65,535 bytes as a deflate stream that does not compress it. */
function storedBlock(content: ArrayLike<number>): Uint8Array {
  const length = [content.length & 255, content.length >> 8];
  return Uint8Array.from([1, ...length, ...length.map((byte) => byte ^ 255), ...Array.from(content)]);
}

/** Bytes after the voxels, long enough for Stria to deflate them. */
const trailer = Uint8Array.from({ length: 1025 }, (_, i) => i % 7);

const framesShape = [3, 2, 1, 2] as const;
const framesVoxels = Uint8Array.from({ length: 30 }, (_, i) => (i >= 12 && i < 24 ? 9 : 10 * Math.floor(i / 6) + (i % 6)));

/** 5 × 2 × 3 voxels of three time points, in chunks of 4 × 2 × 2 and two time points: 30 t + 10 z + 5 y + x. */
const interleavedVolume: VolumeInfo = { ...seriesVolume, dims: [5, 2, 3, 3], type: 'u8' };
const interleavedShape = [4, 2, 2, 2, 'interleaved'] as const;
const interleavedVoxels = Uint8Array.from({ length: 90 }, (_, i) => i);

/** 6 × 3 × 2 voxels: (250 + x + 4 y + 7 z) mod 255. */
const rampVolume: VolumeInfo = { ...smallVolume, dims: [6, 3, 2, 1] };
const rampVoxel = (x: number, y: number, z: number) => (250 + x + 4 * y + 7 * z) % 255;
const rampVoxels = Uint8Array.from({ length: 36 }, (_, i) => rampVoxel(i % 6, Math.floor(i / 6) % 3, Math.floor(i / 18)));
const rampShape = [4, 3, 1, 1] as const;
const rampGrid = chunkGridOf(rampVolume, rampShape);
const rampChunks = rawChunks(rampVolume, rampShape, rampVoxels).map(({ decodedChecksum }, number): EncodedChunk => {
  const element = Uint8Array.of(rampVoxel(...rampGrid.box(number).origin));
  return { kind: 'ramp', element, steps: [1, 4, 7], modulus: 255, decodedChecksum };
});

/** 4 × 2 × 1 voxels, 64-bit integers in the source. */
const wideVolume: VolumeInfo = { ...smallVolume, dims: [4, 2, 1, 1], type: 'i32' };
const wideVoxels = Int32Array.of(0, 1, -1, 1000, 2 ** 31 - 1, -(2 ** 31), 7, -7);
const wideSource: SourceDescription = {
  format: 'npy',
  endian: 'big',
  stored: { samples: 1, as: 'i64' },
  parts: [{ name: 'wide.npy', before: text('not a real header'), hasVoxels: true, after: new Uint8Array(0) }],
};

/** 3 × 2 × 1 voxels of three samples side by side: 10 s + x + 3 y. */
const storedVolume: VolumeInfo = { ...smallVolume, dims: [3, 2, 1, 3] };
const storedShape = [3, 2, 1, 2] as const;
const storedVoxels = Uint8Array.from({ length: 18 }, (_, i) => 10 * Math.floor(i / 6) + (i % 6));
const storedSource: SourceDescription = {
  format: 'mha',
  endian: 'little',
  stored: { samples: 3 },
  parts: [{ name: 'stored.mha', before: text('not a real header'), hasVoxels: true, after: new Uint8Array(0) }],
};

/** 5 × 2 × 2 voxels: 10 z + 5 y + x. Their means: 3 × 1 × 1. */
const leveledVolume: VolumeInfo = { ...smallVolume, dims: [5, 2, 2, 1], spacing: [1, 1, 1, 0] };
const leveledVoxels = Uint8Array.from({ length: 20 }, (_, i) => i);
const leveledShape = [4, 2, 2, 1] as const;
const levelVoxels = Uint8Array.of(8, 10, 12);

async function writeLeveled(): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = await ContainerWriter.create(sink, {
    volume: leveledVolume,
    chunkShape: leveledShape,
    sourceFormat: 'raw',
    writer: 'stria 0.1.0',
  });
  await writer.chunks(0, rawChunks(leveledVolume, leveledShape, leveledVoxels));
  const chunkShape = [3, 1, 1] as const;
  await writer.levelChunks(1, 0, rawChunks({ ...leveledVolume, dims: [3, 1, 1, 1] }, chunkShape, levelVoxels));
  await writer.finish(rawSource, [{ number: 1, method: 'mean', factors: [2, 2, 2], chunkShape }]);
  return sink.bytes();
}

/** 2048 voxels in a row, x / 16 rounded down, with the coarsest of its two levels: the factor is 16. */
async function writeLeftOut(): Promise<Uint8Array> {
  const sink = memorySink();
  const volume: VolumeInfo = { ...smallVolume, dims: [2048, 1, 1, 1], spacing: [1, 1, 1, 0] };
  const chunkShape = [1024, 1, 1, 1] as const;
  const writer = await ContainerWriter.create(sink, { volume, chunkShape, sourceFormat: 'raw', writer: 'stria 0.1.0' });
  const voxels = Uint8Array.from({ length: 2048 }, (_, x) => x >> 4);
  await writer.chunks(0, rawChunks(volume, chunkShape, voxels));
  const ofLevel = { ...volume, dims: [128, 1, 1, 1] } as const;
  await writer.levelChunks(
    1,
    0,
    rawChunks(
      ofLevel,
      [128, 1, 1, 1],
      voxels.filter((_, x) => x % 16 === 0),
    ),
  );
  await writer.finish(rawSource, [{ number: 1, method: 'mean', factors: [16, 1, 1], chunkShape: [128, 1, 1] }]);
  return sink.bytes();
}

async function makeFiles(): Promise<Map<string, Uint8Array>> {
  const writer = 'stria 0.1.0';
  const small = await writeContainer(smallContainer, smallChunks);
  const series = await writeContainer(
    { volume: seriesVolume, chunkShape: [4, 4, 2, 1], sourceFormat: 'nifti', writer },
    rawChunks(seriesVolume, [4, 4, 2, 1], new Uint8Array(seriesVoxels.buffer)),
    seriesSource,
  );
  const doubles = await writeContainer(
    { volume: doublesVolume, chunkShape: [4, 1, 1, 1], sourceFormat: 'raw', writer },
    rawChunks(doublesVolume, [4, 1, 1, 1], new Uint8Array(doublesVoxels.buffer)),
  );
  const ramps = await writeContainer({ volume: rampVolume, chunkShape: rampShape, sourceFormat: 'raw', writer }, rampChunks);
  const frames = await writeContainer(
    { volume: framesVolume, chunkShape: framesShape, sourceFormat: 'raw', writer },
    rawChunks(framesVolume, framesShape, framesVoxels),
  );
  const interleaved = await writeContainer(
    { volume: interleavedVolume, chunkShape: interleavedShape, sourceFormat: 'raw', writer },
    rawChunks(interleavedVolume, interleavedShape, interleavedVoxels),
  );
  const channels = await writeContainer(
    { volume: channelsVolume, chunkShape: channelsShape, sourceFormat: 'raw', writer },
    rawChunks(channelsVolume, channelsShape, channelsVoxels),
  );
  const stored = await writeContainer(
    { volume: storedVolume, chunkShape: storedShape, sourceFormat: 'mha', stored: storedSource.stored, writer },
    rawChunks(storedVolume, storedShape, storedVoxels),
    storedSource,
  );
  const wide = await writeContainer(
    { volume: wideVolume, chunkShape: [4, 2, 1, 1], sourceFormat: 'npy', stored: wideSource.stored, writer },
    rawChunks(wideVolume, [4, 2, 1, 1], new Uint8Array(wideVoxels.buffer)),
    wideSource,
  );
  const ofFiles = await writeContainer(
    { volume: filesVolume, chunkShape: [2, 2, 2, 1], sourceFormat: 'dicom', writer },
    rawChunks(filesVolume, [2, 2, 2, 1], new Uint8Array(filesVoxels.buffer)),
    filesSource,
  );
  const lost = new LostChunks(2);
  const recovered = await writeContainer(
    { volume: seriesVolume, chunkShape: [4, 4, 2, 1], sourceFormat: 'nifti', writer },
    rawChunks(seriesVolume, [4, 4, 2, 1], new Uint8Array(seriesVoxels.buffer)).map((chunk, number) =>
      [1, 2, 5].includes(number) ? lost.ofShape(seriesGrid.box(number).shape) : chunk,
    ),
    seriesSource,
  );
  const part = await writeContainer(
    { volume: seriesVolume, chunkShape: [4, 4, 2, 1], sourceFormat: 'nifti', writer, part: { number: 2, of: 3 } },
    rawChunks(seriesVolume, [4, 4, 2, 1], new Uint8Array(seriesVoxels.buffer)).map((chunk, number) =>
      number === 2 || number === 3 ? chunk : lost.ofShape(seriesGrid.box(number).shape),
    ),
    seriesSource,
  );
  const leveled = await writeLeveled();
  const leftOut = await writeLeftOut();
  const levelsOf = { factors: [2, 2, 1], voxels: '0123456789abcdef', modifiedMs: 1_700_000_000_000 } as const;
  const keptLevels = await writeContainer({ ...smallContainer, levelsOf }, smallChunks);
  const inLevels = (change: (record: RawRecord) => RawRecord, file = leveled) =>
    joinRecords(
      splitRecords(file).map((record) => (record.type === 'levl' || record.type === 'lchk' ? change(record) : record)),
      file,
    );
  const flipped = (at: number) => series.with(at, (series[at] as number) ^ 0x10);
  const payloadOf = (number: number) => {
    const before = splitRecords(series).slice(0, number + 1);
    return 16 + before.reduce((sum, { meta, body }) => sum + 8 * Math.ceil((32 + meta.length + body.length) / 8), 0) + 56;
  };
  const changed = (types: string[], ...changes: readonly (readonly [from: string, to: string])[]) =>
    changedIn(small, types, ...changes);
  const changedIn = (file: Uint8Array, types: string[], ...changes: readonly (readonly [from: string, to: string])[]) =>
    joinRecords(
      splitRecords(file).map((record) => {
        if (!types.includes(record.type)) return record;
        const body = changes.reduce((json, [from, to]) => json.replace(from, to), new TextDecoder().decode(record.body));
        return { ...record, body: text(body) };
      }),
      file,
    );
  const shortTrailer = await writeContainer(
    { volume: seriesVolume, chunkShape: [4, 4, 2, 1], sourceFormat: 'nifti', writer, deflatesSource: true },
    rawChunks(seriesVolume, [4, 4, 2, 1], new Uint8Array(seriesVoxels.buffer)),
    seriesSource,
  );
  const deflated = joinRecords(
    splitRecords(changedIn(shortTrailer, ['SRCE'], ['"after":5', '"after":1025,"deflated":{"after":1030}'])).map((record) =>
      record.type === 'BLOB' && record.meta[4] === 1 ? { ...record, body: storedBlock(trailer) } : record,
    ),
    series,
  );
  return new Map([
    ['small.stria', small],
    ['series.stria', series],
    ['doubles.stria', doubles],
    ['ramps.stria', ramps],
    ['frames.stria', frames],
    ['interleaved.stria', interleaved],
    ['interleaved-alone.stria', changedIn(interleaved, ['HEAD', 'head'], ['"chunk": [4,2,2,2]', '"chunk": [4,2,2,1]'])],
    ['not-interleaved.stria', changedIn(interleaved, ['HEAD', 'head'], ['"requires": ["interleaved"]', '"requires": []'])],
    ['channels.stria', channels],
    ['files.stria', ofFiles],
    ['stored.stria', stored],
    ['stored-wide.stria', wide],
    ['stored-impossibly.stria', changedIn(stored, ['SRCE'], ['"samples":3', '"samples":2'])],
    ['deflated.stria', deflated],
    ['deflated-quietly.stria', changedIn(deflated, ['HEAD', 'head'], ['["deflated"]', '[]'.padEnd(12)])],
    ['deflated-to-more.stria', changedIn(deflated, ['SRCE'], ['"after":1025', '"after":1024'])],
    [
      'deflated-in-part.stria',
      joinRecords(
        splitRecords(changedIn(deflated, ['SRCE'], ['{"after":1030}', '{"after":1000}'])).map((record) =>
          record.type === 'BLOB' && record.body.length === 1030 ? { ...record, body: record.body.slice(0, 1000) } : record,
        ),
        deflated,
      ),
    ],
    ['recovered.stria', recovered],
    ['part.stria', part],
    ['part-of-too-few.stria', changedIn(part, ['HEAD', 'head'], ['"number":2', '"number":4'])],
    ['other-part.stria', changedIn(part, ['HEAD', 'head'], ['"number":2', '"number":1'])],
    [
      'ramp-beyond-modulus.stria',
      joinRecords(
        splitRecords(ramps).map((record) => {
          // The modulus, behind the numbers of methods and runs, kind, count and width.
          return record.type === 'INDX' ? { ...record, body: record.body.with(8 + 1 + 4 + 1, 7) } : record;
        }),
        ramps,
      ),
    ],
    ['levels.stria', leveled],
    [
      'levels-by-three.stria',
      inLevels((record) => (record.type === 'levl' ? { ...record, meta: record.meta.with(8, 3) } : record)),
    ],
    [
      'level-of-another.stria',
      inLevels((record) => (record.type === 'lchk' ? { ...record, meta: record.meta.with(4, 2) } : record)),
    ],
    ['levels-left-out.stria', leftOut],
    [
      'levels-left-out-number.stria',
      inLevels((record) => ({ ...record, meta: record.meta.with(record.type === 'levl' ? 0 : 4, 2) }), leftOut),
    ],
    ['levels-kept.stria', keptLevels],
    ['levels-kept-unknown.stria', changedIn(keptLevels, ['HEAD', 'head'], ['0123456789abcdef', '0123456789ABCDEF'])],
    ['cut-in-payload.stria', series.slice(0, payloadOf(1) + 5)],
    ['cut-in-index.stria', series.slice(0, series.length - 120)],
    ['flipped-payload.stria', flipped(payloadOf(1) + 5)],
    ['flipped-header.stria', flipped(100)],
    ['hole.stria', series.slice().fill(0, payloadOf(1) - 56, payloadOf(2) - 20)],
    ['text-mode.stria', Uint8Array.from(small.filter((byte) => byte !== 0x0d))],
    ['future-version.stria', changed(['HEAD', 'head'], ['[1,0]', '[2,0]']).with(8, 2)],
    ['future-feature.stria', changed(['HEAD', 'head'], ['"requires": []', '"requires": ["wavelets"]'])],
    ['absurd-dims.stria', changed(['HEAD', 'head'], ['[4,4,2,1]', '[4000000000,4000000000,2,1]'])],
    ['too-many-chunks.stria', changed(['HEAD', 'head'], ['[4,4,2,1]', '[4096,4096,1,1]'], ['[4,4,1,1]', '[1,1,1,1]'])],
    ['too-large-chunks.stria', changed(['HEAD', 'head'], ['[4,4,2,1]', '[8192,8192,2,1]'], ['[4,4,1,1]', '[8192,8192,1,1]'])],
    ['path-in-name.stria', changed(['SRCE'], ['small.raw', '../../.profile'])],
  ]);
}

const files = await makeFiles();
if (process.env.STRIA_WRITE_TESTDATA) {
  for (const [name, bytes] of files) writeFileSync(new URL(name, folder), bytes);
}

/** The lines of testdata/README.md: file, what it shows, what reading says, what recover saves. */
const lines = [...readFileSync(new URL('README.md', folder), 'utf8').matchAll(/^\| `(\S+\.stria)` +\|(.+)\|(.+)\|(.+)\|$/gm)].map(
  (match) => match.slice(1).map((cell) => cell.trim()),
) as [file: string, shows: string, reading: string, recovering: string][];

/** Reads and checks everything, like `stria verify`. */
async function reading(bytes: Uint8Array): Promise<string> {
  try {
    const reader = await ContainerReader.open(memorySource('test.stria', bytes));
    await reader.readChunks(0, reader.chunkCount);
    for (const level of await reader.levels()) await level.readChunks(0, level.chunkCount);
    await reader.checkRecords();
    return 'whole';
  } catch (error) {
    const fault = toStriaError(error);
    return `${fault.tag}: ${fault.fullMessage}`;
  }
}

async function recovering(bytes: Uint8Array): Promise<string> {
  try {
    const { wholeCount, grid, source } = await recoverContainer(memorySource('test.stria', bytes));
    return `${wholeCount} of ${grid.count} chunks, ${source === undefined ? 'no source' : 'source'}`;
  } catch (error) {
    const fault = toStriaError(error);
    return `${fault.tag}: ${fault.fullMessage}`;
  }
}

describe('testdata', () => {
  test('holds the files that are made here, each with a line in its README', () => {
    const stored = readdirSync(folder).filter((name) => name.endsWith('.stria'));
    for (const [name, bytes] of files) {
      expect(new Uint8Array(readFileSync(new URL(name, folder))), name).toEqual(Uint8Array.from(bytes));
    }
    expect(lines.map(([name]) => name)).toEqual([...files.keys()]);
    expect(stored).toEqual(expect.arrayContaining([...files.keys()]));
  });

  test.each(lines)('%s: %s', async (name, _, whatReadingSays, whatRecoverSaves) => {
    const bytes = new Uint8Array(readFileSync(new URL(name, folder)));
    expect(await reading(bytes)).toBe(whatReadingSays);
    expect(await recovering(bytes)).toBe(whatRecoverSaves);
  });

  test('golden files hold these voxels and these sources', async () => {
    for (const [name, volume, chunkShape, voxels, source] of [
      ['series.stria', seriesVolume, [4, 4, 2, 1], new Uint8Array(seriesVoxels.buffer), seriesSource],
      ['doubles.stria', doublesVolume, [4, 1, 1, 1], new Uint8Array(doublesVoxels.buffer), undefined],
      ['frames.stria', framesVolume, framesShape, framesVoxels, undefined],
      ['interleaved.stria', interleavedVolume, interleavedShape, interleavedVoxels, undefined],
    ] as const) {
      const reader = await ContainerReader.open(memorySource(name, new Uint8Array(readFileSync(new URL(name, folder)))));
      expect(reader.header.volume).toEqual(volume);
      expect(await reader.readChunks(0, reader.chunkCount)).toEqual(rawChunks(volume, chunkShape, voxels));
      if (source !== undefined) expect(await reader.sourceDescription()).toEqual(source);
    }
  });

  test('the recovered file knows which chunks are lost', async () => {
    const bytes = new Uint8Array(readFileSync(new URL('recovered.stria', folder)));
    const reader = await ContainerReader.open(memorySource('recovered.stria', bytes));
    expect(reader.lostCount).toBe(3);
    expect([...reader.spans()].filter(({ kind }) => kind === 'lost')).toEqual([
      { kind: 'lost', first: 1, count: 2 },
      { kind: 'lost', first: 5, count: 1 },
    ]);
    const whole = rawChunks(seriesVolume, [4, 4, 2, 1], new Uint8Array(seriesVoxels.buffer));
    const chunks = await reader.readChunks(0, reader.chunkCount);
    for (const [number, chunk] of chunks.entries()) {
      if ([1, 2, 5].includes(number))
        expect(chunk).toMatchObject({ kind: 'constant', element: Uint8Array.of(0, 0), isLost: true });
      else expect(chunk).toEqual(whole[number]);
    }
  });

  test('the level holds these', async () => {
    const bytes = new Uint8Array(readFileSync(new URL('levels.stria', folder)));
    const reader = await ContainerReader.open(memorySource('levels.stria', bytes));
    expect(await reader.readChunks(0, 2)).toEqual(rawChunks(leveledVolume, leveledShape, leveledVoxels));
    const [level, ...others] = await reader.levels();
    expect(others).toEqual([]);
    expect(level?.header.volume).toMatchObject({ dims: [3, 1, 1, 1], spacing: [2, 2, 2, 0] });
    expect(await level?.readChunk(0)).toMatchObject({ kind: 'coded', payload: levelVoxels });
  });

  test('a level after one that is left out is the first in the file', async () => {
    const bytes = new Uint8Array(readFileSync(new URL('levels-left-out.stria', folder)));
    const levels = await (await ContainerReader.open(memorySource('levels-left-out.stria', bytes))).levels();
    expect(levels.map(({ level }) => level)).toMatchObject([{ number: 1, factors: [16, 1, 1] }]);
    expect(levels[0]?.header.volume).toMatchObject({ dims: [128, 1, 1, 1], spacing: [16, 1, 1, 0] });
    expect(await levels[0]?.readChunk(0)).toMatchObject({
      kind: 'coded',
      payload: Uint8Array.from({ length: 128 }, (_, x) => x),
    });
  });

  test('the ramps hold these', async () => {
    const bytes = new Uint8Array(readFileSync(new URL('ramps.stria', folder)));
    const reader = await ContainerReader.open(memorySource('ramps.stria', bytes));
    expect(reader.header.volume).toEqual(rampVolume);
    expect(await reader.readChunks(0, reader.chunkCount)).toEqual(rampChunks);
  });
});
