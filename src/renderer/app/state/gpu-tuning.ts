import type { AdapterDescription } from '../../../core/gpu/diagnosis.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { checkedTuning, standardTuning, type Tuning } from '../../../core/gpu/tuning.ts';

/** What the Lab found on each GPU, by the GPU's key. */
export type KeptTunings = Readonly<Record<string, Tuning>>;

/** More GPUs than one machine has in its life: storage that others wrote grows no further. */
const mostGpus = 16;
const longestKey = 300;

/** All that WebGPU tells of a GPU, the driver with it where it says which: with another one the choices are made anew. */
export function gpuKey(adapter: AdapterDescription): string {
  const { vendor, architecture, device, description } = adapter;
  return [vendor, architecture, device, description].join(' / ').slice(0, longestKey);
}

/** Undefined where nothing was kept for this GPU. */
export function keptTuning(tunings: KeptTunings, { diagnosis: { adapter } }: Pick<Gpu, 'diagnosis'>): Tuning | undefined {
  if (!adapter) return undefined;
  const key = gpuKey(adapter);
  return Object.hasOwn(tunings, key) ? tunings[key] : undefined;
}

/** Has a GPU's kernels take what was kept for it. */
export function applyTuning(tunings: KeptTunings, gpu: Gpu): void {
  gpu.tuning = keptTuning(tunings, gpu) ?? standardTuning;
}

/** @param tuning undefined: nothing is kept any more */
export function withTuning(tunings: KeptTunings, adapter: AdapterDescription, tuning: Tuning | undefined): KeptTunings {
  const key = gpuKey(adapter);
  const others = Object.entries(tunings).filter(([other]) => other !== key);
  return Object.fromEntries(tuning ? [...others, [key, tuning] as const].slice(-mostGpus) : others);
}

/** What was stored: values that make no sense are the standard ones, and what is no tuning is left out. */
export function checkedTunings(stored: unknown): KeptTunings {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return {};
  const entries = Object.entries(stored).filter(
    ([key, tuning]) => key.length <= longestKey && typeof tuning === 'object' && tuning !== null,
  );
  return Object.fromEntries(entries.slice(-mostGpus).map(([key, tuning]) => [key, checkedTuning(tuning)]));
}
