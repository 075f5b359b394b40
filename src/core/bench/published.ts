import { type BenchCase, medianMs } from './harness/result.ts';
import type { TableId } from './harness/tables.ts';

/** A time from a paper, with our corresponding case. */
export interface PublishedTime {
  readonly table: TableId;
  readonly x: string | number;
  /** The method's name in our cases. */
  readonly method: string;
  readonly ms: number;
  /** The hardware, in the paper's words. */
  readonly hardware: string;
}

const gtx460m = 'GeForce GTX 460M';
const i7 = 'Core i7-2630QM';
const i5 = 'Core i5-2400, 4 threads';

/** R. Rutter, Run-length Encoding on Graphics Hardware (2011), sections 1.3, 1.4 and 3.1: 512³ bytes. */
const rutter: readonly (readonly [volume: string, rows: number, columns: number, thread: number, gzip: number])[] = [
  ['zero', 328, 51, 540, 1150],
  ['sequence254', 2009, 1865, 1292, 1160],
  ['sequence255', 2008, 51, 1293, 1160],
  ['potential', 338, 60, 556, 1550],
];

const publishedTimes: readonly PublishedTime[] = [
  ...rutter.flatMap(([x, rows, columns, thread, gzip]): PublishedTime[] => [
    { table: 'rutter', x, method: 'Rutter, rows', ms: rows, hardware: gtx460m },
    { table: 'rutter', x, method: 'Rutter, columns', ms: columns, hardware: gtx460m },
    { table: 'rutter', x, method: 'one CPU thread, rows', ms: thread, hardware: i7 },
    { table: 'rutter', x, method: 'all CPU threads, rows', ms: 91, hardware: i5 },
    { table: 'rutter', x, method: 'gzip -6', ms: gzip, hardware: i7 },
  ]),
  { table: 'metal-rice', x: 'MetalRice', method: 'MetalRice', ms: 4.4, hardware: 'Apple A9' },
];

/** A speed-up of one method over another, according to a paper. */
export interface PublishedSpeedup {
  readonly tables: readonly TableId[];
  readonly slower: string;
  readonly faster: string;
  readonly min: number | undefined;
  readonly mean: number | undefined;
  readonly max: number;
  readonly hardware: string;
}

export const publishedSpeedups: readonly PublishedSpeedup[] = [
  // The post: 'up to 5 times faster than the CPU'.
  ...(['random', 'compressible'] as const).map((kind) => ({
    tables: ['parle'] as const,
    slower: `one CPU thread, ${kind}`,
    faster: `PARLE, ${kind}`,
    min: undefined,
    mean: undefined,
    max: 5,
    hardware: 'GeForce GTX 960',
  })),
  // CUVLE, tables I and II. The slower methods are PAVLE with its compaction, and one thread on a Core i7 920.
  ...(
    [
      ['GeForce GT 640', 22.3, 29.2, 27.1, 2.5, 4.2, 2.7],
      ['GeForce GTX 550 Ti', 20.3, 23.6, 21.8, 2.0, 3.9, 2.5],
    ] as const
  ).flatMap(([hardware, minCpu, maxCpu, meanCpu, minPavle, maxPavle, meanPavle]): PublishedSpeedup[] => {
    const common = { faster: 'CUVLE in two passes', hardware } as const;
    const pavle = { ...common, slower: 'PAVLE', min: minPavle, mean: meanPavle, max: maxPavle };
    const lines = ['cuvle-entropy', 'cuvle-size'] as const;
    return [
      { ...common, tables: lines, slower: 'one CPU thread', min: minCpu, mean: meanCpu, max: maxCpu },
      { ...pavle, tables: lines },
      { ...pavle, tables: ['cuvle-plane'] },
    ];
  }),
];

export function publishedTime({ table, x, method }: BenchCase): PublishedTime | undefined {
  return publishedTimes.find((time) => time.table === table && time.x === x && time.method === method);
}

/** The same speed-up measured here, over all subjects for which both methods were measured; undefined if there are none. */
export function speedupHere(
  cases: readonly BenchCase[],
  { tables, slower, faster }: PublishedSpeedup,
): { readonly min: number; readonly mean: number; readonly max: number } | undefined {
  const ratios = cases.flatMap((one) => {
    if (one.method !== slower || !tables.includes(one.table)) return [];
    const other = cases.find(({ table, subject, method }) => table === one.table && subject === one.subject && method === faster);
    return other ? [medianMs(one) / medianMs(other)] : [];
  });
  if (ratios.length === 0) return undefined;
  return {
    min: Math.min(...ratios),
    mean: ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length,
    max: Math.max(...ratios),
  };
}
