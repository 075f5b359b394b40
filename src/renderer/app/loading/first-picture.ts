import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { DrawLoop } from '../../viewer/draw-loop.ts';

interface Drawing {
  readonly viewer: { readonly loop: Pick<DrawLoop, 'drawnFrames' | 'onDrawn'> };
  readonly gpu: { readonly device: { readonly queue: Pick<Gpu['device']['queue'], 'onSubmittedWorkDone'> } };
}

/**
 * Resolves once the GPU has drawn the next picture of a view. Frames without a view do not count, since viewports get their
 * canvases only after the document is known. Never resolves if nothing is drawn.
 */
export function firstPicture({ viewer: { loop }, gpu }: Drawing): Promise<void> {
  const before = loop.drawnFrames;
  return new Promise((resolve) => {
    const end = loop.onDrawn(() => {
      if (loop.drawnFrames === before) return;
      end();
      const done = () => resolve();
      gpu.device.queue.onSubmittedWorkDone().then(done, done);
    });
  });
}
