import type { StageSpan } from '../../../core/stream/stage-times.ts';

/** A row of the chart: one stage of a timeline. */
export interface TimelineRow {
  readonly stage: string;
  /** The sum of its spans. */
  readonly ms: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly bytes: number;
  /** Start and length of its bars as fractions of the total. */
  readonly bars: readonly { readonly from: number; readonly length: number }[];
}

/** Appends later spans without the gap before them, so that the time taken to choose a file does not count. */
export function followedBy(spans: readonly StageSpan[], later: readonly StageSpan[]): readonly StageSpan[] {
  const shift = endOf(spans) - startOf(later);
  return [...spans, ...later.map((span) => ({ ...span, startMs: span.startMs + shift, endMs: span.endMs + shift }))];
}

const startOf = (spans: readonly StageSpan[]) => Math.min(...spans.map(({ startMs }) => startMs));
const endOf = (spans: readonly StageSpan[]) => Math.max(0, ...spans.map(({ endMs }) => endMs));

/** The stages in order of their start, and the total time from the first start to the last end. */
export function timelineRows(spans: readonly StageSpan[]): { readonly rows: readonly TimelineRow[]; readonly totalMs: number } {
  const first = startOf(spans);
  const totalMs = Math.max(0, ...spans.map(({ endMs }) => endMs - first));
  const stages = [...new Set([...spans].sort((a, b) => a.startMs - b.startMs).map(({ stage }) => stage))];
  const part = (ms: number) => (totalMs === 0 ? 0 : ms / totalMs);
  const rows = stages.map((stage) => {
    const own = spans.filter((span) => span.stage === stage);
    return {
      stage,
      ms: own.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0),
      startMs: Math.min(...own.map(({ startMs }) => startMs)) - first,
      endMs: Math.max(...own.map(({ endMs }) => endMs)) - first,
      bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
      bars: own.map(({ startMs, endMs }) => ({ from: part(startMs - first), length: part(endMs - startMs) })),
    };
  });
  return { rows, totalMs };
}
