import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { VoxelArray } from '../../shared/volume.ts';
import { narrowIntegers, placeInArray, widenHalf } from '../common/value-types.ts';
import { largestChunkBytes, type VoxelGrid } from '../common/voxel-grid.ts';
import type { ArrayFacts } from './array-metadata.ts';
import { boundCodecs } from './bounded-codecs.ts';
import type { KeyStore } from './key-store.ts';

type Zarrita = typeof import('zarrita');
type Range = { readonly offset: number; readonly length: number } | { readonly suffixLength: number };

/** The largest file that is read: the largest chunk, plus a margin, because compression hardly ever makes data longer. */
const largestFileBytes = largestChunkBytes + 2 ** 20;

let loading: Promise<Zarrita> | undefined;

/** Zarrita and its WebAssembly codecs, loaded when the first array is opened. */
function loadZarrita(): Promise<Zarrita> {
  loading ??= import('zarrita').then((zarrita) => {
    boundCodecs(zarrita.registry as never);
    return zarrita;
  });
  return loading;
}

/**
 * The values of an array, decoded by zarrita.
 * @param path the path of the array's folder; ends with a `/`, except for the root
 * @throws StriaError `unsupported` if the array has a `problem`; `corrupt`, `not-readable`, `aborted`
 */
export async function openGrid(store: KeyStore, path: string, facts: ArrayFacts): Promise<VoxelGrid> {
  const { stored, problem } = facts;
  if (stored === undefined || problem !== undefined) {
    throw new StriaError('unsupported', problem ?? `values of type ${facts.typeName} are not supported`);
  }
  const zarrita = await loadZarrita();
  const job: { current: JobOptions } = { current: {} };
  const root = zarrita.root(storeFor(store, path, facts, () => job.current));
  const open = facts.document.zarr_format === 2 ? zarrita.open.v2 : zarrita.open.v3;
  const array = await open(root, { kind: 'array', ...(facts.document.zarr_format === 2 && { attrs: false }) } as never).catch(
    (error: unknown) => {
      throw asFault(zarrita, error);
    },
  );
  const count = facts.chunks.reduce((product, length) => product * length, 1);
  return {
    shape: facts.shape,
    chunks: facts.chunks,
    type: stored.type,
    async read(index, options) {
      job.current = options;
      const chunk = await (array as unknown as import('zarrita').Array<'uint8'>).getChunk([...index]).catch((error: unknown) => {
        throw inChunk(index, asFault(zarrita, error));
      });
      // Zarrita does not check the length of a codec's output.
      if (chunk.data.length < count) {
        throw inChunk(index, new StriaError('corrupt', `it has ${chunk.data.length} values instead of ${count}`));
      }
      try {
        const origin = index.map((number, axis) => number * (facts.chunks[axis] as number));
        const block = { origin, lengths: facts.chunks, stride: chunk.stride };
        return { data: converted(chunk.data, stored.convert, (at) => placeInArray(at, block)), stride: chunk.stride };
      } catch (error) {
        throw error instanceof StriaError ? inChunk(index, error) : error;
      }
    },
  };
}

function converted(
  data: Uint8Array,
  convert: 'half' | 'i64' | 'u64' | undefined,
  placeOf: (index: number) => string,
): VoxelArray {
  if (convert === 'half') return widenHalf(data as unknown as Uint16Array);
  if (convert === undefined) return data;
  const bytes = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  return narrowIntegers(bytes, convert === 'i64', placeOf);
}

/** The store for zarrita: the array's validated metadata, and its chunks. */
function storeFor(store: KeyStore, path: string, facts: ArrayFacts, job: () => JobOptions) {
  const document = new TextEncoder().encode(JSON.stringify(facts.document));
  const metadataKey = facts.document.zarr_format === 2 ? '/.zarray' : '/zarr.json';
  const keyOf = (key: string) => `${path}${key.slice(1)}`;
  return {
    async get(key: string): Promise<Uint8Array | undefined> {
      if (key === metadataKey) return document;
      return store.read(keyOf(key), largestFileBytes, job());
    },
    async getRange(key: string, range: Range): Promise<Uint8Array | undefined> {
      if ('offset' in range) return store.readPart(keyOf(key), range.offset, range.length, job());
      // Only a shard's index is requested relative to the end.
      const start = facts.isIndexFirst ? 0 : -range.suffixLength;
      return store.readPart(keyOf(key), start, range.suffixLength, job());
    },
  };
}

function inChunk(index: readonly number[], fault: StriaError): StriaError {
  return new StriaError(fault.tag, `chunk ${index.join('.')}: ${fault.message}`, { cause: fault.cause ?? fault });
}

function asFault(zarrita: Zarrita, error: unknown): StriaError {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof StriaError) return cause;
    if (cause.name === 'AbortError') return new StriaError('aborted', 'cancelled', { cause });
  }
  if (zarrita.isZarritaError(error, 'UnknownCodecError')) {
    return new StriaError('unsupported', `its codec '${error.codec}' is not supported`, { cause: error });
  }
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const reason = inner instanceof Error ? inner.message : String(inner);
  return new StriaError('corrupt', `it cannot be decoded: ${reason}`, { cause: error });
}
