import type { ByteSource, SiblingFinder } from '../../shared/bytes.ts';
import { inContext, StriaError, toStriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { valueSource } from '../../shared/source.ts';
import { volumeBytes } from '../../shared/volume.ts';
import { isCompanionName, isOmeName } from '../../shared/volume-names.ts';
import { plainBytes } from '../common/byte-stream.ts';
import { type FileTree, splitPath } from '../common/file-tree.ts';
import type { PictureShape } from '../common/picture.ts';
import type { VolumeEntry } from '../common/volume-entry.ts';
import { defaultLevelBytes, type OpenOptions, type OpenVolume } from '../common/volume-reader.ts';
import { textOf } from '../tiff/tiff-facts.ts';
import { tiffTags } from '../tiff/tiff-tags.ts';
import { DirectoryChain } from './directory-chain.ts';
import { openHyperstack } from './hyperstack.ts';
import { openOmeSeries, SetFiles } from './ome-series.ts';
import { type OmeDocument, parseOmeXml } from './ome-xml.ts';
import { planeLevels } from './plane-levels.ts';
import { PlaneMapper } from './plane-map.ts';
import { planeVoxels } from './plane-voxels.ts';
import type { TiffSeries } from './series.ts';

/** The limit for OME-XML, in bytes. */
const longestXml = 64 * 2 ** 20;

/** The volumes of one file, or of the files of a folder. @throws StriaError as `CollectionReader.list` */
export async function entriesOf(input: ByteSource, options: OpenOptions & JobOptions): Promise<readonly VolumeEntry[]> {
  return (await listFile(input, options.siblings, options)).entries;
}

/**
 * The volumes of the files in a folder with names of OME files. The files of a set form one list.
 * @throws StriaError `not-readable`, `aborted`
 */
export async function entriesOfTree(tree: FileTree, options: OpenOptions & JobOptions): Promise<readonly VolumeEntry[]> {
  const files = (await tree.files(options)).filter(({ path }) => isOmeName(path));
  // A companion names the files of its set.
  files.sort((a, b) => Number(isCompanionName(b.path)) - Number(isCompanionName(a.path)));
  const listed = new Set<string>();
  const all: VolumeEntry[] = [];
  for (const { path, open } of files) {
    if (listed.has(path)) continue;
    const [folder, name] = splitPath(path);
    const group = folder === '' ? [] : folder.slice(0, -1).split('/');
    try {
      const siblings: SiblingFinder = (sibling) => tree.find(folder + sibling);
      const { entries, fileNames } = await listFile(await open(options), siblings, options);
      for (const other of fileNames) listed.add(folder + other);
      const isOne = entries.filter(({ isAlternative }) => !isAlternative).length === 1;
      all.push(
        ...entries.map((entry) => ({
          ...entry,
          id: entry.id === '0' && isOne ? path : `${path}:${entry.id}`,
          group: isOne ? group : [...group, name],
        })),
      );
    } catch (error) {
      const fault = toStriaError(error);
      if (fault.tag === 'aborted') throw fault;
      all.push(refused({ id: path, label: name, group }, fault.fullMessage));
    }
  }
  return all;
}

/** @returns also the names of the set's other files */
async function listFile(source: ByteSource, siblings: SiblingFinder | undefined, options: OpenOptions & JobOptions) {
  const isText = isCompanionName(source.name);
  const chain = isText ? undefined : await DirectoryChain.open(source, options);
  const first = await chain?.directory(0, options);
  const description = chain && first ? await textOf(chain.file, first, tiffTags.description, options, longestXml) : undefined;
  if (chain && first && description?.startsWith('ImageJ=')) {
    const series = await openHyperstack(chain, first, description, options);
    if (series === undefined)
      throw new StriaError('corrupt', 'the description of the ImageJ hyperstack does not match its pictures');
    return { entries: entriesOfSeries(series, '0', source.name, options), fileNames: [] };
  }
  const document = await readDocument(source, description, siblings, options);
  const files = new SetFiles(chain, siblings);
  const mapper = new PlaneMapper(document, files.ownName);
  const named = document.images.flatMap(({ tiffData }) => tiffData.map(({ fileName }) => fileName));
  const fileNames = [...new Set(named)].filter((name) => name !== undefined);
  const entries: VolumeEntry[] = [];
  for (const [number, image] of document.images.entries()) {
    throwIfAborted(options.signal);
    const id = String(number);
    try {
      const series = await openOmeSeries(document, image, mapper, files, options);
      entries.push(...entriesOfSeries(series, id, source.name, options));
    } catch (error) {
      const fault = toStriaError(error);
      if (fault.tag !== 'corrupt' && fault.tag !== 'unsupported' && fault.tag !== 'not-readable') throw fault;
      // A fault of the only image is a fault of the file.
      if (document.images.length === 1) throw fault;
      entries.push(refused({ id, label: image.name || source.name, group: [] }, fault.fullMessage));
    }
  }
  if (entries.length === 0) throw new StriaError('corrupt', 'the OME-XML describes no image');
  return { entries, fileNames };
}

async function readDocument(
  source: ByteSource,
  description: string | undefined,
  siblings: SiblingFinder | undefined,
  job: JobOptions,
): Promise<OmeDocument> {
  const document = parseOmeXml(description ?? (await textOfFile(source, job)));
  const { metadataFile } = document;
  if (metadataFile === undefined) return document;
  const companion = await siblings?.(metadataFile);
  if (companion === undefined) {
    throw new StriaError(
      'not-readable',
      `${metadataFile}, which describes the volume, is missing; it must be in the same folder`,
    );
  }
  try {
    const isTiff = !isCompanionName(metadataFile);
    if (!isTiff) return { ...parseOmeXml(await textOfFile(companion, job)), uuid: document.uuid };
    const chain = await DirectoryChain.open(companion, job);
    const text = await textOf(chain.file, await chain.directory(0, job), tiffTags.description, job, longestXml);
    return { ...parseOmeXml(text), uuid: document.uuid };
  } catch (error) {
    throw inContext(metadataFile, error);
  }
}

async function textOfFile(source: ByteSource, job: JobOptions): Promise<string> {
  if (source.size > longestXml) {
    throw new StriaError('unsupported', `OME-XML of ${source.size} bytes is too long; the limit is ${longestXml / 2 ** 20} MiB`);
  }
  return new TextDecoder().decode(await plainBytes(source).read(0, source.size, job));
}

/** The levels of a series, as entries. The largest one that fits represents the volume; the others are its alternatives. */
function entriesOfSeries(series: TiffSeries, id: string, fileName: string, options: OpenOptions): readonly VolumeEntry[] {
  const limit = options.levelBytes ?? defaultLevelBytes;
  const fitting = series.levels.findIndex((level) => volumeBytes(series.describe(level)) <= limit);
  const chosen = fitting < 0 ? series.levels.length - 1 : fitting;
  return series.levels.map(
    (shape, level): VolumeEntry => ({
      id: level === 0 ? id : `${id}/${level}`,
      label: series.name || fileName,
      group: [],
      ...wordsOf(series, shape, level),
      ...(level !== chosen && { isAlternative: true }),
      open: (opening) => openLevel(series, level, fileName, opening),
    }),
  );
}

function wordsOf(series: TiffSeries, level: PictureShape, number: number): Pick<VolumeEntry, 'shape' | 'type' | 'details'> {
  const { sizes, levels, missing } = series;
  const { spacing, spatialUnit } = series.describe(level);
  const unit = spatialUnit === 'unknown' ? '' : ` ${spatialUnit}`;
  const distances = spacing.slice(0, 3).map((distance) => String(Number(distance.toPrecision(4))));
  const words = [
    ...(levels.length > 1 ? [`level ${number + 1} of ${levels.length}`] : []),
    `${distances.join(' × ')}${unit}`,
    ...(missing > 0 ? [`${missing} of ${sizes.Z * sizes.C * sizes.T} planes are missing and read as 0`] : []),
  ];
  const channels = sizes.C * level.channels;
  const series4 = [sizes.T, channels, sizes.Z].map((length, axis) => ({ length, axis }));
  const shown = series4.filter(({ length }) => length > 1).map(({ length }) => length);
  return { shape: [...shown, level.height, level.width], type: level.type, details: words.join(' · ') };
}

async function openLevel(
  series: TiffSeries,
  level: number,
  fileName: string,
  options: OpenOptions & JobOptions,
): Promise<OpenVolume> {
  const info = series.describe(series.levels[level] as PictureShape);
  if (!Number.isSafeInteger(volumeBytes(info))) throw new StriaError('corrupt', 'the volume exceeds the size of any file');
  await series.check(options);
  const { pictureMemory: limitBytes } = options;
  return {
    info,
    format: 'ome-tiff',
    tags: series.tags,
    voxels: (pieces = {}) => planeVoxels(series, level, { ...pieces, limitBytes }),
    leveled: (job = {}) => planeLevels(series, level, { ...job, limitBytes }),
    source: async () => valueSource('ome-tiff', fileName),
  };
}

function refused(words: Pick<VolumeEntry, 'id' | 'label' | 'group'>, problem: string): VolumeEntry {
  return {
    ...words,
    shape: [],
    type: '',
    details: '',
    problem,
    open: () => Promise.reject(new StriaError('unsupported', problem)),
  };
}
