import { toStriaError } from '../../../core/shared/errors.ts';
import type { LoadPlan } from './load-plan.ts';

/**
 * Loads the finest resolution for which the device has memory: after `out-of-memory`, `load` is called again for the next coarser
 * level, as long as there is one. The result then says `lacksMemory`.
 * @param load loads no finer level than `fromLevel`; calls `onPlan` before it allocates
 * @param isWhole whether a coarser level is useless, so that none is tried; called after a failure
 */
export async function loadFitting<T extends object>(
  load: (fromLevel: number, onPlan: (plan: Pick<LoadPlan, 'nextLevel'>) => void) => Promise<T>,
  isWhole: () => boolean = () => false,
): Promise<T & { readonly lacksMemory?: boolean }> {
  for (let fromLevel = 0; ; ) {
    let nextLevel: number | undefined;
    try {
      const loaded = await load(fromLevel, (plan) => {
        nextLevel = plan.nextLevel;
      });
      return fromLevel > 0 ? { ...loaded, lacksMemory: true } : loaded;
    } catch (error) {
      if (toStriaError(error).tag !== 'out-of-memory' || nextLevel === undefined || isWhole()) throw error;
      fromLevel = nextLevel;
    }
  }
}
