import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { valueSource } from '../../shared/source.ts';
import { type Channel, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import type { VolumeTag } from '../../shared/volume-facts.ts';
import type { StreamedLevels } from '../../shared/volume-level.ts';
import { type ArrayAxis, parseAxes, planAxes } from '../common/array-axes.ts';
import { isGzip, type PieceOptions } from '../common/byte-stream.ts';
import { griddedLevels } from '../common/gridded-levels.ts';
import { griddedVoxels } from '../common/gridded-volume.ts';
import { checkedScaling } from '../common/streamed-volume.ts';
import type { VolumeEntry } from '../common/volume-entry.ts';
import { defaultLevelBytes, type OpenOptions, type OpenVolume } from '../common/volume-reader.ts';
import type { VoxelGrid } from '../common/voxel-grid.ts';
import { type Attributes, numberOf, readAttributes, tagsOf, textOf } from './h5-attributes.ts';
import { type H5Dataset, listDatasets } from './h5-datasets.ts';
import { H5File } from './h5-file.ts';
import { type AxisFacts, axesOf, geometryOf, readAxisFacts } from './h5-geometry.ts';
import { datasetGrid } from './h5-grid.ts';
import { typeOf, typeWords } from './h5-types.ts';
import { type ImarisLevel, imarisAxes, imarisChannels, imarisGrid, imarisLevels } from './imaris.ts';
import { mincScaling } from './minc-scaling.ts';

type Options = OpenOptions & JobOptions;

/** The datasets of a file. @throws StriaError `unsupported` for a gzipped file or one without datasets; `corrupt`, `aborted` */
export async function entriesOf(input: ByteSource, options: Options): Promise<readonly VolumeEntry[]> {
  if (isGzip(await input.read(0, 2, options))) throw new StriaError('unsupported', 'gzipped HDF5 is not supported: unpack it');
  return H5File.with(input, options, async (file) => {
    const datasets = await listDatasets(file, options);
    const levels = await imarisLevels(file, datasets, options);
    const parts = new Set(levels.flatMap((level) => level.parts.flat()));
    const rest = datasets.filter((dataset) => !parts.has(dataset));
    const entries = [...levelEntries(input, levels, options), ...rest.map((dataset) => datasetEntry(input, dataset))];
    if (entries.length > 0) return preferVolumes(entries);
    throw new StriaError('unsupported', 'the file has no dataset with two or more axes');
  });
}

/** If there are volumes, tables and pictures are opened only by name. */
function preferVolumes(entries: readonly VolumeEntry[]): readonly VolumeEntry[] {
  const isVolume = ({ shape, problem }: VolumeEntry) => problem === undefined && shape.filter((length) => length > 1).length >= 3;
  if (!entries.some(isVolume)) return entries;
  return entries.map((entry) => (isVolume(entry) ? entry : { ...entry, isAlternative: true }));
}

function datasetEntry(source: ByteSource, listed: H5Dataset): VolumeEntry {
  const { path, metadata, shape, chunks, filters, problem } = listed;
  const storage = chunks === undefined ? 'contiguous' : `chunks ${chunks.join('×')}`;
  return {
    id: path,
    label: path.slice(path.lastIndexOf('/') + 1),
    group: path.split('/').slice(1, -1),
    shape,
    type: typeWords(metadata),
    details: `${filters.map(({ name }) => name).join(', ') || 'not compressed'} · ${storage}`,
    ...(problem === undefined ? {} : { problem }),
    open: (options) =>
      H5File.with(source, options, async (file) => {
        const attributes = await readAttributes(file, path, options);
        // netCDF's classic model has no unsigned types, so an attribute marks them.
        const isUnsigned = textOf(attributes.get('_Unsigned'))?.toLowerCase() === 'true';
        const dataset = isUnsigned ? { ...listed, metadata: { ...metadata, signed: false } } : listed;
        const facts = await readAxisFacts(file, dataset, attributes, options);
        const axes = options.axes === undefined ? axesOf(shape, facts) : parseAxes(options.axes, shape.length);
        const scaling =
          (await mincScaling(file, dataset, attributes, options)) ??
          checkedScaling(numberOf(attributes.get('scale_factor')) ?? 1, numberOf(attributes.get('add_offset')) ?? 0);
        const remark = fillRemark(attributes);
        if (remark !== undefined) options.onRemark?.(`${source.name}, ${path}: ${remark}`);
        const root = await readAttributes(file, '/', options);
        return volumeOf(source, (opened) => [datasetGrid(opened, dataset)], datasetGrid(file, dataset), axes, facts, {
          ...scaling,
          valueUnit: textOf(attributes.get('units')),
          tags: [...tagsOf(path, attributes), ...tagsOf('/', root)],
        });
      }),
  };
}

/** A remark if a number marks missing values, as in netCDF. NaN needs none, because it is never counted. */
function fillRemark(attributes: Attributes): string | undefined {
  const name = ['_FillValue', 'missing_value'].find((each) => numberOf(attributes.get(each)) !== undefined);
  if (name === undefined) return undefined;
  return `the stored value ${attributes.get(name)} marks missing values (${name}). Stria counts and shows it like any other value.`;
}

function levelEntries(source: ByteSource, levels: readonly ImarisLevel[], options: Options): readonly VolumeEntry[] {
  const limit = options.levelBytes ?? defaultLevelBytes;
  const bytes = ({ shape, parts }: ImarisLevel) => {
    const type = parts[0]?.[0] && typeOf(parts[0][0].metadata);
    return shape.reduce((product, length) => product * length, type ? elementBytes(type.type) : 8);
  };
  const chosen = levels.find((level) => bytes(level) <= limit) ?? levels.at(-1);
  return levels.map((level, index): VolumeEntry => {
    const first = level.parts[0]?.[0] as H5Dataset;
    const [times, channels] = level.shape;
    return {
      id: `/DataSet/ResolutionLevel ${level.number}`,
      label: `ResolutionLevel ${level.number}`,
      group: ['DataSet'],
      shape: level.shape,
      type: typeWords(first.metadata),
      details: `level ${index + 1} of ${levels.length} · ${times} × ${channels} time points and channels`,
      ...(first.problem === undefined ? {} : { problem: first.problem }),
      ...(level !== chosen && { isAlternative: true }),
      open: (options) =>
        H5File.with(source, options, async (file) => {
          const facts = await imarisAxes(file, level, options);
          const axes = options.axes === undefined ? (['t', 'c', 'z', 'y', 'x'] as const) : parseAxes(options.axes, 5);
          const grid = imarisGrid(file, level);
          const gridsOf = (opened: H5File) => levels.slice(index).map((each) => imarisGrid(opened, each));
          return volumeOf(source, gridsOf, grid, axes, facts, {
            slope: 1,
            intercept: 0,
            channels: await imarisChannels(file, level, options),
            tags: tagsOf('/DataSetInfo/Image', await readAttributes(file, '/DataSetInfo/Image', options)),
          });
        }),
    };
  });
}

interface Facts {
  readonly slope: number;
  readonly intercept: number;
  readonly channels?: readonly Channel[];
  readonly valueUnit?: string | undefined;
  readonly tags: readonly VolumeTag[];
}

/** @param gridsOf makes the grids of the volume and its coarser levels; the file is open only during reads */
function volumeOf(
  source: ByteSource,
  gridsOf: (file: H5File) => readonly VoxelGrid[],
  { shape, type }: VoxelGrid,
  axes: readonly ArrayAxis[],
  facts: readonly AxisFacts[],
  { slope, intercept, channels, valueUnit, tags }: Facts,
): OpenVolume {
  const plan = planAxes(axes, shape);
  const { channelCount } = plan;
  const named = channelCount === undefined ? undefined : (channels ?? []);
  const info: VolumeInfo = {
    dims: plan.dims,
    type,
    ...geometryOf(axes, facts),
    slope,
    intercept,
    ...(named && {
      channels: Array.from({ length: channelCount ?? 0 }, (_, number) => named[number] ?? { name: `Channel ${number + 1}` }),
    }),
  };
  async function* voxels(options: PieceOptions = {}): AsyncGenerator<Uint8Array> {
    const file = await H5File.open(source, options);
    try {
      // There is one instance of the library, which allows one call at a time.
      yield* griddedVoxels(gridsOf(file)[0] as VoxelGrid, plan, options, { readingCount: 1 });
    } finally {
      file.close();
    }
  }
  const leveled = async (job: JobOptions = {}): Promise<StreamedLevels> => {
    const file = await H5File.open(source, job);
    try {
      const levels = gridsOf(file).map((grid) => ({ grid, plan: planAxes(axes, grid.shape) }));
      return griddedLevels(levels, { readingCount: 1 }, () => file.close());
    } catch (error) {
      file.close();
      throw error;
    }
  };
  const windows = named?.flatMap(({ name, window }) => (window ? [{ name, low: window[0], high: window[1] }] : []));
  return {
    info,
    format: 'hdf5',
    windows: windows && windows.length > 0 ? windows : undefined,
    tags: tags.length > 0 ? tags : undefined,
    valueUnit,
    voxels,
    leveled,
    source: async () => valueSource('hdf5', source.name),
  };
}
