import type { EncodeChoice } from '../../../core/chunks/backend.ts';
import { createCpuBackend } from '../../../core/cpu/cpu-backend.ts';
import { inlinePool } from '../../../core/cpu/inline-pool.ts';
import { faultToData, StriaError } from '../../../core/shared/errors.ts';
import { nextTurn } from '../../../core/shared/turn.ts';
import { makeFittingLevels } from '../../../core/stream/made-levels/fitting-levels.ts';
import { sourceOf } from '../../host/file-source.ts';
import { BlobSink } from './blob-sink.ts';
import type { LevelsAnswer, LevelsOrder } from './levels-protocol.ts';
import { openRequested } from './open-request.ts';

// Makes the levels of one time point of a file without levels, in memory and on this thread alone, so that drawing and reading bricks are not
// slowed down. It pauses between pieces of the file when it is told to. Terminating it cancels.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<LevelsOrder>) => void;
  postMessage(answer: LevelsAnswer): void;
};

const choice: EncodeChoice = { codec: 'auto', options: { axis: 'auto' } };
/** Progress is told at this interval in milliseconds. */
const progressMs = 250;

let isPaused = false;
let onResume: (() => void) | undefined;
let toldMs = Number.NEGATIVE_INFINITY;

scope.onmessage = ({ data }) => {
  if (data.kind === 'make') {
    make(data).catch((error: unknown) => scope.postMessage({ kind: 'failed', fault: faultToData(error) }));
    return;
  }
  isPaused = data.kind === 'pause';
  if (!isPaused) onResume?.();
};

async function make({ request, timePoint, limitBytes }: Extract<LevelsOrder, { kind: 'make' }>): Promise<void> {
  if (request.kind !== 'file') throw new StriaError('internal', 'no file was named');
  const volume = await openRequested(request);
  let sink = new BlobSink(limitBytes);
  const beforePiece = async (share: number): Promise<void> => {
    const now = performance.now();
    if (now - toldMs >= progressMs) {
      toldMs = now;
      scope.postMessage({ kind: 'progress', share, bytes: sink.bytes });
    }
    // Lets the order to pause arrive.
    await nextTurn();
    while (isPaused) {
      await new Promise<void>((resolve) => {
        onResume = resolve;
      });
    }
  };
  const makeSink = () => {
    sink = new BlobSink(limitBytes);
    return sink;
  };
  const settings = { timePoint, beforePiece, choice, backend: createCpuBackend(inlinePool()) };
  const { firstLevel } = await makeFittingLevels(volume, sourceOf(request.handle), makeSink, settings);
  scope.postMessage({ kind: 'made', timePoint, firstLevel, blob: sink.blob });
}
