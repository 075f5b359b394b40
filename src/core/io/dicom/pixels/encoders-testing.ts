import { joinBytes } from '../../common/byte-stream.ts';

// Compressed frames for tests. RLE and lossless JPEG are encoded here, all others by the packages' own encoders.

/** DICOM RLE of little-endian samples. @param segments bytes per pixel: one segment for each, highest byte first */
export function encodeRle(pixels: Uint8Array, segments: number): Uint8Array<ArrayBuffer> {
  // Two bytes are one 16-bit sample, three bytes are three 8-bit samples.
  const order = segments === 2 ? [1, 0] : [0, 1, 2].slice(0, segments);
  const parts = order.map((byte) => packBits(pixels.filter((_, index) => index % segments === byte)));
  const header = new Uint32Array(16);
  header[0] = segments;
  parts.reduce((at, part, index) => {
    header[index + 1] = at;
    return at + part.byteLength;
  }, 64);
  return joinBytes([new Uint8Array(header.buffer), ...parts]);
}

function packBits(bytes: Uint8Array): Uint8Array {
  const packed: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let run = 1;
    while (run < 128 && at + run < bytes.length && bytes[at + run] === bytes[at]) run++;
    if (run > 2) {
      packed.push(257 - run, bytes[at] as number);
      at += run;
      continue;
    }
    const literal = Math.min(5, bytes.length - at);
    packed.push(literal - 1, ...bytes.subarray(at, at + literal));
    at += literal;
  }
  if (packed.length % 2 === 1) packed.push(128);
  return Uint8Array.from(packed);
}

/** JPEG, process 14, predicted from the left neighbour, with a 5-bit Huffman code for each size of a difference. */
export function encodeLosslessJpeg(samples: Uint16Array, width: number, height: number, bits: number): Uint8Array<ArrayBuffer> {
  const lengths = new Uint8Array(16);
  lengths[4] = 17;
  const table = [0xff, 0xc4, 0, 19 + 17, 0, ...lengths, ...Array.from({ length: 17 }, (_, size) => size)];
  const frame = [0xff, 0xc3, 0, 11, bits, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0];
  const scan = [0xff, 0xda, 0, 8, 1, 1, 0, 1, 0, 0];
  const data: number[] = [];
  let pending = 0;
  let count = 0;
  const put = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit--) {
      pending = (pending << 1) | ((value >> bit) & 1);
      if (++count < 8) continue;
      data.push(pending);
      if (pending === 0xff) data.push(0);
      pending = 0;
      count = 0;
    }
  };
  for (let index = 0; index < samples.length; index++) {
    const isRowStart = index % width === 0;
    const guess = index === 0 ? 2 ** (bits - 1) : (samples[isRowStart ? index - width : index - 1] as number);
    const difference = (samples[index] as number) - guess;
    const size = difference === 0 ? 0 : 32 - Math.clz32(Math.abs(difference));
    put(size, 5);
    put(difference < 0 ? difference + 2 ** size - 1 : difference, size);
  }
  while (count > 0) put(1, 1);
  return Uint8Array.from([0xff, 0xd8, ...table, ...frame, ...scan, ...data, 0xff, 0xd9]);
}

export interface TestPicture {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly components: number;
}

interface Encoder {
  getDecodedBuffer(frame: object): Uint8Array;
  setQuality?(isReversible: boolean, quality: number): void;
  setInterleaveMode?(mode: number): void;
  setDecompositions?(count: number): void;
  encode(): void;
  getEncodedBuffer(): Uint8Array;
  delete(): void;
}

const encoders = {
  'jpeg-ls': {
    name: 'JpegLSEncoder',
    load: async () => [
      await import('@cornerstonejs/codec-charls/wasmjs'),
      await import('@cornerstonejs/codec-charls/wasm?bytes'),
    ],
  },
  'jpeg-2000': {
    name: 'J2KEncoder',
    load: async () => [
      await import('@cornerstonejs/codec-openjpeg/wasmjs'),
      await import('@cornerstonejs/codec-openjpeg/wasm?bytes'),
    ],
  },
  htj2k: {
    name: 'HTJ2KEncoder',
    load: async () => [
      await import('@cornerstonejs/codec-openjph/wasmjs'),
      await import('@cornerstonejs/codec-openjph/wasm?bytes'),
    ],
  },
  jpeg: {
    name: 'JPEGEncoder',
    load: async () => [
      await import('@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs'),
      await import('@cornerstonejs/codec-libjpeg-turbo-8bit/wasm?bytes'),
    ],
  },
};

/** @param pixels interleaved little-endian samples */
export async function encodeWith(
  kind: keyof typeof encoders,
  pixels: Uint8Array,
  { width, height, bits, components }: TestPicture,
): Promise<Uint8Array<ArrayBuffer>> {
  const { name, load } = encoders[kind];
  const [glue, binary] = (await load()) as [
    { default(options: object): Promise<Record<string, new () => Encoder>> },
    { default: Uint8Array },
  ];
  const quiet = () => {};
  const { [name]: Encoder } = await glue.default({ wasmBinary: binary.default, print: quiet, printErr: quiet });
  if (Encoder === undefined) throw new Error(`${name} is missing`);
  const encoder = new Encoder();
  const frame = {
    width,
    height,
    bitsPerSample: bits,
    componentCount: components,
    isSigned: false,
    isUsingColorTransform: components > 1,
  };
  encoder.getDecodedBuffer(frame).set(pixels);
  // These pictures are small.
  if (kind === 'jpeg-2000') encoder.setDecompositions?.(1);
  if (kind === 'htj2k') encoder.setQuality?.(true, 0);
  if (kind === 'jpeg-ls' && components > 1) encoder.setInterleaveMode?.(2);
  encoder.encode();
  const stream = new Uint8Array(encoder.getEncodedBuffer());
  encoder.delete();
  return stream;
}
