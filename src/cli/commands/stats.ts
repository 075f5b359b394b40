import { basename } from 'node:path';
import { readLabelTable } from '../../core/io/label-tables/read-label-table.ts';
import { ownLabels } from '../../core/io/own-labels.ts';
import { displayText } from '../../core/shared/display-text.ts';
import type { LabelTable } from '../../core/shared/label-table.ts';
import { shownPath } from '../../core/shared/standard-streams.ts';
import { channelAt, type VolumeInfo } from '../../core/shared/volume.ts';
import { type MeasuredVolume, measureVolume, type RegionRow } from '../../core/stats/measure-volume.ts';
import { volumeColumn } from '../../core/volume/voxel-volume.ts';
import type { StatsCommand } from '../arguments/parsed-command.ts';
import { deviceNote, openBackend } from '../devices/device.ts';
import { createNodeSink } from '../outputs/node-sink.ts';
import { localName } from '../outputs/output-names.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatCount, table } from '../terminal/text.ts';
import { inFile, withFile, withSink } from './files.ts';
import { withVolume } from './with-volume.ts';

/** `stria stats`: prints statistics of each label and time point of a volume. */
export async function runStats(command: StatsCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { input, labels, table, box, output, raw, dataset, axes } = command;
  const { backend, close } = await openBackend(command);
  try {
    terminal.note(deviceNote(backend.device));
    /** All files that are read. */
    const inputs = new Set<string>(labels === undefined ? [input] : [input, labels]);
    const note = (paths: readonly string[]): void => {
      for (const path of paths) inputs.add(path);
    };
    const tableIn = (path: string) =>
      withFile(path, { signal }, (file, files) => {
        note(files.paths);
        return readLabelTable(file, { signal });
      });
    const names = table === undefined ? undefined : await tableIn(table);
    const choice = { raw, dataset, axes, onRemark: terminal.note };
    const { rows, info } = await terminal.withProgress(basename(shownPath(localName(input), 'input')), signal, (job) =>
      withVolume(input, choice, backend, job, async (volume, paths): Promise<{ rows: readonly NamedRow[]; info: VolumeInfo }> => {
        if (labels === undefined) {
          const measured = await measureVolume(volume, { box }, job);
          note(paths());
          return { rows: withChannels(measured, volume.info), info: volume.info };
        }
        return withVolume(labels, {}, backend, job, async (segmentation, labelPaths) => {
          const [image, marks] = [readsOf(input, volume), readsOf(labels, segmentation)];
          const measured = await inFile(undefined, () => measureVolume(image, { labels: marks, box }, job));
          note([...paths(), ...labelPaths()]);
          const table = names ?? segmentation.labels?.table ?? ownLabels(await segmentation.source()).table;
          return { rows: named(withChannels(measured, volume.info), table), info: volume.info };
        });
      }),
    );
    terminal.result({ command: 'stats', input, ...(labels !== undefined && { labels }), rows });
    if (output === undefined) {
      terminal.say(describeRows(rows, info));
    } else {
      const sink = await createNodeSink(output, { overwrite: true, inputs: [...inputs], signal });
      await withSink(sink, ({ write }) => write(new TextEncoder().encode(csvOf(rows, info))));
      terminal.say(`${formatCount(rows.length)} rows → ${shownPath(output, 'output')}`);
    }
    return exitCodes.ok;
  } finally {
    await close();
  }
}

/** A volume whose faults of reading name its file. */
function readsOf(path: string, volume: MeasuredVolume): MeasuredVolume {
  const { info, fill } = volume;
  const name = shownPath(path, 'input');
  async function* named(options?: Parameters<MeasuredVolume['voxels']>[0]) {
    const pieces = volume.voxels(options)[Symbol.asyncIterator]();
    try {
      for (let next = await inFile(name, () => pieces.next()); !next.done; next = await inFile(name, () => pieces.next()))
        yield next.value;
    } finally {
      await pieces.return?.();
    }
  }
  const fillNamed = fill && ((...given: Parameters<typeof fill>) => inFile(name, () => fill(...given)));
  return { info, voxels: named, ...(fillNamed && { fill: fillNamed }) };
}

