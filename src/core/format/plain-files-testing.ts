/** FORMAT.md, 'Files', for the plain reader beside this file. Imported by tests alone. */
import { corrupt, uint } from './plain-records-testing.ts';

/** RFC 1951, without a header. @throws of any kind */
export type Inflate = (deflated: Uint8Array) => Uint8Array;

interface FileRow {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly endian: 'little' | 'big';
  readonly samples: number;
  readonly planar: boolean;
  readonly planes: readonly number[];
}

/** The volume that the files are made from, as bytes in the order of the container. */
export interface PlainVolume {
  readonly voxels: Uint8Array;
  readonly voxelBytes: number;
  /** Lengths of z and t. */
  readonly depth: number;
  readonly times: number;
}

export function readFilesPlainly(table: Uint8Array, volume: PlainVolume, inflate: Inflate): Map<string, Uint8Array> {
  // 'The table is `u32` length of its content, then the content, deflated (RFC 1951, without a header).'
  const content = tryTo(() => inflate(table.subarray(4)));
  if (content.length !== uint(table, 0, 4) || content.length > 2 ** 28) throw corrupt('the table of files has another length');
  // 'The content is `u32` length of a JSON text, the text, and then for each file its bytes before and its bytes after the voxels'
  const jsonEnd = 4 + uint(content, 0, 4);
  if (jsonEnd > content.length) throw corrupt('the table of files ends early');
  const rows = parseRows(content.subarray(4, jsonEnd), volume);
  const files = new Map<string, Uint8Array>();
  let at = jsonEnd;
  for (const row of rows) {
    const after = at + row.before;
    const end = after + row.after;
    // 'in the order of the list, with nothing in between'
    if (end > content.length) throw corrupt('the table of files ends early');
    // 'A file is its bytes before, the pictures in the order of `planes`, and its bytes after.'
    const pictures = row.planes.flatMap((plane) => [...pictureOf(row, plane, volume)]);
    files.set(row.name, Uint8Array.from([...content.subarray(at, after), ...pictures, ...content.subarray(after, end)]));
    at = end;
  }
  if (at !== content.length) throw corrupt('the table of files is longer than its files');
  // 'All paths differ'
  if (files.size !== rows.length) throw corrupt('two files have one name');
  return files;
}

function pictureOf({ endian, samples, planar }: FileRow, plane: number, volume: PlainVolume): Uint8Array {
  const { voxels, voxelBytes, depth, times } = volume;
  const planeBytes = voxels.length / (depth * times);
  // 'Plane p of a file is the slice at z = p mod (length of z) and t = p div (length of z), of the first sample'
  const [z, t] = [plane % depth, Math.floor(plane / depth)];
  const picture = new Uint8Array(planeBytes * samples);
  for (let sample = 0; sample < samples; sample++) {
    // 'sample s of the same picture is at t + s × (length of t) / `samples`'
    const start = ((t + (sample * times) / samples) * depth + z) * planeBytes;
    for (let byte = 0; byte < planeBytes; byte++) {
      const [pixel, place] = [Math.floor(byte / voxelBytes), byte % voxelBytes];
      const inOrder = endian === 'little' ? place : voxelBytes - 1 - place;
      // 'true: the file stores the samples of a picture plane by plane; false: pixel by pixel'
      const element = planar ? (sample * planeBytes) / voxelBytes + pixel : pixel * samples + sample;
      picture[element * voxelBytes + inOrder] = voxels[start + byte] as number;
    }
  }
  return picture;
}

function parseRows(bytes: Uint8Array, { depth, times }: PlainVolume): FileRow[] {
  const json = tryTo(() => JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)));
  const rows: FileRow[] = json?.files;
  // 'a list of 1 to 2^18 objects'
  if (!Array.isArray(rows) || rows.length < 1 || rows.length > 2 ** 18) throw corrupt('the table has no list of files');
  const isWhole = (value: unknown, least: number, most: number) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
  for (const row of rows) {
    // 'a path: names as a part's `name`, divided by `/`'
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    const isName = (name: string) => /^[^/\\:\x00-\x1f\x7f]{1,255}$/.test(name) && name !== '.' && name !== '..';
    if (typeof row?.name !== 'string' || !row.name.split('/').every(isName)) throw corrupt('a file has no plain path');
    // 'number of bytes before and after the voxels, at most 2^27'
    if (!isWhole(row.before, 0, 2 ** 27) || !isWhole(row.after, 0, 2 ** 27)) throw corrupt('a file has a wrong length');
    if (row.endian !== 'little' && row.endian !== 'big') throw corrupt('a file has no byte order');
    // 'samples of a pixel, 1 to 64, a divisor of t'
    if (!isWhole(row.samples, 1, 64) || times % row.samples !== 0) throw corrupt('a file has wrong samples');
    if (typeof row.planar !== 'boolean') throw corrupt('a file does not say how its samples lie');
    // 'All p are below z × t / `samples`'
    const most = (depth * times) / row.samples - 1;
    if (!Array.isArray(row.planes) || !row.planes.every((plane) => isWhole(plane, 0, most)))
      throw corrupt('a file has wrong planes');
  }
  // 'all lists of planes together are not longer than z × t'
  if (rows.reduce((sum, { planes }) => sum + planes.length, 0) > depth * times) throw corrupt('the files have too many planes');
  return rows;
}

function tryTo<T>(work: () => T): T {
  try {
    return work();
  } catch {
    throw corrupt('the table of files cannot be read');
  }
}
