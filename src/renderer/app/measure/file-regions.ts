import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import type { RegionStatistics } from '../../../core/volume/region-statistics.ts';
import type { Measurement } from '../../viewer/model/measure.ts';
import { type OpenRequest, toPosted } from '../loading/load-resident.ts';
import type { RegionAnswer, RegionRequest } from './region-protocol.ts';

/**
 * Statistics of a region, read from the volume's file by a separate worker. Undefined if it contains no voxel.
 * @throws StriaError like the readers, and `aborted`
 */
export async function regionOfFile(
  request: OpenRequest,
  measurement: Measurement,
  signal: AbortSignal,
): Promise<RegionStatistics | undefined> {
  const worker = new Worker(new URL('./region.worker.ts', import.meta.url), { type: 'module', name: 'stria-region' });
  try {
    const answer = await new Promise<RegionAnswer>((resolve, reject) => {
      const abort = () => reject(new StriaError('aborted', 'cancelled'));
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      worker.onerror = (event) => reject(new StriaError('internal', `the measuring thread ended: ${event.message}`));
      worker.onmessage = ({ data }: MessageEvent<RegionAnswer>) => resolve(data);
      const posted: RegionRequest = { request: toPosted(request), measurement };
      worker.postMessage(posted, posted.request.kind === 'file' ? [posted.request.siblings] : []);
    });
    if (answer.kind === 'fault') throw faultFromData(answer.fault);
    return answer.statistics;
  } finally {
    worker.terminate();
  }
}
