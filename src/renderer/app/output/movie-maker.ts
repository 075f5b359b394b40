import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import { channelAt, channelLayout, type VolumeInfo } from '../../../core/shared/volume.ts';
import type { Host } from '../../host/host.ts';
import { type MovieFrame, movieFrames } from '../../viewer/model/movie-frames.ts';
import type { PictureRequest } from '../../viewer/model/picture.ts';
import { pictureWords } from '../../viewer/model/picture-words.ts';
import type { ViewName, ViewState } from '../../viewer/model/viewer-api.ts';
import { isSameDocument } from '../state/document-state.ts';
import type { MovieOptions, PictureOptions } from '../state/output-options.ts';
import { outputStem } from '../state/output-state.ts';
import { nextProgress, startProgress, throttleProgress } from '../state/progress.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import { type MovieEvent, nextMovie } from './movie-machine.ts';
import { type MovieTarget, openPictureFrames } from './movie-target.ts';
import { type PictureScene, type PictureSize, plannedSize, takePicture } from './view-pictures.ts';

/** The view that a movie shows. @param chosen the view chosen for pictures, which movies over time show */
function movieView({ kind, axis }: MovieOptions, chosen: PictureOptions['view']): ViewName | 'layout' {
  return kind === 'turn' ? '3d' : kind === 'slices' ? axis : chosen;
}

/** The picture options of a movie's frames. @param picture the options chosen for pictures */
export function frameOptions(movie: MovieOptions, picture: PictureOptions): PictureOptions {
  // A video is opaque.
  const isClear = movie.format === 'video' && picture.background === 'transparent';
  return { ...picture, view: movieView(movie, picture.view), background: isClear ? 'screen' : picture.background };
}

/** The frames of a movie in order. Time stays within the channel of a shown time point. @param timePoint its index along t */
export function shownFrames(movie: MovieOptions, info: VolumeInfo, timePoint: number): readonly MovieFrame[] {
  const [x, y, z] = info.dims;
  const { timePoints } = channelLayout(info);
  const before = channelAt(info, timePoint).channel * timePoints;
  return movieFrames(movie, { dims: [x, y, z, timePoints] }).map((frame) =>
    frame.timePoint === undefined ? frame : { timePoint: before + frame.timePoint },
  );
}

const viewGone = 'the view was closed before all frames were drawn. Keep it open until the movie is saved';

type MovieHost = Pick<Host, 'saveAs' | 'saveFolder' | 'canSaveFolder'>;

/** Makes movies, as numbered PNGs or as a video, one at a time, in the background. Results come back through the store. */
export class MovieMaker {
  readonly #host: MovieHost;
  readonly #store: AppStore;
  readonly #openPictures: typeof openPictureFrames;
  /** Cancels the movie that is being asked about or drawn. */
  #running = new AbortController();

  constructor(host: MovieHost, store: AppStore, openPictures = openPictureFrames) {
    this.#host = host;
    this.#store = store;
    this.#openPictures = openPictures;
    // A movie ends with its document and device.
    store.subscribe(({ document, gpu, page }, before) => {
      const isOther = !isSameDocument(document, before.document);
      if (isOther || gpu !== before.gpu) this.cancel();
      // The message about the last movie belongs to the page on which it appeared.
      if (isOther || page !== before.page) this.clear();
    });
  }

