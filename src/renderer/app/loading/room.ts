import { layerDisplayLabel } from '../../../core/volume/resident-display.ts';
import type { LoadingEngine } from '../gpu/residency.ts';
import { formatBytes } from '../words/units.ts';

/**
 * Why a volume of this size in bytes does not fit into GPU memory beside those already there; undefined if it fits.
 * Meshes, and the textures with which the 3D view draws layers, count too.
 */
export function whyNoRoom({ gpu, budgetBytes: budget }: LoadingEngine, bytes: number, what: string): string | undefined {
  const labels = ['volume', 'compressed', layerDisplayLabel, 'mesh'];
  const taken = labels.reduce((sum, label) => sum + gpu.memory.liveBytes(label), 0);
  if (taken + bytes <= budget) return undefined;
  return `${what} takes ${formatBytes(bytes)} of GPU memory. Volumes may take ${formatBytes(budget)}, and ${formatBytes(taken)} of that are in use`;
}
