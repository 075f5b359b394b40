import { layerDisplayLabel } from '../../../core/volume/resident-display.ts';
import type { LoadingEngine } from '../gpu/residency.ts';
import { formatBytes } from '../words/units.ts';

/**
 * Why another volume of this size does not fit into GPU memory beside those that are there; undefined: it fits.
 * The textures with which the 3D view draws layers, and meshes, count, too.
 */
export function whyNoRoom({ gpu, budgetBytes: budget }: LoadingEngine, bytes: number, what: string): string | undefined {
  const taken = gpu.memory.liveBytes('volume') + gpu.memory.liveBytes(layerDisplayLabel) + gpu.memory.liveBytes('mesh');
  if (taken + bytes <= budget) return undefined;
  return `${what} takes ${formatBytes(bytes)} of GPU memory. Volumes may take ${formatBytes(budget)}, and ${formatBytes(taken)} of that are in use`;
}
