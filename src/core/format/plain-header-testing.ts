/** FORMAT.md, 'HEAD', for the plain reader beside this file. Imported by tests alone. */
import { StriaError } from '../shared/errors.ts';
import { corrupt } from './plain-records-testing.ts';

type Four = readonly [number, number, number, number];

export interface PlainHeader {
  /** Lengths in codec elements, and time points. */
  readonly grid: Four;
  readonly chunk: Four;
  readonly elementBytes: 1 | 2 | 4;
  readonly voxelBytes: number;
  /** In voxels, and time points. */
  readonly dims: Four;
  readonly type: string;
  readonly requires: readonly string[];
  readonly source: string;
  /** The key `part`, unchecked. */
  readonly part: unknown;
}

const voxelSources = ['nifti', 'nrrd', 'mha', 'mgh', 'npy', 'mrc', 'analyze', 'vti', 'raw'];
/** Pictures are left out, because this reader does not know their feature. */
const sources = [...voxelSources, 'dicom', 'zarr', 'hdf5', 'ome-tiff'];
const voxelBytesOf: Readonly<Record<string, 1 | 2 | 4 | 8>> = { u8: 1, i8: 1, u16: 2, i16: 2, u32: 4, i32: 4, f32: 4, f64: 8 };

/** 'The body is UTF-8 JSON without a byte order mark, at most 1 MiB, one object' */
export function parseHeader(body: Uint8Array, version: readonly [number, number]): PlainHeader {
  if (body.length > 2 ** 20) throw corrupt('header is too long');
  let json: Record<string, unknown>;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw corrupt('header is not JSON');
  }
  // '`requires` comes first: refuse what is not known, by name.'
  const { requires } = json;
  if (!isList(requires, (name) => typeof name === 'string')) throw corrupt('header has no list of features');
  const unknown = requires.filter((name) => !['stored', 'files', 'part', 'interleaved', 'deflated'].includes(name as string));
  if (unknown.length > 0) throw new StriaError('unsupported', `the file needs ${unknown.join(', ')}`);
  const isRight = json.format === 'stria' && isList(json.version, isNumber, 2) && json.version.join() === version.join();
  if (!isRight) throw corrupt('header is of another format');
  const volume = (json.volume ?? {}) as Record<string, unknown>;
  const { dims, type } = volume;
  // '`[x, y, z, t]`, whole numbers from 1'
  if (!isList(dims, isLength, 4) || !isList(json.chunk, isLength, 4)) throw corrupt('header has wrong lengths');
  const voxelBytes = voxelBytesOf[String(type)];
  if (!voxelBytes) throw corrupt('header has an unknown type');
  // 'four numbers: distance of voxel centres along x, y, z in `spatialUnit`, of time points in `timeUnit`'
  // 'twelve numbers, three rows of four: voxel index (x, y, z, 1) to world RAS+'
  if (!isList(volume.spacing, isNumber, 4) || !isList(volume.affine, isNumber, 12)) throw corrupt('header has wrong numbers');
  if (!isNumber(volume.slope) || !isNumber(volume.intercept)) throw corrupt('header has wrong numbers');
  const isUnit = ['m', 'mm', 'um', 'unknown'].includes(String(volume.spatialUnit));
  if (!isUnit || !['s', 'ms', 'us', 'unknown'].includes(String(volume.timeUnit))) throw corrupt('header has unknown units');
  checkFacts(volume, dims[3] as number);
  checkLevelsOf(json.levelsOf);
  // 'name and version of the program that wrote the file: 1 to 1024 characters'
  const { writer, source } = json;
  if (typeof writer !== 'string' || writer.length < 1 || writer.length > 1024) throw corrupt('header names no writer');
  // 'format of the source file'
  if (!sources.includes(String(source))) throw corrupt('header has an unknown source');
  // FORMAT.md, 'Files': '`requires` names `files`'
  if (source === 'dicom' && !requires.includes('files')) throw corrupt('header does not require files');

  // FORMAT.md, 'How voxels are cut into chunks'
  // 'A voxel is one element, but an f64 voxel is two of 4 bytes, the low half first, side by side along x.'
  const elementBytes = voxelBytes === 8 ? 4 : voxelBytes;
  // 'So the grid of an f64 volume is 2x × y × z × t elements, and its chunk shape is even along x.'
  const [x, y, z, t] = dims as unknown as Four;
  const grid: Four = [voxelBytes === 8 ? 2 * x : x, y, z, t];
  const chunk = json.chunk as unknown as Four;
  if (voxelBytes === 8 && chunk[0] % 2 !== 0) throw corrupt('chunk shape is odd');
  // 'If `requires` names `interleaved`, t of the shape is at least 2.'
  if (requires.includes('interleaved') && chunk[3] < 2) throw corrupt('chunks have nothing to interleave');
  // FORMAT.md, 'Limits'
  if (grid.reduce((product, length) => product * length, elementBytes) >= 2 ** 53) throw corrupt('volume is too large');
  // 'by the whole chunk shape'
  if (chunk.reduce((product, length) => product * length, elementBytes) > 2 ** 24) throw corrupt('chunk shape is too large');
  return {
    grid,
    chunk,
    elementBytes,
    voxelBytes,
    dims: [x, y, z, t],
    type: String(type),
    requires: requires as string[],
    source: String(source),
    part: requires.includes('part') ? (json.part ?? {}) : undefined,
  };
}

