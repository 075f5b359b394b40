/** FORMAT.md, 'SRCE and BLOB', for the plain reader beside this file. Imported by tests alone. */

import type { Inflate } from './plain-files-testing.ts';
import type { PlainHeader } from './plain-header-testing.ts';
import { corrupt, type PlainRecord, readRecord, uint } from './plain-records-testing.ts';

interface Part {
  readonly name: string;
  readonly hasVoxels: boolean;
  readonly before: number;
  readonly after: number;
  readonly deflated?: { readonly before?: number; readonly after?: number };
}

/** FORMAT.md, 'SRCE and BLOB' */
export function joinParts(
  file: Uint8Array,
  source: PlainRecord,
  header: PlainHeader,
  voxels: Uint8Array,
  inflate: Inflate,
): Map<string, Uint8Array> {
  // 'The body of SRCE is JSON as in HEAD, at most 1 MiB, no meta bytes'
  const { format: ownFormat, endian, stored, parts } = parseSource(source.body);
  // 'as `source` in HEAD'
  if (ownFormat !== header.source) throw corrupt('SRCE has another format than HEAD');
  // 'Then, and only then, `requires` in HEAD names `stored`'
  if ((stored !== undefined) !== header.requires.includes('stored')) throw corrupt('SRCE is stored otherwise than HEAD');
  const { bytes: inFile, width } = storedBytes(voxels, header, stored);
  // 'Then `requires` in HEAD names `deflated`'
  const isDeflated = parts.some(({ deflated }) => deflated?.before !== undefined || deflated?.after !== undefined);
  if (isDeflated && !header.requires.includes('deflated')) throw corrupt('SRCE has deflated bytes');
  const files = new Map<string, Uint8Array>();
  let at = source.end;
  for (const [number, part] of parts.entries()) {
    // 'for each part in order its `before`, then its `after`, each one BLOB, and none where the length is 0'
    const [before, after] = (['before', 'after'] as const).map((key, side) => {
      const [length, deflatedLength] = [part[key], part.deflated?.[key]];
      if (length === 0) return new Uint8Array(0);
      const blob = readRecord(file, at, 'BLOB');
      at = blob.end;
      // 'The meta of a BLOB is `u32` part, from 0, and `u32` side, 0 for before and 1 for after;'
      const isRight = blob.meta.length === 8 && uint(blob.meta, 0, 4) === number && uint(blob.meta, 4, 4) === side;
      if (!isRight || blob.body.length !== (deflatedLength ?? length)) throw corrupt('BLOB is of another part');
      if (deflatedLength === undefined) return blob.body;
      // 'its body is the bytes, or what they are deflated to'
      let bytes: Uint8Array;
      try {
        bytes = inflate(blob.body);
      } catch {
        throw corrupt('BLOB is not deflated');
      }
      // 'A reader inflates no more than the bytes that the part states, and refuses more or fewer.'
      if (bytes.length !== length) throw corrupt('BLOB has another length');
      return bytes;
    }) as [Uint8Array, Uint8Array];
    // 'the order of the source's voxel bytes (in chunks they are little)'
    const own = !part.hasVoxels ? [] : endian === 'little' ? inFile : swapped(inFile, width);
    // 'A part is `before`, then the voxels if it has them, then `after`'
    const bytes = new Uint8Array(before.length + own.length + after.length);
    bytes.set(before);
    bytes.set(own, before.length);
    bytes.set(after, before.length + own.length);
    files.set(part.name, bytes);
  }
  return files;
}

function parseSource(body: Uint8Array): { format: unknown; endian: 'little' | 'big'; stored: unknown; parts: Part[] } {
  if (body.length > 2 ** 20) throw corrupt('SRCE is too long');
  let json: { format?: unknown; endian?: unknown; stored?: unknown; parts?: unknown };
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw corrupt('SRCE is not JSON');
  }
  const { format, endian, stored, parts } = json ?? {};
  if (endian !== 'little' && endian !== 'big') throw corrupt('SRCE has no byte order');
  // 'list of 1 to 64 objects, one for each file, each with a name of its own'
  if (!Array.isArray(parts) || parts.length < 1 || parts.length > 64) throw corrupt('SRCE has no list of parts');
  const isLength = (value: unknown) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  for (const part of parts as Part[]) {
    // 'file name: 1 to 255 UTF-16 units without `/`, `\`, `:` and control characters, not `.` or `..`.'
    const { name } = part ?? {};
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    const isName = typeof name === 'string' && /^[^/\\:\x00-\x1f\x7f-\x9f]{1,255}$/.test(name) && name !== '.' && name !== '..';
    if (!isName || typeof part.hasVoxels !== 'boolean' || !isLength(part.before) || !isLength(part.after)) {
      throw corrupt('SRCE has a part that is wrong');
    }
    const { deflated } = part;
    if (deflated === undefined) continue;
    if (typeof deflated !== 'object' || deflated === null || Array.isArray(deflated)) throw corrupt('SRCE has a wrong list');
    for (const side of ['before', 'after'] as const) {
      const length = deflated[side];
      if (length === undefined) continue;
      // 'A deflated side has at least 1 and at most 2^24 bytes, and so has its BLOB's body.'
      const areRight = [length, part[side]].every((each) => isLength(each) && each >= 1 && each <= 2 ** 24);
      if (!areRight) throw corrupt('SRCE has a wrong length');
    }
  }
  const known = parts as Part[];
  // 'All deflated sides together have at most 2^24 bytes.'
  const inflated = known.flatMap(({ before, after, deflated }) => [
    deflated?.before === undefined ? 0 : before,
    deflated?.after === undefined ? 0 : after,
  ]);
  if (inflated.reduce((sum, length) => sum + length, 0) > 2 ** 24) throw corrupt('SRCE has too many deflated bytes');
  if (new Set(known.map(({ name }) => name)).size !== known.length) throw corrupt('SRCE has two parts of one name');
  // 'true in exactly one part'
  if (known.filter(({ hasVoxels }) => hasVoxels).length !== 1) throw corrupt('SRCE has not one part with the voxels');
  return { format, endian, stored, parts: known };
}

