/** FORMAT.md, 'How voxels are cut into chunks', 'INDX', 'CHNK' and 'Ramps', for the plain reader. Imported by tests alone. */
import type { PlainDecoder } from '../codecs/plain-decoder-testing.ts';
import { StriaError } from '../shared/errors.ts';
import type { PlainHeader } from './plain-header-testing.ts';
import { align8, checksum, corrupt, hex, readRecord, u64, uint } from './plain-records-testing.ts';

type Four = readonly [number, number, number, number];

export interface PlainChunk {
  readonly number: number;
  readonly origin: Four;
  readonly extent: Four;
}

/** The decoders by their ids. Those that may come second say how many bytes a payload decodes to. */
export type StageCodecs = ReadonlyMap<
  number,
  { readonly decode: PlainDecoder; readonly decodedLength?: (payload: Uint8Array) => number }
>;

/** All chunks in the order of their numbers. */
export function chunksOf({ grid, chunk, requires }: PlainHeader): PlainChunk[] {
  // 'With dims D in elements and chunk shape C there are `ceil(D/C)` chunks along each of the four axes, clipped at the far
  // edges.'
  const [nx, ny, nz, nt] = grid.map((length, axis) => Math.ceil(length / (chunk[axis] as number))) as [
    number,
    number,
    number,
    number,
  ];
  // 'Only chunks that hold the whole of each time point (nx = ny = nz = 1) may be stacked'
  const isStacked = !requires.includes('interleaved');
  if (chunk[3] > 1 && isStacked && nx * ny * nz !== 1) throw corrupt('chunk shape has parts of several time points');
  // 'A volume has at most `max(4096, floor(E / 4096))` chunks, where E is its number of elements'
  const E = grid.reduce((product, length) => product * length, 1);
  const count = nx * ny * nz * nt;
  // FORMAT.md, 'Limits': '2^24 = 16,777,216'
  if (count > Math.max(4096, Math.floor(E / 4096)) || count > 2 ** 24) throw corrupt('volume has too many chunks');
  // 'They are numbered x fastest, then y, z, t'
  const chunks: PlainChunk[] = [];
  for (let l = 0; l < nt; l++) {
    for (let k = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        for (let i = 0; i < nx; i++) {
          const origin: Four = [i * chunk[0], j * chunk[1], k * chunk[2], l * chunk[3]];
          const extent = origin.map((from, axis) =>
            Math.min(chunk[axis] as number, (grid[axis] as number) - from),
          ) as unknown as Four;
          chunks.push({ number: chunks.length, origin, extent });
        }
      }
    }
  }
  return chunks;
}

type Entry =
  | { readonly kind: 'lost' }
  | { readonly kind: 'constant'; readonly checksum: string; readonly element: number }
  | { readonly kind: 'coded'; readonly offset: number; readonly stages: Uint8Array; readonly payloadLength: number }
  | {
      readonly kind: 'ramp';
      readonly checksum: string;
      readonly first: number;
      readonly steps: readonly number[];
      readonly modulus: number;
    };

