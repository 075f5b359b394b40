import { StriaError, toStriaError } from '../../shared/errors.ts';
import { type Codestream, wrong } from './codestream.ts';

/** A decompressed picture. */
export interface DecodedPicture {
  /** Samples of 1 or 2 bytes, little-endian. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly width: 1 | 2;
  /** Whether the samples of a colour are in separate planes instead of interleaved. */
  readonly isPlanar: boolean;
}

/** The common interface of the packages' decoders. */
interface WasmDecoder {
  getEncodedBuffer(length: number): Uint8Array;
  getDecodedBuffer(): Uint8Array;
  decode(): void;
  delete(): void;
  getInterleaveMode?(): number;
}

interface WasmModule {
  readonly [name: string]: new () => WasmDecoder;
}

type Kind = Exclude<Codestream['kind'], 'jpeg-lossless'>;
type Glue = { readonly default: (options: { wasmBinary: Uint8Array; print(): void; printErr(): void }) => Promise<WasmModule> };

const packages: Readonly<
  Record<Kind, { readonly decoder: string; load(): Promise<readonly [unknown, { readonly default: Uint8Array }]> }>
> = {
  jpeg: {
    decoder: 'JPEGDecoder',
    load: async () => [
      await import('@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs'),
      await import('@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasm?bytes'),
    ],
  },
  'jpeg-ls': {
    decoder: 'JpegLSDecoder',
    load: async () => [
      await import('@cornerstonejs/codec-charls/decodewasmjs'),
      await import('@cornerstonejs/codec-charls/decodewasm?bytes'),
    ],
  },
  'jpeg-2000': {
    decoder: 'J2KDecoder',
    load: async () => [
      await import('@cornerstonejs/codec-openjpeg/decodewasmjs'),
      await import('@cornerstonejs/codec-openjpeg/decodewasm?bytes'),
    ],
  },
  htj2k: {
    decoder: 'HTJ2KDecoder',
    load: async () => [
      await import('@cornerstonejs/codec-openjph/wasmjs'),
      await import('@cornerstonejs/codec-openjph/wasm?bytes'),
    ],
  },
};

/** Loaded modules. A module that failed is instantiated again, because its memory may be in any state. */
const modules = new Map<Kind, Promise<WasmModule>>();

async function load(kind: Kind): Promise<WasmModule> {
  const [glue, { default: wasmBinary }] = await packages[kind].load();
  const quiet = () => {};
  return (glue as Glue).default({ wasmBinary, print: quiet, printErr: quiet });
}

/** @throws StriaError `corrupt` if the decoder refuses the picture, `unsupported` */
export async function decodePicture(stream: Codestream): Promise<DecodedPicture> {
  const { width, height, components, bits } = stream;
  if (bits > 16) throw new StriaError('unsupported', `compressed pixels of ${bits} bits are not supported, only up to 16`);
  const sampleWidth = bits > 8 ? 2 : 1;
  const decoded = stream.kind === 'jpeg-lossless' ? await decodeLossless(stream) : await decodeByWasm(stream, stream.kind);
  if (decoded.bytes.byteLength !== width * height * components * sampleWidth) {
    throw wrong(`its decoder returned ${decoded.bytes.byteLength} bytes instead of ${width * height * components * sampleWidth}`);
  }
  return { ...decoded, width: sampleWidth };
}

async function decodeByWasm(stream: Codestream, kind: Kind): Promise<Omit<DecodedPicture, 'width'>> {
  if (kind === 'jpeg' && stream.bits !== 8) {
    throw new StriaError(
      'unsupported',
      `JPEG of ${stream.bits} bits (extended, process 4) is not supported: convert it, for example with dcmdjpeg`,
    );
  }
  const module = modules.get(kind) ?? load(kind);
  modules.set(kind, module);
  const { [packages[kind].decoder]: Decoder } = await module;
  if (Decoder === undefined) throw new StriaError('internal', `the package of ${kind} has no decoder`);
  try {
    const decoder = new Decoder();
    decoder.getEncodedBuffer(stream.bytes.byteLength).set(stream.bytes);
    decoder.decode();
    // Copied, because deleting the decoder frees its memory.
    const bytes = new Uint8Array(decoder.getDecodedBuffer());
    const isPlanar = stream.components > 1 && decoder.getInterleaveMode?.() === 0;
    decoder.delete();
    return { bytes, isPlanar };
  } catch (error) {
    modules.delete(kind);
    throw refused(error);
  }
}

async function decodeLossless({ bytes, bits, components }: Codestream): Promise<Omit<DecodedPicture, 'width'>> {
  if (components > 1 && bits > 8) throw new StriaError('unsupported', 'lossless JPEG with colours is supported only with 8 bits');
  const { Decoder } = await import('jpeg-lossless-decoder-js');
  try {
    const decoded = new Decoder().decode(bytes.slice().buffer, 0, bytes.byteLength);
    if (decoded === null) throw wrong('its decoder returned nothing');
    return { bytes: new Uint8Array(decoded.buffer as ArrayBuffer, decoded.byteOffset, decoded.byteLength), isPlanar: false };
  } catch (error) {
    throw refused(error);
  }
}

function refused(error: unknown): StriaError {
  if (error instanceof StriaError) return error;
  const fault = toStriaError(error);
  if (fault.tag === 'out-of-memory') return fault;
  return new StriaError('corrupt', 'a compressed picture is broken: its decoder refuses it', { cause: error });
}
