import { StriaError } from '../../shared/errors.ts';

/** The properties of a compressed picture, read before a decoder allocates memory for it. */
export interface Codestream {
  readonly kind: 'jpeg' | 'jpeg-lossless' | 'jpeg-ls' | 'jpeg-2000' | 'htj2k';
  readonly width: number;
  readonly height: number;
  readonly components: number;
  /** Bits per sample. */
  readonly bits: number;
  readonly isSigned: boolean;
  /** The codestream without anything before it. */
  readonly bytes: Uint8Array;
}

/** @throws StriaError `corrupt`; `unsupported` for kinds without a decoder */
export function readCodestream(bytes: Uint8Array): Codestream {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) {
    const stream = readJpeg(bytes);
    // Without an end marker CharLS runs for seconds. Other kinds are decoded without it, because some writers omit it.
    if (stream.kind === 'jpeg-ls' && !hasEnd(bytes)) throw wrong('it ends early');
    return stream;
  }
  const start = startOfJpeg2000(bytes);
  if (start >= 0) return readJpeg2000(bytes.subarray(start));
  throw wrong('it is neither JPEG nor JPEG 2000');
}

function hasEnd(bytes: Uint8Array): boolean {
  const last = bytes.findLastIndex((byte) => byte !== 0);
  return bytes[last] === 0xd9 && bytes[last - 1] === 0xff;
}

function readJpeg(bytes: Uint8Array): Codestream {
  const word = (at: number) => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  for (let at = 2; at + 10 <= bytes.byteLength; ) {
    if (bytes[at] !== 0xff) throw wrong(`it has no marker at byte ${at}`);
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const kind = kindOf(marker);
    if (kind !== undefined) {
      return {
        kind,
        bits: bytes[at + 4] as number,
        height: word(at + 5),
        width: word(at + 7),
        components: bytes[at + 9] as number,
        isSigned: false,
        bytes,
      };
    }
    if (marker === 0xda || marker === 0xd9) break;
    at += 2 + word(at + 2);
  }
  throw wrong('it has no size');
}

function kindOf(marker: number): Codestream['kind'] | undefined {
  if (marker === 0xc0 || marker === 0xc1 || marker === 0xc2) return 'jpeg';
  if (marker === 0xc3) return 'jpeg-lossless';
  if (marker === 0xf7) return 'jpeg-ls';
  const isFrame = marker >= 0xc5 && marker <= 0xcf && marker !== 0xc8 && marker !== 0xcc;
  if (isFrame)
    throw new StriaError(
      'unsupported',
      `hierarchical or arithmetic JPEG (marker FF${marker.toString(16).toUpperCase()}) is not supported`,
    );
  return undefined;
}

/** The start of the codestream after a JP2 header, which DICOM does not allow but some writers add. */
function startOfJpeg2000(bytes: Uint8Array): number {
  const most = Math.min(bytes.byteLength - 4, 4096);
  for (let at = 0; at <= most; at++) {
    if (bytes[at] === 0xff && bytes[at + 1] === 0x4f && bytes[at + 2] === 0xff && bytes[at + 3] === 0x51) return at;
  }
  return -1;
}

function readJpeg2000(bytes: Uint8Array): Codestream {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 45) throw wrong('it ends early');
  const [x, y, left, top] = [8, 12, 16, 20].map((at) => view.getUint32(at)) as [number, number, number, number];
  const [tileX, tileY] = [view.getUint32(24), view.getUint32(28)];
  const components = view.getUint16(40);
  const depth = view.getUint8(42);
  const [width, height] = [x - left, y - top];
  if (!(width > 0 && height > 0 && tileX > 0 && tileY > 0)) throw wrong('its size is invalid');
  // Each tile takes additional memory.
  if (Math.ceil(x / tileX) * Math.ceil(y / tileY) > 65535) throw wrong('it has too many tiles');
  // The marker CAP after SIZ identifies high-throughput streams.
  const siz = view.getUint16(4);
  const isHighThroughput = 6 + siz <= bytes.byteLength && view.getUint16(4 + siz) === 0xff50;
  return {
    kind: isHighThroughput ? 'htj2k' : 'jpeg-2000',
    width,
    height,
    components,
    bits: (depth & 0x7f) + 1,
    isSigned: (depth & 0x80) !== 0,
    bytes,
  };
}

/**
 * A JPEG with a marker for its colour space. libjpeg uses an Adobe marker, a JFIF marker or the components' names, but DICOM uses
 * its header. If there is no Adobe marker, this inserts one that agrees with the header.
 */
export function withColorMarker(bytes: Uint8Array, isYbr: boolean): Uint8Array {
  const kept: Uint8Array[] = [];
  let at = 2;
  while (at + 4 <= bytes.byteLength && bytes[at] === 0xff) {
    const marker = bytes[at + 1] as number;
    if (marker < 0xe0 || marker > 0xef) break;
    const end = at + 2 + (((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number));
    const isAdobe = marker === 0xee && String.fromCharCode(...bytes.subarray(at + 4, at + 9)) === 'Adobe';
    // libjpeg ignores a truncated one.
    if (isAdobe && end - at >= 16) return bytes;
    if (marker !== 0xe0 && !isAdobe) kept.push(bytes.subarray(at, end));
    at = end;
  }
  const adobe = Uint8Array.of(0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, isYbr ? 1 : 0);
  const parts = [bytes.subarray(0, 2), adobe, ...kept, bytes.subarray(at)];
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let to = 0;
  for (const part of parts) {
    joined.set(part, to);
    to += part.byteLength;
  }
  return joined;
}

export function wrong(says: string): StriaError {
  return new StriaError('corrupt', `a compressed picture is broken: ${says}`);
}