interface ChannelRow extends RegionRow {
  /** From 0; undefined if the volume has no channels. */
  readonly channel?: number | undefined;
  /** The time point in its channel, from 0. */
  readonly time: number;
}

interface NamedRow extends ChannelRow {
  readonly name?: string | undefined;
}

function withChannels(rows: readonly RegionRow[], info: VolumeInfo): readonly ChannelRow[] {
  return rows.map((row) => {
    const { channel, time } = channelAt(info, row.t);
    return { ...row, ...(info.channels && { channel }), time };
  });
}

function named(rows: readonly ChannelRow[], table: LabelTable = []): readonly NamedRow[] {
  const names = new Map(table.map(({ number, name }) => [number, name]));
  return rows.map(({ label, ...row }) => {
    const name = label === undefined ? undefined : names.get(label);
    return { ...(label !== undefined && { label }), ...(name !== undefined && { name }), ...row };
  });
}

type Column = readonly [name: string, value: (row: NamedRow) => number | string | undefined];

function columnsOf(info: VolumeInfo): readonly Column[] {
  const volume = volumeColumn(info);
  return [
    ['label', ({ label }) => label],
    ['name', ({ name }) => name],
    ['channel', ({ channel }) => (channel === undefined ? undefined : channel + 1)],
    ['time', ({ time }) => time + 1],
    ['count', ({ count }) => count],
    ['not_finite', ({ notFinite }) => notFinite],
    ...(volume ? [[volume.name, ({ count, notFinite }: NamedRow) => volume.of(count + notFinite)] as const] : []),
    ['mean', ({ mean }) => mean],
    ['deviation', ({ deviation }) => deviation],
    ['min', ({ min }) => min],
    ['max', ({ max }) => max],
  ];
}

/** The columns that hold data. A volume without time, for example, has no time column. */
function usedColumns(rows: readonly NamedRow[], info: VolumeInfo) {
  return columnsOf(info).filter(([name, value]) => {
    if (name === 'time') return rows.some(({ time }) => time > 0);
    if (name === 'not_finite') return rows.some(({ notFinite }) => notFinite > 0);
    return rows.some((row) => value(row) !== undefined);
  });
}

/** Writes numbers as JavaScript does, so that no digit is lost, and nothing for a missing number. Names are quoted. */
function csvOf(rows: readonly NamedRow[], info: VolumeInfo): string {
  const used = usedColumns(rows, info);
  const line = (row: NamedRow) => used.map(([, value]) => csvField(value(row))).join(',');
  return `${[used.map(([name]) => name).join(','), ...rows.map(line)].join('\n')}\n`;
}

function csvField(value: number | string | undefined): string {
  if (typeof value === 'string') return `"${displayText(value).replaceAll('"', '""')}"`;
  return value === undefined || Number.isNaN(value) ? '' : String(value);
}

/** The terminal shows at most this many rows; --json and -o give all of them. */
const mostShown = 200;

function describeRows(rows: readonly NamedRow[], info: VolumeInfo): string {
  const used = usedColumns(rows, info);
  const shown = rows.slice(0, mostShown).map((row) => used.map(([name, value]) => shownField(name, value(row))));
  const align = used.map(([name], at) => (at === 0 || name === 'name' ? ('left' as const) : ('right' as const)));
  const text = table([used.map(([name]) => name.replace('_', ' ')), ...shown], align);
  return rows.length > mostShown ? `${text}\nand ${formatCount(rows.length - mostShown)} more rows: write them with -o` : text;
}

function shownField(name: string, value: number | string | undefined): string {
  if (typeof value === 'string') return displayText(value);
  if (value === undefined || Number.isNaN(value)) return '–';
  return name === 'count' || name === 'not_finite' || name === 'label' || name === 'channel' || name === 'time'
    ? String(value)
    : String(Number(value.toPrecision(6)));
}
