import type { AppSettings } from './app-settings.ts';
import type { Comparison } from './compare/comparison.ts';
import { codecChoice } from './compress/compress-protocol.ts';
import type { CompressQueue } from './compress/queue.ts';
import type { DocumentLife } from './document/document-life.ts';
import type { LeaveGuard } from './document/leave-guard.ts';
import type { SessionSaver } from './saved/session-saver.ts';
import { orNotice } from './state/or-notice.ts';
import type { Residency } from './state/residency-state.ts';
import { type AppStore, openDocument } from './state/store.ts';

export interface DocumentActionsNeeds {
  readonly store: AppStore;
  readonly settings: AppSettings;
  readonly life: DocumentLife;
  readonly queue: Pick<CompressQueue, 'addLevels'>;
  readonly leaving: Pick<LeaveGuard, 'before'>;
  readonly sessions: Pick<SessionSaver, 'save'>;
  readonly comparison: Pick<Comparison, 'open' | 'openCompressed'>;
}

/** The actions of commands on the open document. */
export class DocumentActions {
  readonly #needs: DocumentActionsNeeds;

  constructor(needs: DocumentActionsNeeds) {
    this.#needs = needs;
  }

  /** Asks first if unfinished work would be lost. */
  close(): void {
    const { leaving, life } = this.#needs;
    leaving.before(() => life.close());
  }

  /** Cancels loading, compressing or saving. */
  cancel(): void {
    this.#needs.life.cancel();
  }

  /** Compresses the volume, and shows the result in the inspector. */
  compress(): void {
    const { store, settings, life } = this.#needs;
    settings.set({ foldedSections: settings.current.foldedSections.filter((name) => name !== 'compression') });
    void life.jobs.compress(codecChoice(store.getState()));
  }

  /** Keeps the levels of the open volume beside its file. They are used when it is opened again. */
  keepLevels(): void {
    const { life, queue, store } = this.#needs;
    const { request } = life;
    const document = openDocument(store.getState());
    if (document && request?.kind === 'file') queue.addLevels(document.opened, request, life.wholeLevels);
  }

  save(): void {
    void this.#needs.life.jobs.save();
  }

  /** Saves the open volume's view as a `.stria-session`. */
  saveSession(): void {
    const { store, sessions } = this.#needs;
    void orNotice(store, async () => {
      const notice = await sessions.save();
      if (notice !== undefined) store.setState({ notice });
    });
  }

  /** Keeps the volume in GPU memory as voxels or compressed. Resolves with whether that succeeded. */
  setResidency(residency: Residency): Promise<boolean> {
    const { store, life } = this.#needs;
    return life.jobs.setResidency(residency, codecChoice(store.getState()));
  }

  /** Resolves with false if it was cancelled. A volume that cannot be compressed, because it is not complete, stays uncompressed. */
  async keepCompressed(): Promise<boolean> {
    const { residency } = this.#needs.store.getState();
    return !residency?.canBeCompressed || residency.kept === 'compressed' || this.setResidency('compressed');
  }

  /**
   * Shows the difference between the volume and its compressed version. If the volume is kept compressed, its source is read
   * again; otherwise the compressed version would be compared with itself.
   */
  compareCompressed(): void {
    const { store, life, comparison } = this.#needs;
    const state = store.getState();
    const document = openDocument(state);
    if (!document) return;
    if (state.residency?.kept === 'compressed' && life.request)
      void comparison.open(life.request, `${document.name}, read again`, 'difference');
    else void comparison.openCompressed(`${document.name}, compressed and restored`);
  }
}
