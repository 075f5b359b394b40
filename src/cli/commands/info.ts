import { ContainerReader } from '../../core/format/container-reader.ts';
import { isContainer } from '../../core/format/container-start.ts';
import { type FileTree, isFileTree } from '../../core/io/common/file-tree.ts';
import { choiceOf, chooseEntry, type VolumeEntry } from '../../core/io/common/volume-entry.ts';
import type { OpenOptions, OpenVolume } from '../../core/io/common/volume-reader.ts';
import { listVolumes, openVolume } from '../../core/io/open-volume.ts';
import type { ByteSource } from '../../core/shared/bytes.ts';
import { faultToData } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { volumeBytes } from '../../core/shared/volume.ts';
import { searchTags, type VolumeTag } from '../../core/shared/volume-facts.ts';
import { describeContainer } from '../../core/stream/check/info.ts';
import { findKeptLevels, type KeptLevels } from '../../core/volume/levels/kept-levels.ts';
import type { InfoCommand } from '../arguments/parsed-command.ts';
import { choiceTable } from '../terminal/choice-table.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { table } from '../terminal/text.ts';
import { siblingsOf, withInput } from './files.ts';
import { describeContainerInfo, factRows, fileRows, keptLevelRows, storedWords, volumeRows } from './info-rows.ts';

/** `stria info`: describes a .stria file, a volume in another format, or a folder. Reads only headers and the index. */
export async function runInfo(command: InfoCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { input, raw, dataset, axes } = command;
  const job = { signal };
  await withInput(input, job, async (source, files) => {
    if (!raw && !isFileTree(source) && isContainer(await source.read(0, 8, job))) {
      const info = await describeContainer(await ContainerReader.open(source, job), source.size);
      terminal.result({ command: 'info', input, format: 'stria', ...info });
      terminal.say(describeContainerInfo(input, info));
      return;
    }
    const options = { siblings: siblingsOf(input, files, job), raw, dataset, axes, onRemark: terminal.note, ...job };
    const entries = raw === undefined ? await listVolumes(source, options) : undefined;
    if (entries !== undefined && dataset === undefined && entries.length !== 1) tellList(command, source, entries, terminal);
    else await tellVolume(command, source, entries, options, terminal);
  });
  return exitCodes.ok;
}

function tellList({ input }: InfoCommand, source: ByteSource | FileTree, entries: readonly VolumeEntry[], terminal: Terminal) {
  const volumes = entries.map(choiceOf);
  terminal.result({ command: 'info', input, volumes });
  const what = isFileTree(source) ? 'Folder' : 'File';
  const count = volumes.length === 0 ? 'no volumes' : `${volumes.length} volumes; choose one with --dataset ID`;
  terminal.say(
    `${table([
      [what, input],
      ['Holds', count],
    ])}${volumes.length === 0 ? '' : `\n\n${choiceTable(volumes)}`}`,
  );
}

async function tellVolume(
  { input, dataset, tags: search }: InfoCommand,
  source: ByteSource | FileTree,
  entries: readonly VolumeEntry[] | undefined,
  options: OpenOptions & JobOptions,
  terminal: Terminal,
): Promise<void> {
  const entry = entries && chooseEntry(entries, dataset);
  const volume = entry ? await entry.open(options) : await openVolume(source, options);
  const { info, format } = volume;
  const voxelBytes = volumeBytes(info);
  const storedAs = volume.stored?.as ?? volume.sampleForm;
  const tags = search === undefined ? undefined : searchTags(volume.tags ?? [], search);
  const fileBytes = isFileTree(source) ? undefined : source.size;
  const kept = await keptLevels(volume, source, dataset, options);
  terminal.result({
    command: 'info',
    input,
    format,
    ...(entry && { dataset: choiceOf(entry) }),
    volume: info,
    voxelBytes,
    ...(storedAs && { storedAs }),
    fileBytes,
    ...(volume.windows && { windows: volume.windows }),
    ...(volume.valueUnit && { valueUnit: volume.valueUnit }),
    ...(tags && { tags }),
    ...(kept && {
      levels: kept.fault ? { file: kept.name, fault: faultToData(kept.fault) } : { file: kept.name, count: kept.levels.length },
    }),
  });
  const rows = [
    ...fileRows(input, format, fileBytes),
    ...(entry
      ? [
          [
            'Volume',
            [entry.id, entry.label, entry.details].filter((word, at, all) => word && all.indexOf(word) === at).join(' · '),
          ],
        ]
      : []),
    ...volumeRows(info, voxelBytes, storedAs && storedWords(storedAs, 'file')),
    ...factRows(volume),
    ...keptLevelRows(kept),
  ];
  terminal.say(table(rows));
  if (tags) terminal.say(`\n${describeTags(volume, tags)}`);
}

async function keptLevels(
  volume: OpenVolume,
  source: ByteSource | FileTree,
  dataset: string | undefined,
  { siblings, signal }: OpenOptions & JobOptions,
): Promise<KeptLevels | undefined> {
  return isFileTree(source) || !siblings ? undefined : findKeptLevels(volume, source, siblings, dataset, { signal });
}

function describeTags({ tags: all = [] }: OpenVolume, tags: readonly VolumeTag[]): string {
  if (all.length === 0) return 'The file has no metadata that Stria shows.';
  if (tags.length === 0) return `None of the ${all.length} tags match.`;
  const rows = tags.map(({ id, name, value, isPersonal }) => [id, `${name}${isPersonal ? ' *' : ''}`, value]);
  return `${table(rows)}${tags.some(({ isPersonal }) => isPersonal) ? '\n* personal' : ''}`;
}
