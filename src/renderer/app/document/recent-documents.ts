import type { Host } from '../../host/host.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import type { AppStore } from '../state/store.ts';
import { datasetOf } from './opened-document.ts';

/** Adds files that were opened to the recent files. */
export class RecentDocuments {
  readonly #host: Pick<Host, 'remember' | 'recent'>;
  readonly #store: AppStore;

  constructor(host: Pick<Host, 'remember' | 'recent'>, store: AppStore) {
    this.#host = host;
    this.#store = store;
  }

  /**
   * Adds the file of a request at once, and its thumbnail once it is drawn. A fault is only logged.
   * @param pictured resolves when the first picture is drawn
   * @param isOpen whether the request is still the open one
   */
  async add(request: OpenRequest, viewer: Viewer, pictured: Promise<void>, isOpen: () => boolean): Promise<void> {
    const file = request.session?.file ?? (request.kind === 'file' ? request.file : undefined);
    if (!file) return;
    const remember = async (thumbnail: string | undefined): Promise<void> => {
      await this.#host.remember(file, thumbnail, request.session ? undefined : datasetOf(request));
      this.#store.setState({ recent: await this.#host.recent() });
    };
    try {
      await remember(undefined);
      await pictured;
      if (isOpen()) await remember(await viewer.pictures.thumbnail());
    } catch (error) {
      console.warn('The file could not be put among the recent ones', error);
    }
  }
}
