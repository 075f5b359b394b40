import { gzipSync } from 'node:zlib';

/** A test volume, whose voxels can be read one by one. Its bytes are in file order (x fastest, little-endian). */
export interface TestVolume {
  readonly dims: readonly [x: number, y: number, z: number];
  readonly type: 'u8' | 'i16' | 'u32' | 'f32';
  readonly bytes: Uint8Array;
  /** Default: 1. */
  readonly timePoints?: number;
  voxel(x: number, y: number, z: number): number;
}

const types = {
  u8: { bytes: 1, nifti: 2, nrrd: 'uint8', get: 'getUint8', set: 'setUint8' },
  i16: { bytes: 2, nifti: 4, nrrd: 'int16', get: 'getInt16', set: 'setInt16' },
  u32: { bytes: 4, nifti: 768, nrrd: 'uint32', get: 'getUint32', set: 'setUint32' },
  f32: { bytes: 4, nifti: 16, nrrd: 'float', get: 'getFloat32', set: 'setFloat32' },
} as const;
const headerBytes = 352;
const spacing = [1.5, 1.5, 2] as const;

/**
 * A background, a box with one value, and a ball in which no two neighbours are equal. It looks different from every side, so
 * that a rotated view has different pixels, and a voxel read from a wrong place has a wrong value.
 */
export function shapes(side: number, type: TestVolume['type'] = 'u8'): TestVolume {
  const inBall = (x: number, y: number, z: number) => Math.hypot(x - 0.62 * side, y - 0.4 * side, z - 0.5 * side) < 0.24 * side;
  const inBox = (x: number, y: number, z: number) =>
    Math.abs(x - 0.25 * side) < 0.12 * side && Math.abs(y - 0.7 * side) < 0.2 * side && Math.abs(z - 0.5 * side) < 0.35 * side;
  const value = (x: number, y: number, z: number): number => {
    if (inBall(x, y, z)) return 90 + ((3 * x + 5 * y + 7 * z) % 101);
    return inBox(x, y, z) ? 200 : 0;
  };
  // 16-bit values have a negative background with noise, like a scan. Flat data would be taken for labels.
  const wide = (x: number, y: number, z: number) => 7 * value(x, y, z) + ((x + 2 * y + 3 * z) % 7) - 300;
  return volumeOf([side, side, side], type, type === 'u8' ? value : wide);
}

/** The same shapes, which move slightly along x from one time point to the next. `voxel` reads the first time point. */
export function series(side: number, timePoints: number): TestVolume {
  const first = shapes(side);
  const bytes = new Uint8Array(first.bytes.length * timePoints);
  for (let t = 0; t < timePoints; t++) {
    for (let at = 0; at < first.bytes.length; at++) {
      const x = at % side;
      bytes[t * first.bytes.length + at] = first.bytes[at - x + ((x + t) % side)] as number;
    }
  }
  return { ...first, bytes, timePoints };
}

/**
 * A volume like an MR scan: a head in air, with noise that is correlated between neighbouring voxels. `wave` compresses it best.
 * @param move shifts the head along x
 */
export function scan(side: number, move = 0): TestVolume {
  const grain = noise([side, side, side]);
  const around = (x: number, y: number, z: number): number => {
    let sum = 0;
    for (const [dx, dy, dz] of [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ] as const) {
      sum += grain.voxel((x + dx) % side, (y + dy) % side, (z + dz) % side);
    }
    return sum / 96;
  };
  return volumeOf([side, side, side], 'u8', (x, y, z) => {
    const radius = Math.hypot(x - side / 2 - move, y - side / 2, z - side / 2) / side;
    const tissue = radius > 0.42 ? 6 : 90 + 50 * Math.cos(14 * radius) + 20 * Math.sin(x / 5 + y / 9);
    return tissue + around(x, y, z);
  });
}

/** A series of scans, in which the head moves by a voxel from one time point to the next. `voxel` reads the first time point. */
export function scans(side: number, timePoints: number): TestVolume {
  const all = Array.from({ length: timePoints }, (_, t) => scan(side, t));
  return { ...(all[0] as TestVolume), bytes: Buffer.concat(all.map(({ bytes }) => bytes)), timePoints };
}

