import { StriaError } from '../../shared/errors.ts';
import { type ElementType, elementBytes } from '../../shared/volume.ts';
import { largestChunkBytes } from '../common/voxel-grid.ts';

/** How values of a Zarr type are stored, and the type as which they are read. */
interface StoredType {
  readonly name: string;
  /** The type that zarrita decodes: 16-bit floats as their bits, booleans as bytes. */
  readonly decoded: string;
  readonly type: ElementType;
  /** The conversion, if decoded values have another type than the volume. */
  readonly convert?: 'half' | 'i64' | 'u64';
  readonly bytes: number;
}

/** An array's validated metadata, with everything that zarrita needs to decode it. */
export interface ArrayFacts {
  readonly shape: readonly number[];
  /** The shape of the unit that is decoded as a whole: in shards, of their inner chunks. */
  readonly chunks: readonly number[];
  readonly names: readonly (string | null)[] | undefined;
  /** Zarr's name for the type. */
  readonly typeName: string;
  /** Undefined if there is a `problem`. */
  readonly stored: StoredType | undefined;
  /** The names of compressions and filters, for display. */
  readonly codecs: readonly string[];
  readonly isSharded: boolean;
  /** Whether a shard's index comes before its chunks instead of after them. */
  readonly isIndexFirst: boolean;
  readonly problem: string | undefined;
  /** The document for zarrita: `.zarray` or `zarr.json`. */
  readonly document: Record<string, unknown>;
}

const storedTypes: Readonly<Record<string, StoredType>> = Object.fromEntries(
  (
    [
      ['bool', 'uint8', 'u8', undefined, 1],
      ['uint8', 'uint8', 'u8', undefined, 1],
      ['int8', 'int8', 'i8', undefined, 1],
      ['uint16', 'uint16', 'u16', undefined, 2],
      ['int16', 'int16', 'i16', undefined, 2],
      ['uint32', 'uint32', 'u32', undefined, 4],
      ['int32', 'int32', 'i32', undefined, 4],
      ['uint64', 'uint64', 'u32', 'u64', 8],
      ['int64', 'int64', 'i32', 'i64', 8],
      ['float16', 'uint16', 'f32', 'half', 2],
      ['float32', 'float32', 'f32', undefined, 4],
      ['float64', 'float64', 'f64', undefined, 8],
    ] as const
  ).map(([name, decoded, type, convert, bytes]) => [name, { name, decoded, type, bytes, ...(convert && { convert }) }]),
);

