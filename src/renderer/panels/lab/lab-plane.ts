import { type BenchCase, medianMs } from '../../../core/bench/harness/result.ts';

/** Two methods compared over a grid of parameters. */
export interface PlaneData {
  readonly xs: readonly number[];
  readonly rows: readonly { readonly y: number; readonly places: readonly (PlanePlace | undefined)[] }[];
}

export interface PlanePlace {
  /** Median milliseconds of the faster method. */
  readonly ms: number;
  /** The slower method's median as a multiple of `ms`. */
  readonly speedup: number;
}

/** Cells in order of x and y. Undefined if one of the methods has not been measured. */
export function planeData(
  cases: readonly BenchCase[],
  { slower, faster }: { readonly slower: string; readonly faster: string },
): PlaneData {
  const inOrder = (values: readonly number[]) => [...new Set(values)].sort((a, b) => a - b);
  const xs = inOrder(cases.map(({ x }) => Number(x)));
  const ys = inOrder(cases.map(({ y }) => y ?? 0));
  const medianAt = (method: string, x: number, y: number) => {
    const found = cases.find((one) => one.method === method && one.x === x && one.y === y);
    return found && medianMs(found);
  };
  const placeAt = (x: number, y: number): PlanePlace | undefined => {
    const [slow, ms] = [medianAt(slower, x, y), medianAt(faster, x, y)];
    // A time below the clock's resolution is 0 and has no ratio.
    return slow === undefined || ms === undefined || ms === 0 ? undefined : { ms, speedup: slow / ms };
  };
  return { xs, rows: ys.map((y) => ({ y, places: xs.map((x) => placeAt(x, y)) })) };
}
