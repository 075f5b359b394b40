import type { AdapterDescription } from '../../../core/gpu/diagnosis.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { checkedTuning, standardTuning, type Tuning } from '../../../core/gpu/tuning.ts';

/** Tuning results for each GPU, by the GPU's key. */
export type KeptTunings = Readonly<Record<string, Tuning>>;

/** More GPUs than a machine ever has. The limit keeps the storage small even if others write to it. */
const mostGpus = 16;
const longestKey = 300;

/** A key of everything that WebGPU reveals about a GPU, including the driver if known: another driver needs new tuning. */
function gpuKey(adapter: AdapterDescription): string {
  const { vendor, architecture, device, description } = adapter;
  return [vendor, architecture, device, description].join(' / ').slice(0, longestKey);
}

/** The stored tuning of a GPU; undefined if there is none. */
export function keptTuning(tunings: KeptTunings, { diagnosis: { adapter } }: Pick<Gpu, 'diagnosis'>): Tuning | undefined {
  if (!adapter) return undefined;
  const key = gpuKey(adapter);
  return Object.hasOwn(tunings, key) ? tunings[key] : undefined;
}

/** Applies the tuning stored for a GPU. */
export function applyTuning(tunings: KeptTunings, gpu: Gpu): void {
  gpu.tuning = keptTuning(tunings, gpu) ?? standardTuning;
}

/** @param tuning undefined removes the entry */
export function withTuning(tunings: KeptTunings, adapter: AdapterDescription, tuning: Tuning | undefined): KeptTunings {
  const key = gpuKey(adapter);
  const others = Object.entries(tunings).filter(([other]) => other !== key);
  return Object.fromEntries(tuning ? [...others, [key, tuning] as const].slice(-mostGpus) : others);
}

/** The stored tunings. Invalid values become the defaults, and invalid tunings are dropped. */
export function checkedTunings(stored: unknown): KeptTunings {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return {};
  const entries = Object.entries(stored).filter(
    ([key, tuning]) => key.length <= longestKey && typeof tuning === 'object' && tuning !== null,
  );
  return Object.fromEntries(entries.slice(-mostGpus).map(([key, tuning]) => [key, checkedTuning(tuning)]));
}