/** 'The index has exactly one entry for each chunk, in order of their numbers.' */
export function parseIndex(body: Uint8Array, elementBytes: number, room: { start: number; end: number }): Entry[] {
  let at = 0;
  const take = (width: number) => {
    const value = width === 8 ? u64(body, at) : uint(body, at, width);
    at += width;
    return value;
  };
  const takeBytes = (length: number) => {
    if (at + length > body.length) throw corrupt('index ends too soon');
    at += length;
    return body.subarray(at - length, at);
  };
  // 'number of methods', 'number of runs'
  const methodCount = take(4);
  const runCount = take(4);
  // 'the methods: each a `stages` as in CHNK, numbered from 0'
  const methods: Uint8Array[] = [];
  for (let method = 0; method < methodCount; method++) {
    const length = stagesLength(body.subarray(at));
    methods.push(takeBytes(length));
  }

  const entries: Entry[] = [];
  let free = room.start;
  for (let run = 0; run < runCount; run++) {
    // 'It starts with a `u8` kind.'
    const kind = take(1);
    // 'number of chunks, from 1'
    const count = take(4);
    if (count < 1 || entries.length + count > 2 ** 24) throw corrupt('index has a run of a wrong length');
    if (kind === 0) {
      // 'of the decoded voxels of each, one row for each (y, z)'
      const sum = hex(takeBytes(8));
      // 'width of the element: that of the volume's codec elements'
      if (take(1) !== elementBytes) throw corrupt('index has an element of another width');
      const element = take(elementBytes);
      for (let i = 0; i < count; i++) entries.push({ kind: 'constant', checksum: sum, element });
    } else if (kind === 1) {
      // 'offset of the first CHNK record'
      let offset = take(8);
      // 'Records follow HEAD and precede INDX, in rising order; no two overlap.'
      if (offset < free) throw corrupt('index has records that overlap');
      for (let i = 0; i < count; i++) {
        // 'u32 method number, u32 length of the payload'
        const stages = methods[take(4)];
        if (!stages) throw corrupt('index names a method that is none');
        const payloadLength = take(4);
        entries.push({ kind: 'coded', offset, stages, payloadLength });
        // '`align8(32 + align8(16 + S) + P)`, with S the length of the method's stages and P that of the payload'
        offset += align8(32 + align8(16 + stages.length) + payloadLength);
      }
      if (offset > room.end) throw corrupt('index has records behind itself');
      free = offset;
    } else if (kind === 2) {
      if (take(1) !== elementBytes) throw corrupt('index has an element of another width');
      // 'A modulus of 0 in the file means m = 2^(8w), for all three widths: the elements wrap as the machine's own do.'
      const stored = take(4);
      const modulus = stored === 0 ? 2 ** (8 * elementBytes) : stored;
      // 'm is from 2 to 65536 and below 2^(8w).'
      if (stored !== 0 && (stored < 2 || stored > 65536 || stored >= 2 ** (8 * elementBytes)))
        throw corrupt('ramp has a wrong modulus');
      // 'step along x; then w bytes along y, w bytes along z'
      const steps = [take(elementBytes), take(elementBytes), take(elementBytes)];
      // 'f, sx, sy, sz are below m, and one step at least is not 0'
      if (steps.some((step) => step >= modulus) || steps.every((step) => step === 0)) throw corrupt('ramp has wrong steps');
      for (let i = 0; i < count; i++) {
        // 'checksum of the decoded voxels, one row for each (y, z); w bytes: its first element'
        const sum = hex(takeBytes(8));
        const first = take(elementBytes);
        if (first >= modulus) throw corrupt('ramp starts above its modulus');
        entries.push({ kind: 'ramp', checksum: sum, first, steps, modulus });
      }
    } else if (kind === 3) {
      // 'chunks that were lost in the damaged file from which this one was recovered'
      for (let i = 0; i < count; i++) entries.push({ kind: 'lost' });
    } else throw corrupt('index has a run of an unknown kind');
  }
  if (at !== body.length) throw corrupt('index goes on behind its runs');
  return entries;
}

/** 'a `u8` with their number, 1 to 8, then for each a `u16` codec id (not 0), a `u8` length and as many bytes of parameters' */
function stagesOf(bytes: Uint8Array): { id: number; parameters: Uint8Array }[] {
  const count = uint(bytes, 0, 1);
  if (count < 1 || count > 8) throw corrupt('number of stages is wrong');
  const stages: { id: number; parameters: Uint8Array }[] = [];
  let at = 1;
  while (stages.length < count) {
    const id = uint(bytes, at, 2);
    const length = uint(bytes, at + 2, 1);
    if (id === 0 || at + 3 + length > bytes.length) throw corrupt('stages are wrong');
    stages.push({ id, parameters: bytes.slice(at + 3, at + 3 + length) });
    at += 3 + length;
  }
  return stages;
}

