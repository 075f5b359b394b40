import { gzipSync, zlibSync } from 'fflate';
import { registry } from 'zarrita';
import { type ElementType, elementBytes } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';

// Zarr hierarchies for tests, written from the specifications of Zarr and OME-Zarr, not with this folder's writer.

export type TestFiles = Record<string, Uint8Array>;

export interface TestArray {
  readonly version: 2 | 3;
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  /** Zarr v2's code, such as `<u2`. */
  readonly dtype: string;
  /** Elements in C order, in the byte order of `dtype`. */
  readonly values: Uint8Array;
  readonly compressor?: 'gzip' | 'zlib' | 'zstd' | 'lz4' | 'blosc' | undefined;
  /** For version 2. */
  readonly order?: 'C' | 'F' | undefined;
  /** Chunks within a shard along each axis: version 3 only. */
  readonly perShard?: readonly number[] | undefined;
  readonly indexFirst?: boolean | undefined;
  readonly fill?: unknown;
  readonly names?: readonly string[] | undefined;
  /** The omitted chunks, by their index joined with dots. */
  readonly missing?: readonly string[] | undefined;
}

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

const version3Types: Readonly<Record<string, string>> = {
  b1: 'bool',
  u1: 'uint8',
  i1: 'int8',
  u2: 'uint16',
  i2: 'int16',
  u4: 'uint32',
  i4: 'int32',
  u8: 'uint64',
  i8: 'int64',
  f2: 'float16',
  f4: 'float32',
  f8: 'float64',
};

export const zarrCodes: Readonly<Record<ElementType, string>> = {
  u8: 'u1',
  i8: 'i1',
  u16: 'u2',
  i16: 'i2',
  u32: 'u4',
  i32: 'i4',
  f32: 'f4',
  f64: 'f8',
};

export function widthOf(type: ElementType): number {
  return elementBytes(type);
}

export async function compressed(bytes: Uint8Array, compressor: TestArray['compressor']): Promise<Uint8Array> {
  if (compressor === undefined) return bytes;
  if (compressor === 'gzip') return gzipSync(bytes);
  if (compressor === 'zlib') return zlibSync(bytes);
  // Stria's own decoder of Blosc is in the registry.
  const codec = compressor === 'blosc' ? (await import('numcodecs/blosc')).default : await registry.get(compressor)?.();
  const configuration = compressor === 'blosc' ? { cname: 'lz4', clevel: 5, shuffle: 1, blocksize: 0 } : { level: 1 };
  return (codec as never as { fromConfig(c: unknown, m: unknown): { encode(b: Uint8Array): Promise<Uint8Array> } })
    .fromConfig(configuration, { shape: [bytes.length], dataType: 'uint8' })
    .encode(bytes);
}

/** All indices below these lengths, the last fastest. */
function indices(lengths: readonly number[]): number[][] {
  return lengths.reduce<number[][]>(
    (all, length) => all.flatMap((index) => Array.from({ length }, (_, at) => [...index, at])),
    [[]],
  );
}

/** One chunk's elements, with zeros beyond the array's end. */
function chunkOf(array: TestArray, index: readonly number[], width: number): Uint8Array {
  const { shape, chunks, values } = array;
  const bytes = new Uint8Array(chunks.reduce((product, length) => product * length, width));
  for (const within of indices(chunks)) {
    const at = within.map((each, axis) => each + (index[axis] as number) * (chunks[axis] as number));
    if (at.some((each, axis) => each >= (shape[axis] as number))) continue;
    const from = at.reduce((sum, each, axis) => sum * (shape[axis] as number) + each, 0);
    const ordered = array.order === 'F' ? [within.toReversed(), chunks.toReversed()] : [within, chunks];
    const to = (ordered[0] as number[]).reduce((sum, each, axis) => sum * (ordered[1]?.[axis] as number) + each, 0);
    bytes.set(values.subarray(from * width, (from + 1) * width), to * width);
  }
  return bytes;
}

