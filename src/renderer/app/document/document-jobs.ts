import { chainByName } from '../../../core/codecs/registry.ts';
import { faultToData, toStriaError } from '../../../core/shared/errors.ts';
import { volumeBytes } from '../../../core/shared/volume.ts';
import { Stopwatch } from '../../../core/stream/stage-times.ts';
import type { Host, HostSink } from '../../host/host.ts';
import type { BackgroundCompressor } from '../compress/background.ts';
import type { CodecChoice } from '../compress/compress-protocol.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { offeredName } from '../loading/datasets.ts';
import type { SavedFile } from '../state/document-state.ts';
import { startProgress } from '../state/progress.ts';
import type { Residency } from '../state/residency-state.ts';
import { streamedResult } from '../state/result.ts';
import type { DocumentRunner, Running } from './document-runner.ts';
import { chunksOf, type DocumentWorks, type HeldVolume, stateOnGpu } from './document-works.ts';

export interface JobNeeds {
  readonly host: Pick<Host, 'saveAs'>;
  readonly compressor: Pick<BackgroundCompressor, 'compress'>;
  readonly runner: DocumentRunner;
  readonly works: DocumentWorks;
  engine(): Engine | undefined;
  /** The open volume. */
  held(): HeldVolume | undefined;
  tell(notice: string): void;
}

/** What can be done with the open volume: it is compressed, saved, and kept in GPU memory in another way. */
export class DocumentJobs {
  readonly #needs: JobNeeds;

  constructor(needs: JobNeeds) {
    this.#needs = needs;
  }

  /** @param isAsked whether people see to it, or something else needs it */
  async compress(choice: CodecChoice, isAsked = true): Promise<void> {
    const { runner, works } = this.#needs;
    const held = this.#needs.held();
    if (!held) return;
    const { kept } = held.loaded;
    if (kept.decimation > 1) return this.#stream(held, choice);
    const progress = startProgress('Compressing', volumeBytes(kept.info), performance.now());
    const job = runner.begin({ kind: 'compress', progress, isAsked });
    if (!job) return;
    await runner.inTurn(async () => {
      const engine = this.#needs.engine();
      if (!engine || job.signal.aborted) return;
      try {
        const codec = choice.codec === 'auto' ? 'auto' : chainByName(choice.codec);
        const compressed = await works
          .compressResident(engine.backend, held.loaded, { codec, options: choice }, job)
          .finally(() => engine.gpu.spare.free());
        if (job.signal.aborted) return;
        held.compressed = compressed;
        const shown = { compressed: { result: compressed.result, isAsked }, ...stateOnGpu(works, engine, held) };
        runner.send({ kind: 'compressed', ...shown });
        // What is kept compressed is kept as it is now.
        if (works.residencyOf(held.loaded.kept) === 'compressed') await this.#exchange(engine, held, 'compressed', undefined);
      } catch (error) {
        if (!job.signal.aborted) runner.send({ kind: 'compressFailed', fault: faultToData(error) });
      }
    });
  }

