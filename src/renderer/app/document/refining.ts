import { StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { Stopwatch } from '../../../core/stream/stage-times.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { type LoadedVolume, type OpenRequest, type OpenStage, openStages, withBricks } from '../loading/load-resident.ts';
import type { AppStore } from '../state/store.ts';
import type { DocumentEvent } from './document-change.ts';
import type { DocumentRunner } from './document-runner.ts';
import { type DocumentWorks, type HeldVolume, stateOnGpu } from './document-works.ts';
import { documentOf } from './opened-document.ts';

/** How often a finer resolution is tried, and the first pause between two attempts. */
const mostAttempts = 3;
const pauseMs = 500;

export interface RefiningNeeds {
  readonly store: AppStore;
  readonly works: DocumentWorks;
  readonly runner: DocumentRunner;
  send(event: DocumentEvent): void;
}

/** Loads the finest resolution of the open volume, and shows it in place of the first one. The view does not change. */
export class Refining {
  readonly #needs: RefiningNeeds;
  #running: AbortController | undefined;

  constructor(needs: RefiningNeeds) {
    this.#needs = needs;
  }

  abort(): void {
    this.#running?.abort();
  }

  /** Resolves when the finest resolution is shown, cannot be shown, or was aborted. */
  async begin(held: HeldVolume, engine: Engine): Promise<void> {
    const { store, works, runner, send } = this.#needs;
    const controller = new AbortController();
    this.#running = controller;
    const { signal } = controller;
    await runner.inTurn(async () => {
      if (signal.aborted) return;
      const before = held.loaded;
      let finer: LoadedVolume | undefined;
      try {
        finer = await this.#loadFinest(engine, held.request, signal);
        const statistics = await finer.kept.statistics();
        if (signal.aborted) throw new StriaError('aborted', 'cancelled');
        const { kept } = finer;
        await engine.viewer.exchangeVolume(kept, true).catch(async (error: unknown) => {
          if (!engine.gpu.isLost) await engine.viewer.exchangeVolume(before.kept);
          throw error;
        });
        before.kept.destroy();
        held.loaded = withBricks(finer, before.bricks);
        const { lost } = finer;
        finer = undefined;
        if (signal.aborted) return;
        if (lost && lost !== before.lost) store.setState({ notice: lost });
        send({ kind: 'refined', document: documentOf(held, statistics), ...stateOnGpu(works, engine, held) });
      } catch (error) {
        finer?.kept.destroy();
        if (!signal.aborted && toStriaError(error).tag !== 'device-lost') this.#failed(held, engine, error);
      }
    });
  }

  /** Keeps showing the first resolution. */
  #failed(held: HeldVolume, engine: Engine, error: unknown): void {
    const { store, works, send } = this.#needs;
    const { document } = store.getState();
    if (document.kind !== 'ready') return;
    const { decimation, isPreview } = document.document;
    const what = isPreview ? 'Only the middle slices were loaded' : `The volume stays at 1/${decimation} resolution`;
    store.setState({ notice: `${what}: ${toStriaError(error).message}` });
    send({ kind: 'refined', document: { ...document.document, isRefining: false }, ...stateOnGpu(works, engine, held) });
  }

  /** Retries if the file could not be read, since a disk or a server may need a moment. */
  async #loadFinest(engine: Engine, request: OpenRequest, signal: AbortSignal): Promise<LoadedVolume> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#needs.works.loadResident(engine, request, { signal }, new Stopwatch<OpenStage>(openStages));
      } catch (error) {
        if (attempt === mostAttempts || toStriaError(error).tag !== 'not-readable') throw error;
        await new Promise((resolve) => setTimeout(resolve, attempt * pauseMs));
        if (signal.aborted) throw error;
      }
    }
  }
}
