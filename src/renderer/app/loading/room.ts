import { layerDisplayLabel } from '../../../core/volume/resident/resident-display.ts';
import type { LoadingEngine } from '../gpu/residency.ts';
import { formatBytes } from '../words/units.ts';

/**
 * Why a volume of this size in bytes does not fit into GPU memory beside those already there; undefined if it fits.
 * Meshes, and the textures with which the 3D view draws layers, count too.
 */
export function whyNoRoom(engine: LoadingEngine, bytes: number, what: string): string | undefined {
  const { budgetBytes: budget } = engine;
  const free = roomBytes(engine);
  if (bytes <= free) return undefined;
  const taken = budget - free;
  return `${what} takes ${formatBytes(bytes)} of GPU memory. Volumes may take ${formatBytes(budget)}, and ${formatBytes(taken)} of that are in use`;
}

/** The bytes of GPU memory that another volume may take; negative if volumes already take too much. */
export function roomBytes({ gpu, budgetBytes }: LoadingEngine): number {
  const labels = ['volume', 'compressed', layerDisplayLabel, 'mesh'];
  return labels.reduce((room, label) => room - gpu.memory.liveBytes(label), budgetBytes);
}
