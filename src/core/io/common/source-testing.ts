import type { ByteSource, SiblingFinder } from '../../shared/bytes.ts';
import { memorySource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { SourceDescription } from '../../shared/source.ts';
import { type Dims4, type ElementType, type Endian, elementBytes, swapBytes, typedVoxels } from '../../shared/volume.ts';
import { joinBytes } from './byte-stream.ts';
import type { OpenVolume } from './volume-reader.ts';

// Helpers for the tests of this folder. Files are built here from the format specifications, not with this folder's writers.

/** A file on an imaginary disk. */
export interface TestFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export function siblingsAmong(files: readonly TestFile[]): SiblingFinder {
  return async (name) => {
    const found = files.find((file) => file.name === name);
    return found === undefined ? undefined : memorySource(found.name, found.bytes);
  };
}

/** A source that returns at most `most` bytes per read, so that elements straddle pieces. */
export function trickling(source: ByteSource, most: number): ByteSource {
  return { ...source, read: (offset, length, options) => source.read(offset, Math.min(length, most), options) };
}

/** Pseudorandom bytes; the same seed gives the same bytes. */
export function noise(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  let state = seed;
  return new Uint8Array(length).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state >>> 24;
  });
}

export async function readVoxels(volume: OpenVolume): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of volume.voxels()) pieces.push(piece);
  return joinBytes(pieces);
}

/** Interleaves samples: the input has all samples of one kind together, the result all samples of one place. */
function sideBySide(voxels: Uint8Array, samples: number, width: number): Uint8Array {
  const places = voxels.byteLength / width / samples;
  return voxels.map((_, at) => {
    const [element, byte] = [Math.floor(at / width), at % width];
    const [place, sample] = [Math.floor(element / samples), element % samples];
    return voxels[(sample * places + place) * width + byte] as number;
  });
}

/** The files that result from a description and little-endian voxels. */
export function rebuild(source: SourceDescription, voxels: Uint8Array, type: ElementType): TestFile[] {
  const { samples = 1, as } = source.stored ?? {};
  let inOrder = sideBySide(voxels, samples, elementBytes(type));
  const isWide = as === 'i64' || as === 'u64';
  if (isWide) inOrder = new Uint8Array(BigInt64Array.from(typedVoxels(type, inOrder.slice()), BigInt).buffer);
  if (source.endian === 'big') swapBytes(inOrder, isWide ? 8 : elementBytes(type));
  return source.parts.map(({ name, before, hasVoxels, after }) => ({
    name,
    bytes: joinBytes(hasVoxels ? [before, inOrder, after] : [before, after]),
  }));
}

/** The fault with which a promise rejects; undefined if it resolves. Any error other than a StriaError fails the test. */
export async function faultOf(work: Promise<unknown>): Promise<StriaError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof StriaError) return error;
    throw error;
  }
}

export interface NiftiFields {
  readonly version?: 1 | 2;
  readonly endian?: Endian;
  readonly dim?: readonly number[];
  readonly datatype?: number;
  readonly pixdim?: readonly number[];
  readonly voxOffset?: number;
  readonly slope?: number;
  readonly intercept?: number;
  readonly units?: number;
  readonly qform?: { readonly code: number; readonly quaternion: readonly number[]; readonly offset: readonly number[] };
  readonly sform?: { readonly code: number; readonly rows: readonly number[] };
  readonly isPair?: boolean;
}

