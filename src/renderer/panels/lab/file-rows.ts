import type { BenchCase } from '../../../core/bench/harness/result.ts';

/** One program on one file, compressing and decompressing. */
export interface ProgramRow {
  readonly method: string;
  readonly outputBytes: number;
  readonly ratio: number;
  readonly compress: ProgramTime | undefined;
  readonly decompress: ProgramTime | undefined;
}

export interface ProgramTime {
  readonly wallMs: number;
  readonly processorMs: number | undefined;
  readonly peakBytes: number | undefined;
}

/** A file with its programs, in the order of the result. */
export interface ProgramsOnFile {
  readonly subject: string;
  readonly inputBytes: number;
  readonly rows: readonly ProgramRow[];
  /** The largest ratio, to scale bars by. */
  readonly bestRatio: number;
}

/** The cases of `stria bench files` by file and program. */
export function fileRows(cases: readonly BenchCase[]): readonly ProgramsOnFile[] {
  const subjects = [...new Set(cases.map(({ subject }) => subject))];
  return subjects.map((subject) => {
    const own = cases.filter((found) => found.subject === subject);
    const inputBytes = Math.max(...own.map((found) => found.inputBytes));
    const methods = [...new Set(own.map(({ method }) => method))];
    const rows = methods.map((method): ProgramRow => {
      const of = (operation: string) => own.find((found) => found.method === method && found.operation === operation);
      const outputBytes = (of('compress') ?? of('decompress'))?.outputBytes ?? 0;
      return {
        method,
        outputBytes,
        ratio: outputBytes > 0 ? inputBytes / outputBytes : 0,
        compress: timeOf(of('compress')),
        decompress: timeOf(of('decompress')),
      };
    });
    return { subject, inputBytes, rows, bestRatio: Math.max(...rows.map(({ ratio }) => ratio)) };
  });
}

function timeOf(found: BenchCase | undefined): ProgramTime | undefined {
  return found && { wallMs: found.wallMs.median, processorMs: found.processorMs?.median, peakBytes: found.peakBytes };
}
