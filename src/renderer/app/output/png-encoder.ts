import type { RgbaPicture } from '../../../core/io/pictures/rgba-png.ts';
import { type FaultData, faultFromData, StriaError } from '../../../core/shared/errors.ts';
import type { ViewPicture } from '../../viewer/model/picture.ts';

export type PngAnswer =
  | { readonly kind: 'png'; readonly png: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'fault'; readonly fault: FaultData };

/** A thread that encodes PNGs one after the other. Stop it with `end`. */
export class PngEncoder {
  readonly #worker = new Worker(new URL('./png.worker.ts', import.meta.url), { type: 'module', name: 'stria-png' });
  #reject: ((error: StriaError) => void) | undefined;

  /** Encodes one picture at a time and takes its buffer. @throws StriaError `out-of-memory`, `internal`, `aborted` if it was stopped */
  encode(picture: ViewPicture, text: RgbaPicture['text']): Promise<Uint8Array<ArrayBuffer>> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#worker.onmessage = ({ data }: MessageEvent<PngAnswer>) => {
        if (data.kind === 'png') resolve(data.png);
        else reject(faultFromData(data.fault));
      };
      this.#worker.onerror = (event) => reject(new StriaError('internal', `the PNG encoding thread ended: ${event.message}`));
      this.#worker.postMessage({ ...picture, text } satisfies RgbaPicture, [picture.rgba.buffer]);
    });
  }

  end(): void {
    this.#worker.terminate();
    this.#reject?.(new StriaError('aborted', 'cancelled'));
  }
}
