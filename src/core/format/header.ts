import { StriaError, toStriaError } from '../shared/errors.ts';
import { type FileFormat, fileFormats, isPictureFormat } from '../shared/source.ts';
import type { StoredVoxels } from '../shared/stored-voxels.ts';
import { type Dims4, elementTypes, type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import { ByteBuilder } from './byte-cursor.ts';
import { type ChunkGrid, type ChunkShape, chunkGridOf, isInterleaved, withTimePoints } from './chunk-grid.ts';
import { encodeFacts, parseFacts } from './header-facts.ts';
import { asArray, asCount, asNumber, asObject, asText, asWord, jsonLines, jsonNumber, parseJsonObject } from './json.ts';
import { formatVersion, signature } from './layout.ts';
import { encodeLevelsOf, type LevelsOf, parseLevelsOf } from './levels-of.ts';
import { parsePart, pieceFault, type VolumePart } from './part.ts';

/** A container's description of itself. */
export interface ContainerHeader {
  readonly volume: VolumeInfo;
  /** In codec elements (see chunk-grid.ts). */
  readonly chunkShape: ChunkShape;
  readonly sourceFormat: FileFormat;
  /** Name and version of the program that wrote the file. */
  readonly writer: string;
  /** Names of features that a reader must support. */
  readonly requires: readonly string[];
  /** Set if the file holds only some of the volume's chunks. */
  readonly part?: VolumePart | undefined;
  /** Set if the file's volume is a lower resolution of another file's. */
  readonly levelsOf?: LevelsOf | undefined;
}

/** The name of this writer. Its version is package.json's (a test compares them). */
export const writerName = 'stria 0.1.0';

/** The source is a set of pictures instead of a header and voxels. docs/FORMAT.md, 'Pictures'. */
const picturesFeature = 'pictures';

/** The source's file stores its voxels in another form. docs/FORMAT.md, 'SRCE and BLOB'. */
export const storedFeature = 'stored';

/** The source is a set of files, each with planes of its own. docs/FORMAT.md, 'Files'. */
const filesFeature = 'files';

/** The file is one part of a volume. docs/FORMAT.md, 'Parts'. */
const partFeature = 'part';

/** Chunks hold several time points, whose planes are interleaved. docs/FORMAT.md, 'How voxels are cut into chunks'. */
const interleavedFeature = 'interleaved';

/** Bytes of the source are deflated. docs/FORMAT.md, 'SRCE and BLOB'. */
export const deflatedFeature = 'deflated';

/** The header features that this reader supports. */
const knownFeatures: readonly string[] = [
  picturesFeature,
  storedFeature,
  filesFeature,
  partFeature,
  interleavedFeature,
  deflatedFeature,
];

/**
 * The features that a reader needs for a volume from such a source in such chunks, or for a part of it.
 * @param deflatesSource whether bytes of the source may be deflated
 */
export function featuresOf(
  sourceFormat: FileFormat,
  chunkShape: ChunkShape,
  stored?: StoredVoxels,
  part?: VolumePart,
  deflatesSource = false,
): readonly string[] {
  return [
    ...(isInterleaved(chunkShape) ? [interleavedFeature] : []),
    ...(isPictureFormat(sourceFormat) ? [picturesFeature] : []),
    ...(sourceFormat === 'dicom' ? [filesFeature] : []),
    ...(stored ? [storedFeature] : []),
    ...(part ? [partFeature] : []),
    ...(deflatesSource ? [deflatedFeature] : []),
  ];
}

const spatialUnits = ['m', 'mm', 'um', 'unknown'] as const;
const timeUnits = ['s', 'ms', 'us', 'unknown'] as const;
const what = 'the header';

/** The first 16 bytes of a file. docs/FORMAT.md, 'The first 16 bytes'. */
export function encodePrologue(version: { readonly major: number; readonly minor: number }): Uint8Array<ArrayBuffer> {
  return new ByteBuilder().bytes(signature).u16(version.major).u16(version.minor).u32(0).build();
}

/** The body of HEAD. docs/FORMAT.md, 'HEAD'. */
export function encodeHeader(header: ContainerHeader): Uint8Array<ArrayBuffer> {
  const { dims, type, spacing, spatialUnit, timeUnit, affine, slope, intercept } = header.volume;
  return jsonLines({
    format: 'stria',
    version: [formatVersion.major, formatVersion.minor],
    requires: header.requires,
    volume: {
      dims,
      type,
      spacing: spacing.map(jsonNumber),
      spatialUnit,
      timeUnit,
      affine: affine.map(jsonNumber),
      slope: jsonNumber(slope),
      intercept: jsonNumber(intercept),
      ...encodeFacts(header.volume),
    },
    chunk: withTimePoints(header.chunkShape),
    source: header.sourceFormat,
    writer: header.writer,
    ...(header.part && { part: header.part }),
    ...(header.levelsOf && { levelsOf: encodeLevelsOf(header.levelsOf) }),
  });
}

/** A header with the grid that it describes. */
export interface ParsedHeader {
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  readonly version: { readonly major: number; readonly minor: number };
}

/**
 * Parses the untrusted body of HEAD.
 * @throws StriaError `unsupported`, with the name, for a later version or an unknown feature; `corrupt` for anything else
 */
export function parseHeader(body: Uint8Array): ParsedHeader {
  const json = parseJsonObject(body, what);
  if (json.format !== 'stria') throw new StriaError('corrupt', `${what} is not that of a .stria file`);
  const [major, minor] = asArray(json.version, `${what}'s version`, { length: 2 });
  const version = { major: asCount(major, `${what}'s version`, 0), minor: asCount(minor, `${what}'s version`, 0) };
  checkVersion(version.major, version.minor);
  const requires = asArray(json.requires, `${what}'s requires`, { maxLength: 256 }).map((name) =>
    asText(name, `a feature's name in ${what}`),
  );
  const unknown = requires.filter((name) => !knownFeatures.includes(name));
  if (unknown.length > 0) {
    throw new StriaError(
      'unsupported',
      `the file needs features that this version of Stria lacks: ${unknown.join(', ')}. Use a newer Stria`,
    );
  }
  const volume = parseVolume(asObject(json.volume, `${what}'s volume`));
  const chunkShape = parseChunkShape(json.chunk, requires.includes(interleavedFeature));
  const sourceFormat = asWord(json.source, `${what}'s source`, fileFormats);
  const missing = featuresOf(sourceFormat, chunkShape).find((feature) => !requires.includes(feature));
  if (missing !== undefined)
    throw new StriaError('corrupt', `${what} has a ${sourceFormat} source and does not require ${missing}`);
  const writer = asText(json.writer, `${what}'s writer`);
  const part = requires.includes(partFeature) ? parsePart(json.part, `${what}'s part`) : undefined;
  const levelsOf = json.levelsOf === undefined ? undefined : parseLevelsOf(json.levelsOf, `${what}'s levelsOf`);
  const header = { volume, chunkShape, sourceFormat, writer, requires, ...(part && { part }), ...(levelsOf && { levelsOf }) };
  return { header, grid: gridOf(header), version };
}

function gridOf({ volume, chunkShape, part }: Pick<ContainerHeader, 'volume' | 'chunkShape' | 'part'>): ChunkGrid {
  let grid: ChunkGrid;
  try {
    grid = chunkGridOf(volume, chunkShape);
  } catch (error) {
    throw new StriaError('corrupt', `${what} is impossible: ${toStriaError(error).message}`, { cause: error });
  }
  const fault = part && 'origin' in part ? pieceFault(grid, part, volume.type) : undefined;
  if (fault !== undefined) throw new StriaError('corrupt', `${what}'s part is impossible: ${fault}`);
  return grid;
}

/** @throws StriaError `unsupported` for a major version that this Stria does not read */
export function checkVersion(major: number, minor: number): void {
  if (major === formatVersion.major) return;
  const known = `versions ${formatVersion.major}.x`;
  throw new StriaError('unsupported', `the file has container version ${major}.${minor}; this Stria reads ${known}`);
}

function parseVolume(json: JsonVolume): VolumeInfo {
  const dims = parseDims(json.dims, `${what}'s dims`);
  const type = asWord(json.type, `${what}'s type`, elementTypes);
  if (!Number.isSafeInteger(volumeBytes({ dims, type }))) {
    throw new StriaError('corrupt', `${what}'s dims, ${dims.join('×')}, are more voxels than can be counted`);
  }
  const numbers = (value: unknown, name: string, length: number) =>
    asArray(value, `${what}'s ${name}`, { length }).map((number) => asNumber(number, `a number in ${what}'s ${name}`));
  const [x = 1, y = 1, z = 1, t = 1] = numbers(json.spacing, 'spacing', 4);
  return {
    dims,
    type,
    spacing: [x, y, z, t],
    spatialUnit: asWord(json.spatialUnit, `${what}'s spatialUnit`, spatialUnits),
    timeUnit: asWord(json.timeUnit, `${what}'s timeUnit`, timeUnits),
    affine: numbers(json.affine, 'affine', 12),
    slope: asNumber(json.slope, `${what}'s slope`),
    intercept: asNumber(json.intercept, `${what}'s intercept`),
    ...parseFacts(json, dims[3]),
  };
}

type JsonVolume = Readonly<Record<string, unknown>>;

/** @throws StriaError `corrupt`; also if there is nothing to interleave, so that equal chunks have equal headers */
function parseChunkShape(value: unknown, interleaves: boolean): ChunkShape {
  const shape = parseDims(value, `${what}'s chunk`);
  if (!interleaves) return shape;
  if (shape[3] === 1)
    throw new StriaError('corrupt', `${what} requires ${interleavedFeature}, but its chunks hold one time point`);
  return [...shape, interleavedFeature];
}

function parseDims(value: unknown, name: string): Dims4 {
  const [x, y, z, t] = asArray(value, name, { length: 4 }).map((length) => asCount(length, `a length in ${name}`, 1));
  return [x as number, y as number, z as number, t as number];
}