  /** Asks where to save the movie, then draws frame after frame. @param scene what can be drawn now */
  async make(scene: PictureScene): Promise<void> {
    const document = openDocument(this.#store.getState());
    if (!document) return;
    const { movie, picture } = this.#store.getState().output;
    const options = frameOptions(movie, picture);
    const before = scene.viewer.snapshot().state.timePoint;
    const frames = shownFrames(movie, document.info, before);
    const name = `${outputStem(document.name)} ${movie.kind === 'turn' ? 'turntable' : movie.kind}`;
    if (!this.#send({ kind: 'ask', name })) return;
    const { signal } = this.#running;
    let target: MovieTarget | undefined;
    try {
      // Plan the size before the progress bar makes the views smaller.
      const size = plannedSize(options, scene);
      if (!size) throw new StriaError('invalid-input', 'the chosen view is not visible');
      target = await this.#open(name, movie, frames.length, size, signal);
      throwIfAborted(signal);
      if (!target) {
        this.cancel();
        return;
      }
      this.#store.setState({ overlay: 'none' });
      await this.#draw(frames, options, size, movie, scene, target, signal);
      throwIfAborted(signal);
      const { folder, reveal } = target;
      const saved = await target.close();
      this.#send({ kind: 'finish', name: saved, folder, frames: frames.length, format: movie.format, reveal });
    } catch (error) {
      await target?.abort().catch(() => undefined);
      if (signal.aborted) return;
      const fault = toStriaError(error);
      if (fault.tag === 'aborted' && !target) {
        this.cancel();
        return;
      }
      // Closing a view aborts the picture that it is drawing.
      const told = fault.tag === 'aborted' ? new StriaError('aborted', viewGone, { cause: error }) : fault;
      this.#send({ kind: 'fail', fault: faultToData(told) });
      // The dialog would cover the message.
      if (this.#store.getState().overlay === 'movie') this.#store.setState({ overlay: 'none' });
    } finally {
      // The viewer may show another volume by now.
      const isOpen = openDocument(this.#store.getState())?.opened === document.opened;
      if (movie.kind === 'time' && isOpen) scene.viewer.set({ timePoint: before });
    }
  }

  /** Changes the state at once; frames that were written so far are removed. */
  cancel(): void {
    this.#send({ kind: 'cancel' });
  }

  /** Dismisses the message about the last movie. */
  clear(): void {
    this.#send({ kind: 'clear' });
  }

  async #open(
    name: string,
    { format, framesPerSecond }: MovieOptions,
    count: number,
    size: PictureSize,
    signal: AbortSignal,
  ): Promise<MovieTarget | undefined> {
    if (format === 'pictures') return this.#openPictures(this.#host, name, count, signal);
    // The muxer is loaded only when a video is made.
    const { openVideoFrames } = await import('./video-frames.ts');
    return openVideoFrames(this.#host, name, size, framesPerSecond);
  }

  async #draw(
    frames: readonly MovieFrame[],
    options: PictureOptions,
    size: PictureSize,
    movie: MovieOptions,
    scene: PictureScene,
    target: MovieTarget,
    signal: AbortSignal,
  ): Promise<void> {
    const { viewer } = scene;
    const words = pictureWords(target.name, options.view, viewer.snapshot());
    const waiting = startProgress('Waiting for the final resolution', undefined, performance.now());
    this.#send({ kind: 'draw', name: target.name, folder: target.folder, progress: waiting });
    await this.#refined(signal);
    const stage = 'Drawing frames';
    let progress = startProgress(stage, frames.length, performance.now());
    this.#send({ kind: 'progress', progress });
    const report = throttleProgress((next) => {
      if (signal.aborted) return;
      progress = nextProgress(progress, next, performance.now());
      this.#send({ kind: 'progress', progress });
    });
    /** The frame before is packed and written while the next one is drawn. */
    let written: Promise<void> = Promise.resolve();
    try {
      for (const [index, frame] of frames.entries()) {
        throwIfAborted(signal);
        const change = changeOf(frame, movie, viewer.snapshot().state);
        // The 3D view's texture holds one time point, so the screen follows the movie.
        if (frame.timePoint !== undefined) viewer.set({ timePoint: frame.timePoint });
        const picture = await takePicture(options, scene, { ...change, signal }, size);
        await written;
        throwIfAborted(signal);
        report({ stage, done: index, total: frames.length });
        written = target.write(index, picture, words);
        // It is awaited after the next frame; until then a fault must not count as unhandled.
        written.catch(() => undefined);
      }
      await written;
    } finally {
      // Nothing may be written to an abandoned target.
      await written.catch(() => undefined);
    }
  }

  /** Waits until no finer resolution of the volume is loading, so that all frames show the same one. @throws StriaError `aborted` */
  async #refined(signal: AbortSignal): Promise<void> {
    const isRefining = () => openDocument(this.#store.getState())?.isRefining === true;
    while (isRefining() && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = this.#store.subscribe(() => {
          // A cancelled movie changes the store, too.
          if (isRefining() && !signal.aborted) return;
          end();
          resolve();
        });
      });
    }
    throwIfAborted(signal);
  }

  /** @returns false if the event is ignored in this state */
  #send(event: MovieEvent): boolean {
    const { output } = this.#store.getState();
    const movieWork = nextMovie(output.movieWork, event);
    if (!movieWork) return false;
    if (event.kind === 'ask') this.#running = new AbortController();
    else if (event.kind === 'cancel') this.#running.abort();
    this.#store.setState({ output: { ...output, movieWork } });
    return true;
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