/** The files of an array, below `folder`, which is '' or ends with a `/`. */
export async function zarrArray(folder: string, array: TestArray): Promise<TestFiles> {
  const { version, shape, chunks, dtype, compressor, perShard } = array;
  const width = Number(dtype.at(-1));
  const counts = shape.map((length, axis) => Math.ceil(length / (chunks[axis] as number)));
  const files: TestFiles = {};
  if (version === 2) {
    files[`${folder}.zarray`] = json({
      zarr_format: 2,
      shape,
      chunks,
      dtype,
      order: array.order ?? 'C',
      filters: null,
      fill_value: array.fill ?? 0,
      compressor: compressor ? { id: compressor, ...(compressor === 'blosc' && { cname: 'lz4', clevel: 5, shuffle: 1 }) } : null,
    });
    if (array.names) files[`${folder}.zattrs`] = json({ _ARRAY_DIMENSIONS: array.names });
  } else {
    const codecs = [
      { name: 'bytes', configuration: { endian: dtype.startsWith('>') ? 'big' : 'little' } },
      ...(compressor
        ? [
            {
              name: compressor,
              configuration:
                compressor === 'blosc' ? { cname: 'lz4', clevel: 5, shuffle: 'shuffle', typesize: width } : { level: 1 },
            },
          ]
        : []),
    ];
    const sharding = {
      name: 'sharding_indexed',
      configuration: {
        chunk_shape: chunks,
        codecs,
        index_codecs: [{ name: 'bytes', configuration: { endian: 'little' } }, { name: 'crc32c' }],
        index_location: array.indexFirst ? 'start' : 'end',
      },
    };
    const outer = perShard ? chunks.map((length, axis) => length * (perShard[axis] as number)) : chunks;
    files[`${folder}zarr.json`] = json({
      zarr_format: 3,
      node_type: 'array',
      shape,
      data_type: version3Types[dtype.slice(1)],
      chunk_grid: { name: 'regular', configuration: { chunk_shape: outer } },
      chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
      codecs: perShard ? [sharding] : codecs,
      fill_value: array.fill ?? 0,
      attributes: {},
      ...(array.names && { dimension_names: array.names }),
    });
  }
  const payloads = new Map<string, Uint8Array>();
  for (const index of indices(counts)) {
    if (array.missing?.includes(index.join('.'))) continue;
    payloads.set(index.join('.'), await compressed(chunkOf(array, index, width), compressor));
  }
  if (!perShard) {
    for (const [key, bytes] of payloads) files[`${folder}${version === 2 ? key : `c/${key.replaceAll('.', '/')}`}`] = bytes;
    return files;
  }
  for (const shard of indices(counts.map((count, axis) => Math.ceil(count / (perShard[axis] as number))))) {
    const bytes = shardOf(
      indices(perShard).map((within) => {
        const index = within.map((each, axis) => each + (shard[axis] as number) * (perShard[axis] as number));
        return payloads.get(index.join('.'));
      }),
      array.indexFirst ?? false,
    );
    if (bytes) files[`${folder}c/${shard.join('/')}`] = bytes;
  }
  return files;
}

/** Concatenated chunks, and an index of offsets and lengths with its CRC-32C. */
function shardOf(chunks: readonly (Uint8Array | undefined)[], indexFirst: boolean): Uint8Array | undefined {
  if (chunks.every((chunk) => chunk === undefined)) return undefined;
  const index = new DataView(new ArrayBuffer(chunks.length * 16 + 4));
  let at = indexFirst ? index.byteLength : 0;
  chunks.forEach((chunk, number) => {
    index.setBigUint64(number * 16, chunk ? BigInt(at) : 2n ** 64n - 1n, true);
    index.setBigUint64(number * 16 + 8, chunk ? BigInt(chunk.byteLength) : 2n ** 64n - 1n, true);
    at += chunk?.byteLength ?? 0;
  });
  const bytes = new Uint8Array(index.buffer);
  index.setUint32(chunks.length * 16, crc32c(bytes.subarray(0, -4)), true);
  const content = chunks.filter((chunk) => chunk !== undefined);
  return joinBytes(indexFirst ? [bytes, ...content] : [...content, bytes]);
}

function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** A group's document with attributes. */
export function zarrGroup(folder: string, version: 2 | 3, attributes: object): TestFiles {
  if (version === 3) return { [`${folder}zarr.json`]: json({ zarr_format: 3, node_type: 'group', attributes }) };
  return { [`${folder}.zgroup`]: json({ zarr_format: 2 }), [`${folder}.zattrs`]: json(attributes) };
}
