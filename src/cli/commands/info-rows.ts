import type { OpenVolume } from '../../core/io/common/volume-reader.ts';
import type { FileFormat } from '../../core/shared/source.ts';
import type { StoredForm } from '../../core/shared/stored-voxels.ts';
import { channelLayout, type VolumeInfo } from '../../core/shared/volume.ts';
import type { FileWindow } from '../../core/shared/volume-facts.ts';
import type { ContainerInfo, LevelInfo } from '../../core/stream/check/info.ts';
import type { KeptLevels } from '../../core/volume/levels/kept-levels.ts';
import { scalingWords } from '../terminal/scaling-words.ts';
import { formatBytes, formatCount, formatRatio, table } from '../terminal/text.ts';

// The lines of `stria info`.

export function describeContainerInfo(input: string, info: ContainerInfo): string {
  const { volume, voxelBytes, fileBytes, ratio, chunkCount, chunkShape, chunks, sourceFormat, sourceFiles, endian, writer } =
    info;
  const interleaved = info.isInterleaved ? ' interleaved time points' : '';
  const shares = chunks.map(({ codec, axis, count }) => `${formatCount(count)} ${codec}${axis ? ` along ${axis}` : ''}`);
  return table([
    ...fileRows(input, 'stria', fileBytes),
    ...volumeRows(volume, voxelBytes, info.storedAs && storedWords(info.storedAs, 'source')),
    ...(info.part === undefined ? [['Ratio', formatRatio(ratio)]] : []),
    [
      'Chunks',
      `${formatCount(chunkCount)} of ${(chunkShape[3] > 1 ? chunkShape : chunkShape.slice(0, 3)).join(' × ')}${interleaved}${shares.length === 0 ? '' : `: ${shares.join(', ')}`}`,
    ],
    ...levelRows(info),
    ...(info.part === undefined ? [] : [['Part', `${info.part}; \`stria merge\` joins all parts`]]),
    ['Source', `${sourceFormat}, ${endian}-endian: ${sourceFiles.join(', ')}`],
    ['Written by', writer],
  ]);
}

function levelRows({ levels, leftOutLevels, levelFault, fileBytes }: ContainerInfo): string[][] {
  if (levelFault !== undefined) return [['Levels', `damaged; \`stria levels\` makes them again`]];
  if (levels.length === 0) return [];
  const bytes = levels.reduce((sum, { payloadBytes }) => sum + payloadBytes, 0);
  const share = `${formatBytes(bytes)}, ${((100 * bytes) / fileBytes).toFixed(1)} % of the file`;
  const how = levels[0]?.method === 'mode' ? 'most frequent labels' : 'means';
  const sizes = (of: readonly Pick<LevelInfo, 'dims'>[]) => of.map(({ dims }) => dims.join(' × ')).join(', ');
  const leftOut = `${sizes(leftOutLevels)}: too large for the file; made from its voxels when they are needed`;
  return [['Levels', `${sizes(levels)}: ${how}; ${share}`], ...(leftOutLevels.length > 0 ? [['Left out', leftOut]] : [])];
}

/** The levels kept beside a plain file. */
export function keptLevelRows(kept: KeptLevels | undefined): string[][] {
  if (!kept) return [];
  if (kept.fault) return [['Levels', `${kept.name} is not used: ${kept.fault.message}. \`stria levels\` makes it again`]];
  return [['Levels', `${kept.levels.map(({ header }) => header.volume.dims.slice(0, 3).join(' × ')).join(', ')}: ${kept.name}`]];
}

export function fileRows(input: string, format: FileFormat | 'stria', fileBytes: number | undefined): string[][] {
  return [
    [fileBytes === undefined ? 'Folder' : 'File', input],
    ['Format', format],
    ...(fileBytes === undefined ? [] : [['Size', `${formatBytes(fileBytes)} (${formatCount(fileBytes)} bytes)`]]),
  ];
}

const formNames: Readonly<Record<StoredForm, string>> = { f16: 'float16', u4: '4 bits', i64: 'int64', u64: 'uint64' };

/** `int64 in the file`. */
export function storedWords(form: StoredForm, place: 'file' | 'source'): string {
  return `${formNames[form]} in the ${place}`;
}

export function volumeRows(
  { dims, type, spacing, spatialUnit, timeUnit, slope, intercept, channels }: VolumeInfo,
  voxelBytes: number,
  storedAs?: string,
): string[][] {
  const { channelCount, timePoints } = channelLayout({ dims, channels });
  const isSeries = timePoints > 1;
  const known = (unit: string) => (unit === 'unknown' ? '' : ` ${unit}`);
  // Maps of molecules have spacings of a few hundredths of a nanometre.
  const isTiny = spatialUnit === 'um' && spacing.slice(0, 3).every((length) => length < 0.01);
  const lengths = spacing.slice(0, 3).map((length) => significant(isTiny ? 1000 * length : length));
  const scaling = scalingWords({ slope, intercept });
  const rows = [
    [
      'Voxels',
      `${dims.slice(0, 3).join(' × ')}${channels ? `, ${channelCount} channels` : ''}${isSeries ? `, ${timePoints} time points` : ''}, ${type}${storedAs ? ` (${storedAs})` : ''}, ${formatBytes(voxelBytes)}`,
    ],
    [
      'Spacing',
      `${lengths.join(' × ')}${isTiny ? ' nm' : known(spatialUnit)}${isSeries ? `, ${significant(spacing[3])}${known(timeUnit)}` : ''}`,
    ],
  ];
  if (scaling !== undefined) rows.push(['Values', scaling]);
  if (channels) rows.push(['Channels', channels.map(({ name, color }) => (color ? `${name} (${color})` : name)).join(', ')]);
  return rows;
}

/** The file's description of its values, if it has one. */
export function factRows({ valueUnit, windows = [] }: Pick<OpenVolume, 'valueUnit' | 'windows'>): string[][] {
  const range = ({ name, low, high }: FileWindow) =>
    `${name === '' ? '' : `${name}: `}${significant(low)} to ${significant(high)}`;
  return [
    ...(valueUnit === undefined ? [] : [['Unit', valueUnit]]),
    ...(windows.length === 0 ? [] : [['Windows', windows.map(range).join(', ')]]),
  ];
}

/** A number without the rounding noise of a 32-bit float. */
function significant(value: number): string {
  return String(Number(value.toPrecision(6)));
}
