// `stria/zarr`: the Zarr v3 codec `stria`, for zarrita. docs/ZARR.md specifies it.
import { choiceByName } from '../core/codecs/registry.ts';
import { StriaError } from '../core/shared/errors.ts';
import { decodeZarrChunk, encodeZarrChunk, zarrGeometry } from './zarr-chunk.ts';

/** The codec's configuration in an array's metadata. Decoders ignore it. */
interface ZarrConfiguration {
  readonly codec?: string;
  readonly effort?: 'normal' | 'max';
  readonly prefer?: 'size' | 'balanced' | 'speed';
}

interface ZarrChunk {
  readonly data: ArrayBufferView;
  readonly shape: number[];
  readonly stride: number[];
}

/** Typed arrays by Zarr's data types. */
const arrays = {
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  float32: Float32Array,
  float64: Float64Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
} as const;

/** For zarrita: `registry.set('stria', async () => striaCodec)`. */
export const striaCodec = {
  kind: 'array_to_bytes',
  fromConfig(configuration: unknown, { dataType, shape }: { readonly dataType: string; readonly shape: readonly number[] }) {
    const { codec = 'auto', effort = 'normal', prefer } = (configuration ?? {}) as ZarrConfiguration;
    const TypedArray = arrays[dataType as keyof typeof arrays];
    if (!TypedArray) throw new StriaError('unsupported', `the codec stria does not support ${dataType} in JavaScript`);
    const geometry = zarrGeometry(shape, TypedArray.BYTES_PER_ELEMENT);
    const choice = {
      codec: choiceByName(codec),
      options: { axis: 'auto', effort, prefer },
    } as const;
    const stride = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, length) => product * length, 1));
    return {
      kind: 'array_to_bytes' as const,
      encode({ data, shape: own, stride: steps }: ZarrChunk): Uint8Array {
        if (
          own.some((length, axis) => length !== shape[axis]) ||
          steps.some((step, axis) => step !== stride[axis] && own[axis] !== 1)
        ) {
          throw new StriaError('invalid-input', `the codec stria takes whole chunks of ${shape.join('×')} in C order`);
        }
        return encodeZarrChunk(
          new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength).slice(),
          geometry,
          choice,
        );
      },
      decode(bytes: Uint8Array): ZarrChunk {
        const decoded = decodeZarrChunk(bytes, geometry);
        return { data: new TypedArray(decoded.buffer), shape: [...shape], stride };
      },
    };
  },
} as const;
