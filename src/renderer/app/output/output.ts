import { StriaError } from '../../../core/shared/errors.ts';
import type { Host } from '../../host/host.ts';
import { pictureWords } from '../../viewer/model/picture-words.ts';
import type { MovieOptions, PictureOptions } from '../state/output-options.ts';
import { type OutputState, outputStem } from '../state/output-state.ts';
import { type AppStore, openDocument } from '../state/store.ts';
import { numberOf } from '../words/counting.ts';
import { DialogWork } from './dialog-work.ts';
import { MovieMaker } from './movie-maker.ts';
import { canEncodeVideo } from './movie-target.ts';
import { PngEncoder } from './png-encoder.ts';
import { type PictureScene, takePicture } from './view-pictures.ts';

/** Makes pictures and movies of the shown views. Results come back through the store. */
export class Output {
  readonly #host: Pick<Host, 'saveAs' | 'saveFolder' | 'canSaveFolder'>;
  readonly #store: AppStore;
  readonly movies: MovieMaker;
  readonly #work: DialogWork;

  constructor(host: Pick<Host, 'saveAs' | 'saveFolder' | 'canSaveFolder'>, store: AppStore) {
    this.#host = host;
    this.#store = store;
    this.movies = new MovieMaker(host, store);
    this.#work = new DialogWork(store, 'pictureWork');
  }

  setPicture(change: Partial<PictureOptions>): void {
    this.#set({ picture: { ...this.#state.picture, ...change } });
    this.#work.send({ kind: 'choose' });
  }

  setMovie(change: Partial<MovieOptions>): void {
    this.#set({ movie: { ...this.#state.movie, ...change } });
  }

  /** What can be drawn now; undefined if nothing can. */
  get scene(): PictureScene | undefined {
    const { gpu, settings, sliceAxis, document, page } = this.#store.getState();
    if (gpu.kind !== 'ready' || document.kind !== 'ready' || page !== 'viewer') return undefined;
    return { viewer: gpu.viewer, layout: settings.layout, sliceAxis, screenRatio: window.devicePixelRatio };
  }

  /** Asks where to save, then draws: a browser opens its dialog only straight after a click. */
  async savePicture(): Promise<void> {
    const options = this.#state.picture;
    await this.#work.run(async (signal) => {
      const sink = await this.#host.saveAs(`${outputStem(this.#name)}${pictureSuffix(options, this.scene)}.png`);
      if (!sink) return;
      try {
        const png = await this.#png(options, signal);
        await sink.write(png);
        signal.throwIfAborted();
        await sink.close();
      } catch (error) {
        await sink.abort().catch(() => undefined);
        throw error;
      }
      this.#done(`${sink.name} is saved`);
    });
  }

  async copyPicture(): Promise<void> {
    const options = this.#state.picture;
    await this.#work.run(async (signal) => {
      const png = this.#png(options, signal).then((bytes) => new Blob([bytes], { type: 'image/png' }));
      try {
        await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);
      } catch (error) {
        // If drawing failed, throw its error instead.
        await png;
        throw new StriaError('unsupported', 'the clipboard is not available here: save the picture instead', { cause: error });
      }
      this.#done('Picture copied');
    });
  }

  /** How this shell saves a movie of pictures. */
  get picturesBecome(): 'folder' | 'zip' {
    return this.#host.canSaveFolder() ? 'folder' : 'zip';
  }

  get canMakeVideo(): boolean {
    return canEncodeVideo();
  }

  async makeMovie(): Promise<void> {
    const { scene } = this;
    if (scene) await this.movies.make(scene);
  }

  /** Cancels the picture that is being made. */
  cancelPicture(): void {
    this.#work.send({ kind: 'cancel' });
  }

  async #png(options: PictureOptions, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const { scene } = this;
    if (!scene) throw new StriaError('invalid-input', 'there is nothing to draw');
    const words = pictureWords(this.#name, options.view, scene.viewer.snapshot());
    const picture = await takePicture(options, scene, { signal });
    const encoder = new PngEncoder();
    const end = () => encoder.end();
    signal.addEventListener('abort', end);
    try {
      signal.throwIfAborted();
      return await encoder.encode(picture, words);
    } finally {
      signal.removeEventListener('abort', end);
      encoder.end();
    }
  }

  #done(notice: string): void {
    const { overlay } = this.#store.getState();
    this.#store.setState({ notice, overlay: overlay === 'picture' ? 'none' : overlay });
  }

  get #name(): string {
    return openDocument(this.#store.getState())?.name ?? 'volume';
  }

  get #state(): OutputState {
    return this.#store.getState().output;
  }

  #set(change: Partial<OutputState>): void {
    this.#store.setState(({ output }) => ({ output: { ...output, ...change } }));
  }
}

/** The suffix of a picture's file name: ` 3D` or ` z 41`; '' for the whole layout. */
function pictureSuffix({ view }: Pick<PictureOptions, 'view'>, scene: PictureScene | undefined): string {
  if (view === 'layout') return '';
  if (view === '3d') return ' 3D';
  const place = scene?.viewer.snapshot().state.crosshair['xyz'.indexOf(view)];
  return place === undefined ? ` ${view}` : ` ${view} ${numberOf(place)}`;
}
