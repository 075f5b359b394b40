import type { FaultData } from '../../core/shared/errors.ts';
import type { JobProgress } from './progress.ts';

/** One file of the queue. */
export interface QueueRow {
  readonly id: number;
  readonly name: string;
  /** Of the source file, in bytes. */
  readonly size: number;
  readonly state: QueueRowState;
}

export type QueueRowState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'running'; readonly progress: JobProgress }
  | {
      readonly kind: 'done';
      /** The source uncompressed, and the .stria file, in bytes. */
      readonly bytesIn: number;
      readonly bytesOut: number;
      readonly ms: number;
      readonly name: string;
      readonly folder: string;
      readonly reveal: (() => Promise<void>) | undefined;
    }
  | { readonly kind: 'failed'; readonly fault: FaultData }
  | { readonly kind: 'cancelled' };

export function isFinished(row: QueueRow): boolean {
  return row.state.kind === 'done' || row.state.kind === 'failed' || row.state.kind === 'cancelled';
}

/** The rows with one row's state replaced. A finished row stays as it is: a late report changes nothing. */
export function withRowState(rows: readonly QueueRow[], id: number, state: QueueRowState): QueueRow[] {
  return rows.map((row) => (row.id === id && !isFinished(row) ? { ...row, state } : row));
}

export interface QueueSummary {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly active: number;
  /** Over the finished rows. */
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export function summarize(rows: readonly QueueRow[]): QueueSummary {
  const done = rows.flatMap((row) => (row.state.kind === 'done' ? [row.state] : []));
  return {
    total: rows.length,
    done: done.length,
    failed: rows.filter((row) => row.state.kind === 'failed').length,
    active: rows.filter((row) => !isFinished(row)).length,
    bytesIn: done.reduce((sum, { bytesIn }) => sum + bytesIn, 0),
    bytesOut: done.reduce((sum, { bytesOut }) => sum + bytesOut, 0),
  };
}
