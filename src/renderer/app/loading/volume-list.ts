import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import type { GrayThumbnail, VolumeChoice } from '../../../core/shared/volume-choice.ts';
import type { HostFile } from '../../host/host.ts';
import { keepHeaders } from './kept-headers.ts';
import type { ListCommand, ListMessage } from './list-protocol.ts';
import { portsOf } from './load-protocol.ts';
import { toPosted } from './load-resident.ts';

/** The volumes of a file or folder, and their thumbnails on demand. Its worker runs until `end`. */
export class VolumeList {
  /** @throws StriaError like `listVolumes` */
  readonly choices: Promise<readonly VolumeChoice[]>;
  readonly #worker: Worker;
  readonly #waiting = new Map<string, (thumbnail: GrayThumbnail | undefined) => void>();

  constructor(file: HostFile) {
    this.#worker = new Worker(new URL('./list.worker.ts', import.meta.url), { type: 'module', name: 'stria-list' });
    this.choices = new Promise((resolve, reject) => {
      this.#worker.onerror = (event) => reject(new StriaError('internal', `the listing thread ended: ${event.message}`));
      this.#worker.onmessage = ({ data }: MessageEvent<ListMessage>) => {
        if (data.kind === 'choices') {
          keepHeaders(file, data.headers);
          resolve(data.choices);
        } else if (data.kind === 'fault') reject(faultFromData(data.fault));
        else this.#taken(data.id)?.(data.thumbnail);
      };
    });
    const request = toPosted({ kind: 'file', file });
    this.#post({ kind: 'list', request }, portsOf(request));
  }

  /** Requests a thumbnail. The returned function cancels the request. */
  thumbnail(id: string, show: (thumbnail: GrayThumbnail | undefined) => void): () => void {
    this.#waiting.set(id, show);
    this.#post({ kind: 'thumbnail', id });
    return () => {
      if (this.#taken(id)) this.#post({ kind: 'forget', id });
    };
  }

  end(): void {
    this.#worker.terminate();
  }

  #taken(id: string) {
    const show = this.#waiting.get(id);
    this.#waiting.delete(id);
    return show;
  }

  #post(command: ListCommand, transfer: Transferable[] = []): void {
    this.#worker.postMessage(command, transfer);
  }
}
