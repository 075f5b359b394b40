/** A kernel constant that can be tuned without changing any output byte: what it counts, its values, its default. */
export interface TuningChoice {
  /** A description for users. */
  readonly what: string;
  readonly values: readonly number[];
  readonly standard: number;
}

/** The schema of tuning files. Raise it when a choice changes its meaning. */
export const tuningSchema = 'stria-tuning-1';

const threads = 'invocations per workgroup';

/** Choices that can be tuned to a device, within WebGPU's default limits. The defaults were measured on an NVIDIA H200. */
export const tuningChoices = {
  'rice.decode': { what: `rice, decoding: ${threads}`, values: [64, 128], standard: 128 },
  'huffman.gather': { what: `huffman, counting symbols: ${threads}`, values: [64, 128, 256], standard: 256 },
  'parle.expand': { what: `parle, decoding: ${threads}`, values: [64, 128, 256], standard: 64 },
  'view.rays': { what: '3D view: rays per workgroup', values: [32, 64, 128, 256], standard: 32 },
} as const satisfies Record<string, TuningChoice>;

export type TuningName = keyof typeof tuningChoices;
export const tuningNames = Object.keys(tuningChoices) as readonly TuningName[];

/** The value of each choice. */
export type Tuning = Readonly<Record<TuningName, number>>;

export const standardTuning = tuned(() => undefined);

/** Checks a tuning from a file or from storage. Missing and invalid values become the choice's default. */
export function checkedTuning(stored: unknown): Tuning {
  const record = typeof stored === 'object' && stored !== null ? (stored as Partial<Record<string, unknown>>) : {};
  return tuned((name) => (Object.hasOwn(record, name) ? record[name] : undefined));
}

/** The values that differ from the defaults; undefined if none does. */
export function changedTuning(tuning: Tuning): Partial<Tuning> | undefined {
  const changed = tuningNames.filter((name) => tuning[name] !== standardTuning[name]).map((name) => [name, tuning[name]]);
  return changed.length > 0 ? (Object.fromEntries(changed) as Partial<Tuning>) : undefined;
}

function tuned(wanted: (name: TuningName) => unknown): Tuning {
  const values = tuningNames.map((name) => {
    const { values, standard }: TuningChoice = tuningChoices[name];
    return [name, values.find((value) => value === wanted(name)) ?? standard];
  });
  return Object.fromEntries(values) as Tuning;
}