/** FORMAT.md, 'Levels beside a file' */
function checkLevelsOf(levelsOf: unknown): void {
  if (levelsOf === undefined) return;
  const { factors, voxels, modified } = (levelsOf ?? {}) as Record<string, unknown>;
  // 'powers of two, at least one above 1'
  const isPower = (factor: unknown) =>
    isLength(factor) && Number.isInteger(Math.log2(factor as number)) && Number(factor) <= 2 ** 30;
  if (!isList(factors, isPower, 3) || factors.every((factor) => factor === 1)) throw corrupt('header has wrong factors');
  // '16 digits, 0 to 9 and a to f'
  if (typeof voxels !== 'string' || !/^[0-9a-f]{16}$/.test(voxels)) throw corrupt('header does not identify the voxels');
  // 'in whole milliseconds since 1970; may be left out'
  const isTime = Number.isSafeInteger(modified) && Number(modified) >= 0;
  if (modified !== undefined && !isTime) throw corrupt('header has a wrong time');
}

/** '`volume` may also have these keys; a reader that does not know them loses no voxel' */
function checkFacts({ channels, valueUnit, windows }: Record<string, unknown>, t: number): void {
  const isName = (name: unknown) => typeof name === 'string' && name.length <= 1024;
  // 'list of 1 to 4096 objects', 'The number of channels divides t'
  if (channels !== undefined) {
    const isChannel = (channel: unknown) => {
      const { name, color, window } = (channel ?? {}) as Record<string, unknown>;
      // '`"#rrggbb"`, six hexadecimal digits; may be left out'
      const isColor = color === undefined || /^#[0-9a-fA-F]{6}$/.test(String(color));
      // '`[low, high]` in physical values'
      return isName(name) && isColor && (window === undefined || isList(window, isNumber, 2));
    };
    const isRight = isList(channels, isChannel) && channels.length >= 1 && channels.length <= 4096;
    if (!isRight || t % channels.length !== 0) throw corrupt('header has wrong channels');
  }
  // 'unit of the physical values: 1 to 1024 characters'
  if (valueUnit !== undefined && (!isName(valueUnit) || valueUnit === '')) throw corrupt('header has a wrong unit');
  // 'list of up to 256 objects: display windows that the source names'
  if (windows !== undefined) {
    const isWindow = (window: unknown) => {
      const { name, low, high } = (window ?? {}) as Record<string, unknown>;
      return isName(name) && isNumber(low) && isNumber(high);
    };
    if (!isList(windows, isWindow) || windows.length > 256) throw corrupt('header has wrong windows');
  }
}

/** 'A number is a JSON number in the shortest form that reads back as the same double, or one of the texts' */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || ['NaN', 'Infinity', '-Infinity', '-0'].includes(value as string);
}

/** '`dims` and `chunk` are always JSON numbers.' */
function isLength(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

function isList(value: unknown, isItem: (item: unknown) => boolean, length?: number): value is unknown[] {
  return Array.isArray(value) && value.every(isItem) && (length === undefined || value.length === length);
}
