import type { FaultData } from '../../core/shared/errors.ts';
import type { JobProgress } from './progress.ts';
import type { CompressionResult } from './result.ts';

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
      readonly result: CompressionResult;
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
  readonly voxelBytes: number;
  readonly striaBytes: number;
}

export function summarize(rows: readonly QueueRow[]): QueueSummary {
  const results = rows.flatMap((row) => (row.state.kind === 'done' ? [row.state.result] : []));
  return {
    total: rows.length,
    done: results.length,
    failed: rows.filter((row) => row.state.kind === 'failed').length,
    active: rows.filter((row) => !isFinished(row)).length,
    voxelBytes: results.reduce((sum, result) => sum + result.voxelBytes, 0),
    striaBytes: results.reduce((sum, result) => sum + result.striaBytes, 0),
  };
}
