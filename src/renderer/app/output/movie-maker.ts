import { faultToData, toStriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import type { Host, HostFolder } from '../../host/host.ts';
import type { PictureRequest, PictureView } from '../../viewer/model/picture.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import { frameName, type MovieFrame, type MovieOptions, movieFrames, type PictureOptions } from '../state/output-options.ts';
import { type MovieWork, outputStem } from '../state/output-state.ts';
import { nextProgress, startProgress, throttleProgress } from '../state/progress.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import { PngEncoder } from './png-encoder.ts';
import { type PictureScene, pictureWords, takePicture } from './view-pictures.ts';

/** The view that a movie shows. @param chosen for pictures: of time, any view may be shown */
export function movieView({ kind, axis }: MovieOptions, chosen: PictureOptions['view']): PictureView | 'layout' {
  return kind === 'turn' ? '3d' : kind === 'slices' ? axis : chosen;
}

/** Makes movies as numbered PNGs in a new folder: one at a time, beside what people do. Results come through the store. */
export class MovieMaker {
  readonly #host: Pick<Host, 'saveFolder'>;
  readonly #store: AppStore;
  #running: AbortController | undefined;

  constructor(host: Pick<Host, 'saveFolder'>, store: AppStore) {
    this.#host = host;
    this.#store = store;
    // What is drawn goes with what is open.
    store.subscribe(({ document, gpu }, before) => {
      if (document !== before.document || gpu !== before.gpu) this.cancel();
    });
  }

  /** Asks where, then draws frame after frame. @param scene what can be drawn now */
  async make(scene: PictureScene): Promise<void> {
    const document = openDocument(this.#store.getState());
    if (this.#running || !document) return;
    const { movie, picture } = this.#store.getState().output;
    const options = { ...picture, view: movieView(movie, picture.view) };
    const frames = movieFrames(movie, document.info);
    const controller = new AbortController();
    this.#running = controller;
    const name = `${outputStem(document.name)} ${movie.kind === 'turn' ? 'turntable' : movie.kind}`;
    let folder: HostFolder | undefined;
    const before = scene.viewer.snapshot().state.timePoint;
    try {
      folder = await this.#host.saveFolder(name);
      if (!folder) return;
      this.#store.setState({ overlay: 'none' });
      await this.#draw(frames, options, movie, scene, folder, controller.signal);
      throwIfAborted(controller.signal);
      const { folder: place, reveal } = folder;
      const saved = await folder.close();
      this.#show({ kind: 'done', name: saved, folder: place, frames: frames.length, reveal });
    } catch (error) {
      await folder?.abort().catch(() => undefined);
      const isAbort = controller.signal.aborted || toStriaError(error).tag === 'aborted';
      if (!isAbort) this.#show({ kind: 'failed', name, fault: faultToData(error) });
    } finally {
      if (movie.kind === 'time') scene.viewer.set({ timePoint: before });
      if (this.#running === controller) this.#running = undefined;
    }
  }

  /** Answers at once; what was written so far is removed. */
  cancel(): void {
    this.#running?.abort();
    this.#running = undefined;
    if (this.#store.getState().output.movieWork.kind === 'running') this.#show({ kind: 'none' });
  }

  /** Puts the word about the last movie away. */
  clear(): void {
    if (this.#store.getState().output.movieWork.kind !== 'running') this.#show({ kind: 'none' });
  }

  async #draw(
    frames: readonly MovieFrame[],
    options: PictureOptions,
    movie: MovieOptions,
    scene: PictureScene,
    folder: HostFolder,
    signal: AbortSignal,
  ): Promise<void> {
    const { viewer } = scene;
    const words = pictureWords(folder.name, options.view, viewer.snapshot());
    const encoder = new PngEncoder();
    const end = () => encoder.end();
    signal.addEventListener('abort', end);
    const stage = 'Drawing frames';
    let progress = startProgress(stage, frames.length, performance.now());
    const report = throttleProgress((next) => {
      if (signal.aborted) return;
      progress = nextProgress(progress, next, performance.now());
      this.#show({ kind: 'running', name: folder.name, folder: folder.folder, progress });
    });
    report({ stage, done: 0, total: frames.length });
    /** The frame before is packed and written while the next one is drawn. */
    let written: Promise<void> = Promise.resolve();
    try {
      for (const [index, frame] of frames.entries()) {
        throwIfAborted(signal);
        const change = changeOf(frame, movie, viewer.snapshot().state);
        // The 3D view's texture is filled with one time point: what is on the screen follows.
        if (frame.timePoint !== undefined) viewer.set({ timePoint: frame.timePoint });
        const picture = await takePicture(options, scene, { ...change, signal });
        await written;
        throwIfAborted(signal);
        report({ stage, done: index, total: frames.length });
        written = encoder
          .encode(picture, words)
          .then((png) => (signal.aborted ? undefined : folder.write(frameName(index, frames.length), png)));
        // It is awaited after the next frame; a fault until then is no unhandled one.
        written.catch(() => undefined);
      }
      await written;
    } finally {
      signal.removeEventListener('abort', end);
      encoder.end();
    }
  }

  #show(movieWork: MovieWork): void {
    this.#store.setState(({ output }) => ({ output: { ...output, movieWork } }));
  }
}

function changeOf(
  { turn, slice, timePoint }: MovieFrame,
  { axis }: MovieOptions,
  { crosshair }: ViewState,
): Pick<PictureRequest, 'turn' | 'state'> {
  const at = 'xyz'.indexOf(axis);
  return {
    turn,
    state: {
      ...(slice !== undefined && { crosshair: crosshair.with(at, slice) as unknown as ViewState['crosshair'] }),
      ...(timePoint !== undefined && { timePoint }),
    },
  };
}
