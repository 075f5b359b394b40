import { csvText } from '../shared/csv.ts';
import type { BenchCase } from './harness/result.ts';

const columns: readonly (readonly [name: string, of: (found: BenchCase) => string | number | undefined])[] = [
  ['table', ({ table }) => table],
  ['subject', ({ subject }) => subject],
  ['method', ({ method }) => method],
  ['operation', ({ operation }) => operation],
  ['processor', ({ processor }) => processor],
  ['input_bytes', ({ inputBytes }) => inputBytes],
  ['output_bytes', ({ outputBytes }) => outputBytes],
  ['moved_bytes', ({ movedBytes }) => movedBytes],
  ['moved_bytes_are', ({ movedBytesAre }) => movedBytesAre],
  ...(['gpuMs', 'wallMs'] as const).flatMap((clock) =>
    (['min', 'median', 'p95', 'max', 'repetitions'] as const).map(
      (part) => [`${clock === 'gpuMs' ? 'gpu' : 'wall'}_${part}`, (found: BenchCase) => found[clock]?.[part]] as const,
    ),
  ),
  ['processor_median', ({ processorMs }) => processorMs?.median],
  ['peak_bytes', ({ peakBytes }) => peakBytes],
  ['copy_ms', ({ copyMs }) => copyMs],
  ['times_copy', ({ timesCopy }) => timesCopy],
  ['verified', ({ verified }) => verified],
  ['note', ({ note }) => note],
];

/** Cases as comma-separated values (RFC 4180): a line of column names, then one line per case. Times are in milliseconds. */
export function toCsv(cases: readonly BenchCase[]): string {
  return csvText([columns.map(([name]) => name), ...cases.map((found) => columns.map(([, of]) => String(of(found) ?? '')))]);
}