/** The voxels as the source's file has them, little-endian, and how many bytes each has there. */
function storedBytes(
  voxels: Uint8Array,
  header: PlainHeader,
  stored: unknown,
): { readonly bytes: Uint8Array; readonly width: number } {
  if (stored === undefined) return { bytes: voxels, width: header.voxelBytes };
  const { samples, as } = (stored ?? {}) as { samples?: unknown; as?: unknown };
  const [x, y, z, t] = header.dims;
  // '1 to 1024: the number of values that the file stores side by side for each position; n = t / `samples` is a whole number.'
  const isCount = typeof samples === 'number' && Number.isSafeInteger(samples) && samples >= 1 && samples <= 1024;
  if (!isCount || t % samples !== 0) throw corrupt('SRCE has a wrong number of samples');
  const n = t / samples;
  const places = x * y * z;
  const inOrder: Uint8Array[] = [];
  for (let i = 0; i < n; i++) {
    for (let place = 0; place < places; place++) {
      for (let c = 0; c < samples; c++) {
        // 'Value c of time point i, both from 0, is the voxel at t = c × n + i of the volume'
        const at = ((c * n + i) * places + place) * header.voxelBytes;
        inOrder.push(voxels.subarray(at, at + header.voxelBytes));
      }
    }
  }
  if (as === undefined) return { bytes: Uint8Array.from(inOrder.flatMap((voxel) => [...voxel])), width: header.voxelBytes };
  if (as === 'f16' && header.type === 'f32') {
    // 'the `f32` volume's voxels are IEEE half floats in the file'
    const halves = halfByFloat();
    const bytes = inOrder.flatMap((voxel) => {
      const half = halves.get(uint(voxel, 0, 4)) ?? 0;
      return [half & 255, half >> 8];
    });
    return { bytes: Uint8Array.from(bytes), width: 2 };
  }
  if ((as === 'i64' && header.type === 'i32') || (as === 'u64' && header.type === 'u32')) {
    // '`"i64"` or `"u64"`: the `i32` or `u32` volume's voxels are 64-bit integers in the file'
    const bytes = inOrder.flatMap((voxel) => {
      const sign = as === 'i64' && uint(voxel, 3, 1) > 127 ? 255 : 0;
      return [...voxel, sign, sign, sign, sign];
    });
    return { bytes: Uint8Array.from(bytes), width: 8 };
  }
  if (as !== 'u4' || header.type !== 'u8' || samples !== 1) throw corrupt('SRCE has voxels stored as nothing that is known');
  const bytes: number[] = [];
  for (let row = 0; row < y * z * t; row++) {
    // 'the first of two in a byte is in its low half, and each row along x begins a byte, with zeros after its last voxel'
    for (let at = 0; at < x; at += 2) {
      const [low = 0, high = 0] = [voxels[row * x + at], at + 1 < x ? voxels[row * x + at + 1] : 0];
      bytes.push((low % 16) | ((high % 16) << 4));
    }
  }
  return { bytes: Uint8Array.from(bytes), width: 1 };
}

/** Each half float by the bits of the float with its value. */
function halfByFloat(): ReadonlyMap<number, number> {
  const view = new DataView(new ArrayBuffer(4));
  return new Map(
    Array.from({ length: 65536 }, (_, half) => {
      const [sign, exponent, fraction] = [half >> 15, (half >> 10) & 31, half & 1023];
      // Infinity and what is not a number, whose bits stay.
      if (exponent === 31) return [(sign * 2 ** 31 + 0x7f800000 + fraction * 8192) as number, half];
      const size = exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24;
      view.setFloat32(0, sign ? -size : size);
      return [view.getUint32(0), half];
    }),
  );
}

function swapped(voxels: Uint8Array, voxelBytes: number): Uint8Array {
  return voxels.map((_, at) => {
    const inVoxel = at % voxelBytes;
    return voxels[at - inVoxel + voxelBytes - 1 - inVoxel] as number;
  });
}
