import { StriaError } from '../shared/errors.ts';
import { type BenchResult, caseKey } from './harness/result.ts';

export interface ComparedCase {
  readonly key: string;
  /** The clock of the medians: the GPU's if both results have it. */
  readonly clock: 'gpu' | 'wall';
  readonly aMs: number;
  readonly bMs: number;
  /** b / a: above 1 means slower. */
  readonly ratio: number;
  readonly agrees: boolean;
}

export interface BenchComparison {
  readonly tolerance: number;
  readonly rows: readonly ComparedCase[];
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
  /** Differences that leave the results comparable: versions, drivers. */
  readonly differences: readonly string[];
}

/** Medians agree if they differ by at most this fraction. */
const tolerance = 0.05;

/**
 * Compares two results case by case. @throws StriaError `invalid-input` if they are not comparable: different work, or
 * different machines
 */
export function compareResults(a: BenchResult, b: BenchResult): BenchComparison {
  const must = [
    ['suite', a.suite, b.suite],
    ['size', a.request.size, b.request.size],
    ['type', a.request.type, b.request.type],
    ['file', a.request.file, b.request.file],
    ['GPU', gpuName(a), gpuName(b)],
    ['software GPU', a.machine.software, b.machine.software],
    ['timestamps', a.machine.timestamps, b.machine.timestamps],
    ['CPU', a.machine.cpu, b.machine.cpu],
    ['threads', a.machine.threads, b.machine.threads],
    ['platform', a.machine.platform, b.machine.platform],
    ['runtime', kindOf(a.machine.runtime), kindOf(b.machine.runtime)],
  ] as const;
  const unlike = must.filter(([, ofA, ofB]) => ofA !== ofB).map(([what, ofA, ofB]) => `${what} ${ofA} and ${ofB}`);
  if (unlike.length > 0) throw new StriaError('invalid-input', `these results are not comparable: ${unlike.join('; ')}`);
  const may = [
    ['Stria', a.stria, b.stria],
    ['driver', a.machine.adapter?.description, b.machine.adapter?.description],
    ['runtime', a.machine.runtime, b.machine.runtime],
    ['repetitions', a.request.repetitions, b.request.repetitions],
    ['tuning', tuningOf(a), tuningOf(b)],
  ] as const;
  const byKey = new Map(b.cases.map((found) => [caseKey(found), found]));
  const keysOfA = new Set(a.cases.map(caseKey));
  const rows = a.cases.flatMap((ofA) => {
    const key = caseKey(ofA);
    const ofB = byKey.get(key);
    if (!ofB) return [];
    const clock = ofA.gpuMs && ofB.gpuMs ? ('gpu' as const) : ('wall' as const);
    const [aMs, bMs] = [ofA, ofB].map(({ gpuMs, wallMs }) => (clock === 'gpu' && gpuMs ? gpuMs : wallMs).median) as [
      number,
      number,
    ];
    return [{ key, clock, aMs, bMs, ratio: bMs / aMs, agrees: Math.abs(bMs - aMs) <= tolerance * Math.min(aMs, bMs) }];
  });
  return {
    tolerance,
    rows,
    onlyA: [...keysOfA].filter((key) => !byKey.has(key)),
    onlyB: [...byKey.keys()].filter((key) => !keysOfA.has(key)),
    differences: may.filter(([, ofA, ofB]) => ofA !== ofB).map(([what, ofA, ofB]) => `${what} ${ofA} and ${ofB}`),
  };
}

/** The name of the GPU without its driver, which may be newer. */
function gpuName({ machine: { adapter } }: BenchResult): string {
  return adapter ? [adapter.vendor, adapter.architecture, adapter.device].filter(Boolean).join(' ') : 'none';
}

function tuningOf({ request: { tuning = {} } }: BenchResult): string {
  const changed = Object.entries(tuning).sort();
  return changed.map(([name, value]) => `${name} ${value}`).join(', ') || 'standard';
}

/** The runtime without its version: `Node` for `Node v20.20.2`. */
function kindOf(runtime: string): string {
  return runtime.split(' ')[0] ?? '';
}