const version2Types: Readonly<Record<string, string>> = {
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

/** Codecs that zarrita decodes and that do not change the type. */
const knownCodecs = ['bytes', 'transpose', 'blosc', 'lz4', 'zstd', 'gzip', 'zlib', 'crc32c', 'shuffle', 'delta', 'bitround'];
/** Codecs that operate on values, so that 16-bit floats cannot be decoded as their bits. */
const valueCodecs = ['delta', 'bitround'];

/** The most axes, as in NumPy. */
const rankLimit = 32;
/** Each chunk takes one file lookup, so more of them would take too long. */
const chunkLimit = 2 ** 24;

type Json = Readonly<Record<string, unknown>>;

/** @throws StriaError `corrupt` for invalid metadata */
export function parseArray(document: Json, attributes: Json = {}): ArrayFacts {
  return document.zarr_format === 2 ? parseVersion2(document, attributes) : parseVersion3(document);
}

function parseVersion2(document: Json, attributes: Json): ArrayFacts {
  const shape = lengthsOf(document.shape, 'shape', 0);
  const chunks = lengthsOf(document.chunks, 'chunks', 1);
  const dtype = typeof document.dtype === 'string' ? document.dtype : JSON.stringify(document.dtype ?? null);
  const [, order, code = ''] = /^([<>|])(.*)$/.exec(dtype) ?? [];
  const stored = storedTypes[version2Types[code] ?? ''];
  // Zarrita would take the letters of a text for filters.
  if (document.filters != null && !Array.isArray(document.filters)) throw new StriaError('corrupt', 'its filters are not a list');
  const filters = namedList(document.filters, 'id');
  const compressor = objectOf(document.compressor);
  const codecs = [...filters, ...(compressor ? [String(compressor.id)] : [])];
  const names = Array.isArray(attributes._ARRAY_DIMENSIONS) ? attributes._ARRAY_DIMENSIONS : undefined;
  return checked({
    shape,
    chunks,
    names: names?.map(nameOf),
    typeName: stored?.name ?? dtype,
    stored,
    codecs,
    isSharded: false,
    isIndexFirst: false,
    document: {
      zarr_format: 2,
      shape,
      chunks,
      dtype:
        stored && `${order}${{ half: 'u2', i64: 'i8', u64: 'u8', none: code === 'b1' ? 'u1' : code }[stored.convert ?? 'none']}`,
      order: document.order === 'F' ? 'F' : 'C',
      filters: document.filters ?? null,
      compressor: compressor ?? null,
      fill_value: fillValue(document.fill_value, stored),
      dimension_separator: document.dimension_separator === '/' ? '/' : '.',
    },
  });
}

function parseVersion3(document: Json): ArrayFacts {
  const shape = lengthsOf(document.shape, 'shape', 0);
  const grid = objectOf(document.chunk_grid);
  if (grid?.name !== 'regular') {
    throw new StriaError('unsupported', `chunks of the grid '${String(grid?.name)}' are not supported: only regular ones are`);
  }
  const outer = lengthsOf(objectOf(grid.configuration)?.chunk_shape, 'chunk_shape', 1);
  const dataType = typeof document.data_type === 'string' ? document.data_type : String(objectOf(document.data_type)?.name);
  const stored = storedTypes[dataType];
  const list = Array.isArray(document.codecs) ? document.codecs.map(codecOf) : [];
  const sharding = list.find(({ name }) => name === 'sharding_indexed');
  if (sharding !== undefined && list.length > 1) {
    throw new StriaError('unsupported', 'shards inside further codecs are not supported');
  }
  const inner = Array.isArray(sharding?.configuration.codecs) ? sharding.configuration.codecs.map(codecOf) : list;
  const chunks = sharding === undefined ? outer : lengthsOf(sharding.configuration.chunk_shape, 'chunk_shape of the shards', 1);
  if (outer.length !== shape.length)
    throw new StriaError('corrupt', `the array has ${shape.length} axes, its chunks ${outer.length}`);
  if (sharding !== undefined) {
    checkShards(outer, chunks);
    checkIndexCodecs(sharding.configuration.index_codecs);
  }
  const names = Array.isArray(document.dimension_names) ? document.dimension_names : undefined;
  return checked({
    shape,
    chunks,
    names: names?.map(nameOf),
    typeName: dataType,
    stored,
    codecs: inner.map(({ name }) => name).filter((name) => name !== 'bytes'),
    isSharded: sharding !== undefined,
    isIndexFirst: sharding?.configuration.index_location === 'start',
    document: {
      ...document,
      attributes: {},
      data_type: stored?.decoded,
      fill_value: fillValue(document.fill_value, stored),
      codecs: list,
      storage_transformers: [],
    },
  });
}

function checked(facts: Omit<ArrayFacts, 'problem'>): ArrayFacts {
  const { shape, chunks, stored } = facts;
  if (shape.length !== chunks.length) {
    throw new StriaError('corrupt', `the array has ${shape.length} axes, its chunks ${chunks.length}`);
  }
  const bytes = stored?.bytes ?? 8;
  if (!Number.isSafeInteger(shape.reduce((product, length) => product * length, bytes))) {
    throw new StriaError('corrupt', `the lengths ${shape.join('×')} exceed the size of any array`);
  }
  return {
    ...facts,
    problem: problemOf(
      facts,
      chunks.reduce((product, length) => product * length, bytes),
    ),
  };
}

function problemOf(facts: Omit<ArrayFacts, 'problem'>, chunkBytes: number): string | undefined {
  const { shape, stored, typeName } = facts;
  if (stored === undefined) return `values of type ${typeName} are not supported`;
  if (shape.length === 0) return 'it is a single value';
  if (shape.includes(0)) return 'it is empty';
  const plain = facts.codecs.map(plainName);
  const unknown = plain.find((name) => !knownCodecs.includes(name));
  if (unknown !== undefined) return `its codec '${unknown}' is not supported`;
  const onValues = plain.find((name) => valueCodecs.includes(name));
  if (stored.convert === 'half' && onValues !== undefined) return `float16 with the codec '${onValues}' is not supported`;
  const count = shape.reduce((product, length, axis) => product * Math.ceil(length / (facts.chunks[axis] as number)), 1);
  if (count > chunkLimit) return `it has ${count} chunks; the limit is ${chunkLimit}`;
  if (chunkBytes <= largestChunkBytes) return undefined;
  return `its chunks have ${Math.ceil(chunkBytes / 2 ** 20)} MiB each; the limit is ${largestChunkBytes / 2 ** 20} MiB`;
}

/** Entries of a shard's index: 16 bytes each. */
const shardEntryLimit = 2 ** 22;

function checkShards(outer: readonly number[], inner: readonly number[]): void {
  const counts = outer.map((length, axis) => length / (inner[axis] ?? 0));
  const count = counts.reduce((product, each) => product * each, 1);
  if (inner.length !== outer.length || !counts.every(Number.isSafeInteger)) {
    throw new StriaError('corrupt', `shards of ${outer.join('×')} cannot be cut into chunks of ${inner.join('×')}`);
  }
  if (count > shardEntryLimit)
    throw new StriaError('unsupported', `a shard has ${count} chunks; the limit is ${shardEntryLimit}`);
}

/** Zarrita leaves all but the first of several unknown codecs as unhandled rejections, which end a process. */
function checkIndexCodecs(codecs: unknown): void {
  const names = Array.isArray(codecs) ? codecs.map((codec) => codecOf(codec).name) : [];
  const unknown = names.find((name) => !knownCodecs.includes(plainName(name)));
  if (unknown !== undefined) throw new StriaError('unsupported', `the codec '${unknown}' of the shards' index is not supported`);
}

const plainName = (codec: string) => codec.replace(/^numcodecs\./, '');

function lengthsOf(value: unknown, what: string, least: 0 | 1): number[] {
  const isSound =
    Array.isArray(value) && value.length <= rankLimit && value.every((length) => Number.isSafeInteger(length) && length >= least);
  if (isSound) return value;
  throw new StriaError('corrupt', `the metadata's ${what} is not a list of lengths: ${JSON.stringify(value)?.slice(0, 100)}`);
}

function codecOf(value: unknown): { name: string; configuration: Record<string, unknown> } {
  // A codec without a configuration may be given by its name alone.
  if (typeof value === 'string') return { name: value, configuration: {} };
  const codec = objectOf(value);
  return { name: String(codec?.name), configuration: { ...objectOf(codec?.configuration) } };
}

function namedList(value: unknown, key: string): string[] {
  return Array.isArray(value) ? value.map((item) => String(objectOf(item)?.[key])) : [];
}

function nameOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function objectOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** The value of missing chunks, as JSON for zarrita. Defaults to 0. */
function fillValue(value: unknown, stored: StoredType | undefined): unknown {
  if (stored === undefined) return null;
  const number = fillNumber(value, stored);
  if (stored.convert === 'half') return typeof value === 'string' && /^0x/.test(value) ? Number(value) : halfBits(number);
  if (stored.name.startsWith('float')) return Number.isFinite(number) ? number : String(number);
  return Math.trunc(Number.isFinite(number) ? number : 0);
}

function fillNumber(value: unknown, { bytes }: StoredType): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return 0;
  const bits = /^0x([0-9a-f]{1,16})$/i.exec(value)?.[1];
  if (bits === undefined || bytes < 4) return Number(value);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return bytes === 8 ? view.getFloat64(0) : view.getFloat32(4);
}

/** The bits of a number that is exact in IEEE 754 binary16. */
function halfBits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65_520) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | Math.round(size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  return sign + Math.round((exponent + 15) * 1024 + (size / 2 ** exponent - 1) * 1024);
}

/** Length of the whole array in bytes, in the type as which it is read. */
export function readBytes({ shape, stored }: ArrayFacts): number {
  return shape.reduce((product, length) => product * length, stored === undefined ? 8 : elementBytes(stored.type));
}
