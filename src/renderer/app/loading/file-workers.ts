import type { VolumeLevel } from '../../../core/shared/volume-level.ts';
import type { BrickBudgets } from '../state/brick-budgets.ts';
import type { BrickCommand } from './brick-protocol.ts';
import type { DetailCommand } from './detail-protocol.ts';
import { FileBricks } from './file-bricks.ts';
import { FileDetail } from './file-detail.ts';
import type { LevelsOrder } from './levels-protocol.ts';
import type { FileInfo } from './load-plan.ts';
import { type LoadRequest, portsOf } from './load-protocol.ts';

/** Reads the voxels of a file that the GPU does not hold. @param posted the request, for the worker @param levels, making see `FileInfo` */
export function detailOf(posted: () => LoadRequest, levels: readonly VolumeLevel[], making: FileInfo['making']): FileDetail {
  const start = (): Worker => {
    const worker = new Worker(new URL('./detail.worker.ts', import.meta.url), { type: 'module', name: 'stria-detail' });
    return opened(worker, posted());
  };
  return new FileDetail(levels, start, making);
}

/** Reads the bricks of a file, and makes its levels. @param posted the request, for each worker */
export function bricksOf(posted: () => LoadRequest, budgets: BrickBudgets): FileBricks {
  return new FileBricks(budgets, {
    bricks: () => {
      const worker = new Worker(new URL('./bricks.worker.ts', import.meta.url), { type: 'module', name: 'stria-bricks' });
      return opened(worker, posted());
    },
    levels: (timePoint, limitBytes) => {
      const worker = new Worker(new URL('./levels.worker.ts', import.meta.url), { type: 'module', name: 'stria-levels' });
      const request = posted();
      const order: LevelsOrder = { kind: 'make', request, timePoint, limitBytes };
      worker.postMessage(order, portsOf(request));
      return worker;
    },
  });
}

function opened(worker: Worker, request: LoadRequest): Worker {
  const open: DetailCommand & BrickCommand = { kind: 'open', request };
  worker.postMessage(open, portsOf(request));
  return worker;
}