function stagesLength(bytes: Uint8Array): number {
  return stagesOf(bytes).reduce((sum, { parameters }) => sum + 3 + parameters.length, 1);
}

/** A chunk's voxels: a box with the planes of all its time points. */
export function decodeChunk(
  file: Uint8Array,
  chunk: PlainChunk,
  entry: Entry,
  elementBytes: 1 | 2 | 4,
  codecs: StageCodecs,
): Uint8Array {
  // 'a box of X × Y × (n × Z) elements to codecs, checksums and ramps'
  const [X, Y, Z, n] = chunk.extent;
  const shape = [X, Y, n * Z] as const;
  const check = (voxels: Uint8Array, expected: string) => {
    // 'compare the decoded voxels' checksum'
    if (checksum(voxels, X * elementBytes) !== expected) throw corrupt('voxels do not match their checksum');
    return voxels;
  };
  // 'The voxels of lost chunks are unknown. A reader reports them before it restores a source file'
  if (entry.kind === 'lost') throw corrupt('chunk is lost');
  if (entry.kind !== 'coded') {
    // 'Chunks all of whose elements are the same have no CHNK.'
    const elementAt = (x: number, y: number, z: number) => (entry.kind === 'constant' ? entry.element : rampAt(entry, x, y, z));
    const voxels: number[] = [];
    for (let z = 0; z < shape[2]; z++) {
      for (let y = 0; y < Y; y++) {
        for (let x = 0; x < X; x++) {
          for (let byte = 0; byte < elementBytes; byte++) voxels.push(Math.floor(elementAt(x, y, z) / 256 ** byte) % 256);
        }
      }
    }
    return check(Uint8Array.from(voxels), entry.checksum);
  }

  // 'read its record, which must be a CHNK with this number, these stages and this length; check head, body and padding'
  const { meta, body: payload } = readRecord(file, entry.offset, 'CHNK');
  const S = entry.stages.length;
  const isRight =
    meta.length === align8(16 + S) &&
    u64(meta, 0) === chunk.number &&
    hex(meta.subarray(16, 16 + S)) === hex(entry.stages) &&
    meta.subarray(16 + S).every((byte) => byte === 0) &&
    payload.length === entry.payloadLength;
  if (!isRight) throw corrupt('CHNK record is not that of the index');
  // 'of the decoded voxels, one row for each (y, z)'
  const expected = hex(meta.subarray(8, 16));

  // 'Version 1.0 writes one stage, or two of which the second is `huffman`; a reader that meets others refuses the chunk.'
  const [first, second, ...more] = stagesOf(entry.stages).map(({ id, parameters }) => {
    const codec = codecs.get(id);
    // 'A reader that lacks one refuses the chunk and names the id'
    if (!codec) throw new StriaError('unsupported', `codec ${id} is not known`);
    return { ...codec, parameters };
  });
  if (!first || more.length > 0 || (second && (!second.decodedLength || first.decodedLength))) {
    throw new StriaError('unsupported', 'the stages are not known');
  }
  let bytes = payload;
  // 'a reader undoes the last one first'
  if (second?.decodedLength) {
    // 'The second stage's chunk is the first one's payload, elements of 1 byte along x.'
    const length = second.decodedLength(bytes);
    // 'check each against the size of the file or the limits below before allocating memory for it'
    if (length > 2 ** 25) throw corrupt('payload is too long');
    bytes = second.decode(bytes, { shape: [length, 1, 1], elementBytes: 1 }, second.parameters);
  }
  return check(first.decode(bytes, { shape, elementBytes }, first.parameters), expected);
}

/** '(f + x·sx + y·sy + z·sz) mod m', 'in whole numbers of any size' */
function rampAt({ first, steps, modulus }: Extract<Entry, { kind: 'ramp' }>, x: number, y: number, z: number): number {
  const [sx, sy, sz] = steps.map(BigInt) as [bigint, bigint, bigint];
  return Number((BigInt(first) + BigInt(x) * sx + BigInt(y) * sy + BigInt(z) * sz) % BigInt(modulus));
}