/** A NIfTI header, 348 or 540 bytes, with the offsets from nifti1.h and nifti2.h. */
export function niftiHeaderBytes(fields: NiftiFields): Uint8Array {
  const { version = 1, endian = 'little', dim = [3, 4, 3, 2], datatype = 2, pixdim = [1, 1, 1, 1], isPair = false } = fields;
  const isLittle = endian === 'little';
  const isOne = version === 1;
  const bytes = new Uint8Array(isOne ? 348 : 540);
  const view = new DataView(bytes.buffer);
  const short = (at: number, value: number) => view.setInt16(at, value, isLittle);
  const int = (at: number, value: number) => view.setInt32(at, value, isLittle);
  const long = (at: number, value: number) => view.setBigInt64(at, BigInt(value), isLittle);
  const float = (at: number, value: number) => view.setFloat32(at, value, isLittle);
  const double = (at: number, value: number) => view.setFloat64(at, value, isLittle);
  const text = (at: number, value: string) => bytes.set(new TextEncoder().encode(value), at);
  const voxOffset = fields.voxOffset ?? (isPair ? 0 : isOne ? 352 : 544);
  const { quaternion = [], offset = [], code: qformCode = 0 } = fields.qform ?? {};
  const { rows = [], code: sformCode = 0 } = fields.sform ?? {};
  if (isOne) {
    int(0, 348);
    dim.forEach((length, index) => {
      short(40 + 2 * index, length);
    });
    short(70, datatype);
    pixdim.forEach((size, index) => {
      float(76 + 4 * index, size);
    });
    float(108, voxOffset);
    float(112, fields.slope ?? 0);
    float(116, fields.intercept ?? 0);
    view.setUint8(123, fields.units ?? 0);
    text(148, 'made by a test');
    short(252, qformCode);
    short(254, sformCode);
    [...quaternion, ...offset].forEach((value, index) => {
      float(256 + 4 * index, value);
    });
    rows.forEach((value, index) => {
      float(280 + 4 * index, value);
    });
    text(344, isPair ? 'ni1' : 'n+1');
  } else {
    int(0, 540);
    text(4, isPair ? 'ni2\0\r\n\x1a\n' : 'n+2\0\r\n\x1a\n');
    short(12, datatype);
    dim.forEach((length, index) => {
      long(16 + 8 * index, length);
    });
    pixdim.forEach((size, index) => {
      double(104 + 8 * index, size);
    });
    long(168, voxOffset);
    double(176, fields.slope ?? 0);
    double(184, fields.intercept ?? 0);
    text(240, 'made by a test');
    int(344, qformCode);
    int(348, sformCode);
    [...quaternion, ...offset].forEach((value, index) => {
      double(352 + 8 * index, value);
    });
    rows.forEach((value, index) => {
      double(400 + 8 * index, value);
    });
    int(500, fields.units ?? 0);
  }
  return bytes;
}

/** A complete `.nii`: header, four bytes that announce `extension`, the extension, voxels, and trailing bytes. */
export function niftiFile(
  fields: NiftiFields,
  voxels: Uint8Array,
  extension = new Uint8Array(),
  after = new Uint8Array(),
): Uint8Array {
  const voxOffset = (fields.version === 2 ? 544 : 352) + extension.byteLength;
  const flag = Uint8Array.of(extension.byteLength > 0 ? 1 : 0, 0, 0, 0);
  return joinBytes([niftiHeaderBytes({ ...fields, voxOffset }), flag, extension, voxels, after]);
}

/** Names and codes of the element types in the formats. */
export const typeCodes: Record<ElementType, { readonly nifti: number; readonly nrrd: string }> = {
  u8: { nifti: 2, nrrd: 'uchar' },
  i8: { nifti: 256, nrrd: 'signed char' },
  u16: { nifti: 512, nrrd: 'unsigned short' },
  i16: { nifti: 4, nrrd: 'short' },
  u32: { nifti: 768, nrrd: 'uint32_t' },
  i32: { nifti: 8, nrrd: 'int' },
  f32: { nifti: 16, nrrd: 'float' },
  f64: { nifti: 64, nrrd: 'double' },
};

export function nrrdText(lines: readonly string[], magic = 'NRRD0004'): Uint8Array {
  return new TextEncoder().encode([magic, ...lines, '', ''].join('\n'));
}

/** The fields that every header of a volume without time needs. */
export function nrrdLines(dims: readonly number[], type: ElementType, endian: Endian = 'little', encoding = 'raw'): string[] {
  return [
    '# made by a test',
    `type: ${typeCodes[type].nrrd}`,
    `dimension: ${dims.length}`,
    `sizes: ${dims.join(' ')}`,
    `endian: ${endian}`,
    `encoding: ${encoding}`,
  ];
}

/** Voxel bytes as a file stores them, and as a reader returns them. */
export function testVoxels(dims: Dims4, type: ElementType, endian: Endian): { stored: Uint8Array; read: Uint8Array } {
  const read = noise(dims[0] * dims[1] * dims[2] * dims[3] * elementBytes(type), 7);
  const stored = read.slice();
  if (endian === 'big') swapBytes(stored, elementBytes(type));
  return { stored, read };
}