  /**
   * Keeps the open volume in GPU memory as voxels or compressed. What was not compressed yet is first, as `compress` does.
   * Resolves with whether it is kept so.
   */
  async setResidency(residency: Residency, choice: CodecChoice): Promise<boolean> {
    const { runner, works } = this.#needs;
    const held = this.#needs.held();
    if (!held) return false;
    if (residency === 'compressed' && !chunksOf(held)) {
      if (held.loaded.kept.decimation > 1) return false;
      await this.compress(choice, false);
    }
    const isKept = (): boolean => this.#needs.held() === held && works.residencyOf(held.loaded.kept) === residency;
    if (this.#needs.held() !== held || !chunksOf(held) || isKept()) return isKept();
    const progress = startProgress('Decompressing', volumeBytes(held.loaded.kept.info), performance.now());
    const job = runner.begin({ kind: 'exchange', progress });
    if (!job) {
      this.#needs.tell('The volume is being saved. Try again once it is');
      return false;
    }
    await runner.inTurn(async () => {
      const engine = this.#needs.engine();
      if (engine && !job.signal.aborted) await this.#exchange(engine, held, residency, job);
    });
    return isKept();
  }

  /**
   * Exchanges what is in GPU memory, from the compressed bytes, in its turn.
   * @param begun undefined: it is a job of its own, of which nothing is said
   */
  async #exchange(engine: Engine, held: HeldVolume, residency: Residency, begun: Running | undefined): Promise<void> {
    const { runner, works } = this.#needs;
    const job = begun ?? runner.begin({ kind: 'exchange', progress: undefined });
    if (!job) return;
    const { kept: before, chunkShape } = held.loaded;
    const source = { info: before.info, chunkShape, chunks: chunksOf(held) ?? [] };
    try {
      const statistics = await before.statistics();
      const kept = await works.keepAs(engine, residency, source, { ...job, verify: false, statistics });
      held.loaded = { ...held.loaded, kept };
      try {
        await engine.viewer.exchangeVolume(kept);
      } finally {
        before.destroy();
      }
      if (!job.signal.aborted) runner.send({ kind: 'exchanged', residency: stateOnGpu(works, engine, held).residency });
    } catch (error) {
      const isOver = job.signal.aborted || toStriaError(error).tag === 'device-lost';
      if (!isOver) runner.send({ kind: 'exchangeFailed', fault: faultToData(error) });
    }
  }

  /** Writes what was compressed where people say. */
  async save(): Promise<void> {
    const { runner, works } = this.#needs;
    const held = this.#needs.held();
    const compressed = held?.compressed;
    if (!held || !compressed) return;
    const sink = await this.#askWhere(held);
    if (!sink) return;
    const progress = startProgress('Saving', undefined, performance.now());
    const job = runner.begin({ kind: 'save', name: sink.name, progress });
    if (!job) return sink.abort().catch(() => undefined);
    try {
      const stopwatch = new Stopwatch(['Write', 'Save']);
      const write = () => works.writeContainer(sink, held.loaded, compressed.chunks, job);
      await stopwatch.time('Write', write, compressed.result.bytesOut);
      await stopwatch.time('Save', () => sink.close());
      if (!job.signal.aborted) runner.send({ kind: 'saved', saved: savedFile(sink, stopwatch.timeline()) });
    } catch (error) {
      await sink.abort().catch(() => undefined);
      if (!job.signal.aborted) runner.send({ kind: 'saveFailed', fault: faultToData(error) });
    }
  }

  /** A volume of which the GPU holds only a part is compressed from its file, straight into the saved one. */
  async #stream(held: HeldVolume, choice: CodecChoice): Promise<void> {
    const { runner, compressor } = this.#needs;
    const sink = await this.#askWhere(held);
    if (!sink) return;
    const job = runner.begin({ kind: 'stream', progress: startProgress('Reading', undefined, performance.now()) });
    if (!job) return sink.abort().catch(() => undefined);
    try {
      const report = await compressor.compress(held.request, sink, choice, job);
      const compressed = { result: streamedResult(report), isAsked: true };
      if (!job.signal.aborted) runner.send({ kind: 'streamed', compressed, saved: savedFile(sink, []) });
    } catch (error) {
      if (!job.signal.aborted) runner.send({ kind: 'compressFailed', fault: faultToData(error) });
    }
  }

  /** Undefined: people backed out, or have another volume open by now. */
  async #askWhere(held: HeldVolume): Promise<HostSink | undefined> {
    const { request, loaded } = held;
    const name = request.kind === 'file' ? request.file.name : loaded.source.parts.find((part) => part.hasVoxels)?.name;
    try {
      const sink = await this.#needs.host.saveAs(offeredName(name ?? 'volume'));
      if (!sink || this.#needs.held() === held) return sink;
      await sink.abort().catch(() => undefined);
    } catch (error) {
      if (this.#needs.held() === held) this.#needs.runner.send({ kind: 'saveFailed', fault: faultToData(error) });
    }
    return undefined;
  }
}

function savedFile({ name, folder, reveal }: HostSink, timeline: SavedFile['timeline']): SavedFile {
  return { name, folder, reveal, timeline };
}
