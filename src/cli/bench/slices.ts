import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StriaError } from '../../core/shared/errors.ts';

/** The input of picture coders: gray values of 8 or 16 bits. Signed values are shifted up by half of their range. */
const pictureTypes: Readonly<Record<string, { readonly bytes: 1 | 2; readonly flip: 0 | 0x80 }>> = {
  u8: { bytes: 1, flip: 0 },
  i8: { bytes: 1, flip: 0x80 },
  u16: { bytes: 2, flip: 0 },
  i16: { bytes: 2, flip: 0x80 },
};

export interface RawVolume {
  /** Little-endian voxels without a header, x fastest. */
  readonly path: string;
  readonly dims: readonly number[];
  readonly type: string;
}

/** Whether a volume's slices can be stored as pictures. */
export function hasPictureSlices({ type }: Pick<RawVolume, 'type'>): boolean {
  return type in pictureTypes;
}

/**
 * Writes each slice along z (and t) of a raw volume as a PGM file, 000001.pgm and on. 16 bits are most significant first.
 * @throws StriaError `unsupported` for other types; `corrupt` if the file ends early
 */
export async function writeSlices({ path, dims, type }: RawVolume, folder: string): Promise<void> {
  const picture = pictureTypes[type];
  if (!picture) throw new StriaError('unsupported', `slices of ${type} are not pictures`);
  const { bytes, flip } = picture;
  const [width = 1, height = 1, ...rest] = dims;
  const count = rest.reduce((product, length) => product * length, 1);
  const header = new TextEncoder().encode(`P5\n${width} ${height}\n${bytes === 1 ? 255 : 65535}\n`);
  await mkdir(folder, { recursive: true });
  const file = await open(path, 'r');
  try {
    const slice = Buffer.alloc(width * height * bytes);
    for (let index = 0; index < count; index++) {
      await fillFromFile(file, path, slice, index * slice.length);
      if (bytes === 2) slice.swap16();
      if (flip !== 0) for (let at = 0; at < slice.length; at += bytes) slice[at] = (slice[at] as number) ^ flip;
      await writeFile(join(folder, `${String(index + 1).padStart(6, '0')}.pgm`), [header, slice]);
    }
  } finally {
    await file.close();
  }
}

/** Fills `target` from byte `start` on. A single read may return fewer bytes. @throws StriaError `corrupt` if the file ends early */
export async function fillFromFile(
  file: { read(target: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }> },
  path: string,
  target: Uint8Array,
  start: number,
): Promise<void> {
  for (let filled = 0; filled < target.length; ) {
    const { bytesRead } = await file.read(target, filled, target.length - filled, start + filled);
    if (bytesRead === 0) throw new StriaError('corrupt', `${path} ends early, after ${start + filled} bytes`);
    filled += bytesRead;
  }
}

/** Bytes of all files in a folder. */
export async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Whether two folders hold the same pictures. Their headers may be spaced differently. */
export async function sameSlices(a: string, b: string): Promise<boolean> {
  const names = (await readdir(a)).sort();
  if (names.join() !== (await readdir(b)).sort().join()) return false;
  for (const name of names) {
    const [one, other] = await Promise.all([readFile(join(a, name)), readFile(join(b, name))]);
    if (!pixelsOf(one).equals(pixelsOf(other))) return false;
  }
  return true;
}

function pixelsOf(pgm: Buffer): Buffer {
  const [, width, height, most] = /^P5\s+(\d+)\s+(\d+)\s+(\d+)\s/.exec(pgm.subarray(0, 64).toString('latin1')) ?? [];
  const length = Number(width) * Number(height) * (Number(most) > 255 ? 2 : 1);
  return Number.isNaN(length) ? pgm : pgm.subarray(pgm.length - length);
}
