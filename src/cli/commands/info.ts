import { ContainerReader, isContainer } from '../../core/format/container-reader.ts';
import { openVolume } from '../../core/io/open-volume.ts';
import type { FileFormat } from '../../core/shared/source.ts';
import { type VolumeInfo, volumeBytes } from '../../core/shared/volume.ts';
import { type ContainerInfo, describeContainer } from '../../core/stream/info.ts';
import type { InfoCommand } from '../arguments/args.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatBytes, formatCount, formatRatio, table } from '../terminal/text.ts';
import { withFile } from './files.ts';

/** `stria info`: describes a .stria file or a volume in another format. Reads only the header and index. */
export async function runInfo({ input, raw }: InfoCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const job = { signal };
  await withFile(input, job, async (source, files) => {
    if (!raw && isContainer(await source.read(0, 8, job))) {
      const info = await describeContainer(await ContainerReader.open(source, job), source.size);
      terminal.result({ command: 'info', input, format: 'stria', ...info });
      terminal.say(describeContainerInfo(input, info));
      return;
    }
    const { info, format } = await openVolume(source, { siblings: files.siblingsOf(input), raw, ...job });
    const voxelBytes = volumeBytes(info);
    terminal.result({ command: 'info', input, format, volume: info, voxelBytes, fileBytes: source.size });
    terminal.say(table([...fileRows(input, format, source.size), ...volumeRows(info, voxelBytes)]));
  });
  return exitCodes.ok;
}

function describeContainerInfo(input: string, info: ContainerInfo): string {
  const { volume, voxelBytes, fileBytes, ratio, chunkCount, chunkShape, chunks, sourceFormat, sourceFiles, endian, writer } =
    info;
  const shares = chunks.map(({ codec, axis, count }) => `${formatCount(count)} ${codec}${axis ? ` along ${axis}` : ''}`);
  return table([
    ...fileRows(input, 'stria', fileBytes),
    ...volumeRows(volume, voxelBytes),
    ['Ratio', formatRatio(ratio)],
    [
      'Chunks',
      `${formatCount(chunkCount)} of ${(chunkShape[3] > 1 ? chunkShape : chunkShape.slice(0, 3)).join(' × ')}: ${shares.join(', ')}`,
    ],
    ['Source', `${sourceFormat}, ${endian}-endian: ${sourceFiles.join(', ')}`],
    ['Written by', writer],
  ]);
}

function fileRows(input: string, format: FileFormat | 'stria', fileBytes: number): string[][] {
  return [
    ['File', input],
    ['Format', format],
    ['Size', `${formatBytes(fileBytes)} (${formatCount(fileBytes)} bytes)`],
  ];
}

function volumeRows(
  { dims, type, spacing, spatialUnit, timeUnit, slope, intercept }: VolumeInfo,
  voxelBytes: number,
): string[][] {
  const isSeries = dims[3] > 1;
  const known = (unit: string) => (unit === 'unknown' ? '' : ` ${unit}`);
  const millimetres = spacing.slice(0, 3).map(significant).join(' × ');
  const rows = [
    [
      'Voxels',
      `${dims.slice(0, 3).join(' × ')}${isSeries ? `, ${dims[3]} time points` : ''}, ${type}, ${formatBytes(voxelBytes)}`,
    ],
    ['Spacing', `${millimetres}${known(spatialUnit)}${isSeries ? `, ${significant(spacing[3])}${known(timeUnit)}` : ''}`],
  ];
  if (slope !== 1 || intercept !== 0) rows.push(['Values', `${significant(slope)} × stored + ${significant(intercept)}`]);
  return rows;
}

/** Rounds away the noise of a 32-bit float. */
function significant(value: number): string {
  return String(Number(value.toPrecision(6)));
}
