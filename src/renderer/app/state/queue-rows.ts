import type { FaultData } from '../../../core/shared/errors.ts';
import type { HostFile } from '../../host/host.ts';
import { formatBytes, formatRatio } from '../words/units.ts';
import type { JobProgress } from './progress.ts';
import { ratioOf } from './result.ts';

/** One file of the queue. */
export interface QueueRow {
  readonly id: number;
  readonly name: string;
  /** Size of the source's files in bytes; undefined if not all are known. */
  readonly size: number | undefined;
  readonly state: QueueRowState;
  /** The opening whose levels it writes (`OpenDocument.opened`); undefined if it compresses a volume. */
  readonly levelsOf?: object | undefined;
}

export type QueueRowState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'running'; readonly progress: JobProgress }
  | {
      readonly kind: 'done';
      /** Size of the uncompressed source, and of the file that was written, in bytes. */
      readonly bytesIn: number;
      readonly bytesOut: number;
      readonly ms: number;
      readonly name: string;
      readonly folder: string;
      readonly reveal: (() => Promise<void>) | undefined;
    }
  /** The file contains several volumes. The user chooses which to compress. */
  | { readonly kind: 'several'; readonly file: HostFile }
  | { readonly kind: 'failed'; readonly fault: FaultData }
  | { readonly kind: 'cancelled' };

export function isFinished(row: QueueRow): boolean {
  return row.state.kind !== 'waiting' && row.state.kind !== 'running';
}

/** The rows with one row replaced by others. */
export function withRowsFor(rows: readonly QueueRow[], id: number, others: readonly QueueRow[]): QueueRow[] {
  return rows.flatMap((row) => (row.id === id ? others : [row]));
}

/** The rows with one row's state replaced. A finished row does not change, even if a late report arrives. */
export function withRowState(rows: readonly QueueRow[], id: number, state: QueueRowState): QueueRow[] {
  return rows.map((row) => (row.id === id && !isFinished(row) ? { ...row, state } : row));
}

export interface QueueSummary {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  /** Files with several volumes, none of which is chosen yet. */
  readonly several: number;
  readonly active: number;
  /** What is or was done to all files, for the title. */
  readonly title: string;
  /** The sum of all finished rows that compress volumes; undefined if there are none. */
  readonly sizes: QueueSizes | undefined;
  /** The size of all levels that were written. */
  readonly levelBytes: number;
}

/** Sizes in bytes. */
export interface QueueSizes {
  /** The size of the source's files; undefined if not all sizes are known. */
  readonly fileBytes: number | undefined;
  /** The size of the uncompressed source. */
  readonly bytesIn: number;
  /** The size of the .stria. */
  readonly bytesOut: number;
}

export function summarize(rows: readonly QueueRow[]): QueueSummary {
  const sizes = rows.map(sizesOf).filter((found) => found !== undefined);
  const count = (kind: QueueRowState['kind']): number => rows.filter((row) => row.state.kind === kind).length;
  const active = rows.filter((row) => !isFinished(row)).length;
  return {
    total: rows.length,
    done: count('done'),
    failed: count('failed'),
    several: count('several'),
    active,
    title: titleOf(rows, active, count('done')),
    sizes: sizes.length > 0 ? sizes.reduce(sumOfSizes) : undefined,
    levelBytes: rows.reduce((sum, { levelsOf, state }) => sum + (levelsOf && state.kind === 'done' ? state.bytesOut : 0), 0),
  };
}

function titleOf(rows: readonly QueueRow[], active: number, done: number): string {
  const files = rows.length === 1 ? 'file' : 'files';
  const levels = rows.filter(({ levelsOf }) => levelsOf !== undefined).length;
  if (levels === 0) {
    return active > 0 ? `Compressing ${rows.length} ${files}` : `${done} of ${rows.length} ${files} compressed`;
  }
  if (levels < rows.length) return active > 0 ? `Writing ${rows.length} ${files}` : `${done} of ${rows.length} ${files} written`;
  if (active > 0) return `Writing the levels of ${rows.length} ${files}`;
  return `Levels of ${done === rows.length ? '' : `${done} of `}${rows.length} ${files} written`;
}

/** The sizes of a row; undefined unless it is done and compressed a volume. */
export function sizesOf({ size, state, levelsOf }: QueueRow): QueueSizes | undefined {
  if (state.kind !== 'done' || levelsOf) return undefined;
  return { fileBytes: size, bytesIn: state.bytesIn, bytesOut: state.bytesOut };
}

function sumOfSizes(a: QueueSizes, b: QueueSizes): QueueSizes {
  const fileBytes = a.fileBytes === undefined || b.fileBytes === undefined ? undefined : a.fileBytes + b.fileBytes;
  return { fileBytes, bytesIn: a.bytesIn + b.bytesIn, bytesOut: a.bytesOut + b.bytesOut };
}

/**
 * Two ratios: to the uncompressed source, which measures the codec, and to the source's files, which measures the saved disk
 * space. One number without a name if both are equal.
 */
export function ratioWords({ fileBytes, bytesIn, bytesOut }: QueueSizes): readonly string[] {
  const ratio = (bytes: number): string => formatRatio(ratioOf({ bytesIn: bytes, bytesOut }));
  if (fileBytes === bytesIn) return [ratio(bytesIn)];
  return [`${ratio(bytesIn)} unpacked`, ...(fileBytes === undefined ? [] : [`${ratio(fileBytes)} file`])];
}

/** A summary of the finished rows: the sizes of files, and the uncompressed size with its name. */
export function sizeWords(sizes: QueueSizes): readonly string[] {
  const { fileBytes, bytesIn, bytesOut } = sizes;
  const bytes = (from: number): string => `${formatBytes(from)} → ${formatBytes(bytesOut)}`;
  if (fileBytes === bytesIn) return [`${bytes(bytesIn)} (${formatRatio(ratioOf(sizes))})`];
  const ofFiles =
    fileBytes === undefined ? [] : [`files ${bytes(fileBytes)} (${formatRatio(ratioOf({ bytesIn: fileBytes, bytesOut }))})`];
  return [...ofFiles, `unpacked ${bytes(bytesIn)} (${formatRatio(ratioOf(sizes))})`];
}
