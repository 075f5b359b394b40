import type { StageSpan } from '../../../core/stream/stage-times.ts';

/** One stage of a timeline: a row of its chart. */
export interface TimelineRow {
  readonly stage: string;
  /** Its spans' lengths together. */
  readonly ms: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly bytes: number;
  /** Where its bars stand: parts of the whole, 0 to 1. */
  readonly bars: readonly { readonly from: number; readonly length: number }[];
}

/** What was done later, as if it had followed at once: a timeline does not show how long people took to choose a file. */
export function followedBy(spans: readonly StageSpan[], later: readonly StageSpan[]): readonly StageSpan[] {
  const shift = endOf(spans) - startOf(later);
  return [...spans, ...later.map((span) => ({ ...span, startMs: span.startMs + shift, endMs: span.endMs + shift }))];
}

const startOf = (spans: readonly StageSpan[]) => Math.min(...spans.map(({ startMs }) => startMs));
const endOf = (spans: readonly StageSpan[]) => Math.max(0, ...spans.map(({ endMs }) => endMs));

/** The stages in the order of their beginnings, and how long all of it took, from the first beginning on. */
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
