import { faultToData, inContext } from '../../../core/shared/errors.ts';
import { voxelsOfContainer, voxelsOfFile, voxelsOfLevels } from '../../../core/volume/file-region.ts';
import { containerRequested, leveledRequested, openRequested } from '../loading/open-request.ts';
import { regionOfVoxels } from './region-of-voxels.ts';
import type { RegionAnswer, RegionRequest } from './region-protocol.ts';

// Exact statistics of one region of a file, for volumes of which the GPU has only a part. One worker per region; terminating
// it cancels.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<RegionRequest>) => void;
  postMessage(answer: RegionAnswer): void;
};

scope.onmessage = ({ data }) => {
  answer(data).then(
    (found) => scope.postMessage(found),
    (error: unknown) => scope.postMessage({ kind: 'fault', fault: faultToData(error) }),
  );
};

async function answer({ request, measurement }: RegionRequest): Promise<RegionAnswer> {
  const container = await containerRequested(request);
  if (!container) {
    const volume = await openRequested(request);
    const boxes = volume.leveled && (await leveledRequested(volume));
    const voxels = boxes ? voxelsOfLevels(volume.info, boxes) : voxelsOfFile(volume);
    return { kind: 'found', statistics: await regionOfVoxels(voxels, measurement) };
  }
  try {
    return { kind: 'found', statistics: await regionOfVoxels(voxelsOfContainer(container.reader), measurement) };
  } catch (error) {
    throw inContext(container.source.name, error);
  }
}