/** Bytes without long runs: incompressible for run-length coding, and slow to compress. */
export function noise(dims: TestVolume['dims'], seed = 1): TestVolume {
  let state = seed;
  return volumeOf(dims, 'u8', () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

/**
 * Cubes of `side` voxels side by side in one layer, `columns` to a row. Each is constant, has runs of 16 along z that start
 * anywhere, or is a noisy slope.
 */
export function patchwork(columns: number, side: number, kinds: readonly ('constant' | 'runs' | 'noisy')[]): TestVolume {
  const grain = noise([columns * side, (kinds.length / columns) * side, side]);
  return volumeOf(grain.dims, 'u8', (x, y, z) => {
    const kind = kinds[Math.floor(y / side) * columns + Math.floor(x / side)];
    if (kind === 'constant') return 120;
    if (kind === 'runs') return grain.voxel(x, y, (z + (grain.voxel(x, y, 0) >> 4)) >> 4);
    return 60 + x / 4 + y / 8 + (grain.voxel(x, y, z) & 7);
  });
}

/** A volume with any values. Values that its type cannot hold are rounded or wrapped. */
export function volumeOf(
  dims: TestVolume['dims'],
  type: TestVolume['type'],
  value: (x: number, y: number, z: number) => number,
): TestVolume {
  const { bytes: size, get, set } = types[type];
  const bytes = new Uint8Array(dims[0] * dims[1] * dims[2] * size);
  const view = new DataView(bytes.buffer);
  const offset = (x: number, y: number, z: number) => ((z * dims[1] + y) * dims[0] + x) * size;
  for (let z = 0; z < dims[2]; z++) {
    for (let y = 0; y < dims[1]; y++) {
      for (let x = 0; x < dims[0]; x++) view[set](offset(x, y, z), value(x, y, z), true);
    }
  }
  return { dims, type, bytes, voxel: (x, y, z) => view[get](offset(x, y, z), true) };
}

export interface NiftiOptions {
  readonly slope?: number;
  readonly intercept?: number;
}

/** A NIfTI-1 file (.nii). x runs to the left, y and z like NIfTI's own axes. Voxels are 1.5 × 1.5 × 2 mm. */
export function nifti(volume: TestVolume, options: NiftiOptions = {}): Buffer {
  return Buffer.concat([niftiHeader(volume, 'n+1', options), volume.bytes]);
}

/** A NIfTI file with another affine. @param affine three rows of four numbers */
export function placed(file: Buffer, affine: readonly number[]): Buffer {
  for (const [index, value] of affine.entries()) file.writeFloatLE(value, 280 + 4 * index);
  return file;
}

/** A NIfTI-1 pair: the header (.hdr) and its voxels (.img). */
export function niftiPair(volume: TestVolume): { readonly header: Buffer; readonly image: Uint8Array } {
  return { header: niftiHeader(volume, 'ni1', {}).subarray(0, 348), image: volume.bytes };
}

/** Fields and offsets are those of nifti1.h. */
function niftiHeader(
  { dims, type, timePoints = 1 }: TestVolume,
  magic: 'n+1' | 'ni1',
  { slope = 1, intercept = 0 }: NiftiOptions,
): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeInt32LE(348, 0);
  for (const [index, length] of [timePoints > 1 ? 4 : 3, ...dims, timePoints, 1, 1, 1].entries())
    header.writeInt16LE(length, 40 + 2 * index);
  header.writeInt16LE(types[type].nifti, 70);
  header.writeInt16LE(8 * types[type].bytes, 72);
  for (const [index, length] of [1, ...spacing].entries()) header.writeFloatLE(length, 76 + 4 * index);
  header.writeFloatLE(magic === 'n+1' ? headerBytes : 0, 108);
  header.writeFloatLE(slope, 112);
  header.writeFloatLE(intercept, 116);
  // The unit is millimetres; the affine is in scanner coordinates.
  header.writeUInt8(2, 123);
  header.writeInt16LE(1, 254);
  for (const [index, length] of [-spacing[0], spacing[1], spacing[2]].entries()) header.writeFloatLE(length, 280 + 20 * index);
  header.write(magic, 344, 'latin1');
  return header;
}

export function nrrd({ dims, type, bytes }: TestVolume): Buffer {
  const lines = ['NRRD0004', `type: ${types[type].nrrd}`, 'dimension: 3', `sizes: ${dims.join(' ')}`];
  lines.push(`spacings: ${spacing.join(' ')}`, 'endian: little', 'encoding: raw', '', '');
  return Buffer.concat([Buffer.from(lines.join('\n'), 'latin1'), bytes]);
}

export function gzip(bytes: Uint8Array): Buffer {
  return gzipSync(bytes, { level: 1 });
}
