import { choiceByName } from '../../../core/codecs/registry.ts';
import { faultToData, StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import { volumeBytes } from '../../../core/shared/volume.ts';
import { mostFileBytes } from '../../../core/stream/levels/level-choice.ts';
import { Stopwatch } from '../../../core/stream/stage-times.ts';
import type { Host, HostSink } from '../../host/host.ts';
import type { BackgroundCompressor } from '../compress/background.ts';
import type { CodecChoice } from '../compress/compress-protocol.ts';
import type { Compressed } from '../compress/compress-resident.ts';
import { onNextDevice } from '../compress/next-device.ts';
import type { Engine } from '../gpu/gpu-life.ts';
import { offeredName } from '../loading/datasets.ts';
import type { SavedFile } from '../state/document-state.ts';
import { startProgress } from '../state/progress.ts';
import type { Residency } from '../state/residency-state.ts';
import { streamedResult } from '../state/result.ts';
import { formatBytes } from '../words/units.ts';
import type { DocumentRunner, Running } from './document-runner.ts';
import { chunkMapOf, chunksOf, type DocumentWorks, type HeldVolume, outlinesOf, stateOnGpu } from './document-works.ts';

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

/** Jobs on the open volume: compressing, saving, and changing how it is kept in GPU memory. */
export class DocumentJobs {
  readonly #needs: JobNeeds;

  constructor(needs: JobNeeds) {
    this.#needs = needs;
  }

  /** @param isAsked true if the user started it, false if another action needs it */
  async compress(choice: CodecChoice, isAsked = true): Promise<void> {
    const { runner, works } = this.#needs;
    const held = this.#needs.held();
    if (!held) return;
    const start = performance.now();
    const { kept } = held.loaded;
    if (kept.decimation > 1) return this.#stream(held, choice);
    const progress = startProgress('Compressing', volumeBytes(kept.info), performance.now());
    const job = runner.begin({ kind: 'compress', progress, isAsked });
    if (!job) return;
    await runner.inTurn(async () => {
      const engine = this.#needs.engine();
      if (!engine || job.signal.aborted) return;
      try {
        const codec = choiceByName(choice.codec);
        const compressed = await works.compressResident(engine, held.loaded, { codec, options: choice }, job);
        if (job.signal.aborted) {
          compressed.payloads.release();
          return;
        }
        const earlier = held.compressed;
        held.compressed = compressed;
        const ms = performance.now() - start;
        const shown = { compressed: { result: compressed.result, isAsked, ms }, ...stateOnGpu(works, engine, held) };
        runner.send({ kind: 'compressed', ...shown });
        const reading = this.#readBack(held, compressed, start, earlier);
        // A volume kept compressed is replaced by the new result.
        if (works.residencyOf(held.loaded.kept) === 'compressed') await this.#exchange(engine, held, 'compressed', undefined);
        await reading;
      } catch (error) {
        if (!job.signal.aborted) runner.send({ kind: 'compressFailed', fault: faultToData(error) });
      } finally {
        works.trimSpare(engine);
      }
    });
  }

  /**
   * Reads the payloads of a result back to host memory. The result is lost if that fails, as with the device.
   * @param earlier the result before it, which is in host memory and then counts again
   */
  async #readBack(held: HeldVolume, compressed: Compressed, start: number, earlier: Compressed | undefined): Promise<void> {
    const { runner, works } = this.#needs;
    const isShown = () => this.#needs.held() === held && held.compressed === compressed;
    try {
      const { payloads, startMs } = compressed;
      const [from, bytes] = [performance.now(), payloads.bytesInGpu];
      await payloads.inHost();
      const end = performance.now();
      const span = { stage: 'Read back', startMs: from - startMs, endMs: end - startMs, bytes };
      if (isShown()) runner.send({ kind: 'readBack', readBack: { ms: end - start, span } });
    } catch (error) {
      if (!isShown()) return;
      held.compressed = earlier;
      const left = outlinesOf(held);
      const fault = faultToData(error);
      const [chunks, asFile, isEarlierLeft] = [chunkMapOf(held, left), works.asFile(left?.chunks), earlier !== undefined];
      runner.send({ kind: 'resultLost', fault, chunks, asFile, isEarlierLeft });
    }
  }

  /**
   * Keeps the open volume in GPU memory as voxels or compressed. If it is not compressed yet, it is compressed first, as by
   * `compress`. Resolves with whether that succeeded.
   */
  async setResidency(residency: Residency, choice: CodecChoice): Promise<boolean> {
    const { runner, works } = this.#needs;
    const held = this.#needs.held();
    if (!held) return false;
    if (residency === 'compressed' && !outlinesOf(held)) {
      if (held.loaded.kept.decimation > 1) return false;
      await this.compress(choice, false);
    }
    const isKept = (): boolean => this.#needs.held() === held && works.residencyOf(held.loaded.kept) === residency;
    if (this.#needs.held() !== held || !outlinesOf(held) || isKept()) return isKept();
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
   * Replaces the contents of GPU memory, using the compressed bytes. Call it only within `DocumentRunner.inTurn`.
   * @param begun the job that it belongs to; undefined if it is a job of its own, without progress
   */
  async #exchange(engine: Engine, held: HeldVolume, residency: Residency, begun: Running | undefined): Promise<void> {
    const { runner, works } = this.#needs;
    const job = begun ?? runner.begin({ kind: 'exchange', progress: undefined });
    if (!job) return;
    const { kept: before } = held.loaded;
    try {
      const cut = await chunksOf(held);
      if (!cut) {
        // They were lost while this waited for its turn.
        const message = 'The compressed volume was lost before it was in host memory. Compress again';
        if (!job.signal.aborted) runner.send({ kind: 'exchangeFailed', fault: { tag: 'device-lost', message, context: [] } });
        return;
      }
      const source = { info: before.info, ...cut };
      const statistics = await before.statistics();
      const kept = await works.keepAs(engine, residency, source, { ...job, verify: false, statistics });
      held.loaded = { ...held.loaded, kept };
      try {
        await engine.viewer.exchangeVolume(kept);
      } finally {
        before.destroy();
        // The volume is exchanged even if the job was cancelled or the 3D view has no memory for it.
        if (this.#needs.held() === held) runner.showResidency(stateOnGpu(works, engine, held).residency);
      }
      if (!job.signal.aborted) runner.send({ kind: 'exchanged', residency: stateOnGpu(works, engine, held).residency });
    } catch (error) {
      const isOver = job.signal.aborted || toStriaError(error).tag === 'device-lost';
      if (!isOver) runner.send({ kind: 'exchangeFailed', fault: faultToData(error) });
    }
  }

  /** Writes the compressed volume to a file that the user chooses. */
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
      checkRoom(sink, compressed.result.bytesOut);
      const stopwatch = new Stopwatch(['Write', 'Save']);
      const { chunkShape, choice, payloads } = compressed;
      const cut = { chunkShape, choice, chunks: await payloads.inHost() };
      throwIfAborted(job.signal);
      const write = () => works.saveContainer(sink, held.loaded, cut, this.#needs.engine()?.backend, job);
      await stopwatch.time('Write', write, compressed.result.bytesOut);
      await stopwatch.time('Save', () => sink.close());
      if (!job.signal.aborted) runner.send({ kind: 'saved', saved: savedFile(sink, stopwatch.timeline()) });
    } catch (error) {
      await sink.abort().catch(() => undefined);
      if (!job.signal.aborted) runner.send({ kind: 'saveFailed', fault: faultToData(error) });
    }
  }

  /** Compresses a volume that is only partly in GPU memory, straight from its file into the saved one. */
  async #stream(held: HeldVolume, choice: CodecChoice): Promise<void> {
    const { runner, compressor } = this.#needs;
    const sink = await this.#askWhere(held);
    if (!sink) return;
    const job = runner.begin({ kind: 'stream', progress: startProgress('Reading', undefined, performance.now()) });
    if (!job) return sink.abort().catch(() => undefined);
    const low = lowSpace(sink, mostFileBytes(held.loaded.kept.info, undefined));
    if (low !== undefined) this.#needs.tell(low);
    // The sink is not given up between two tries, because the user would have to choose its name again.
    const kept = { ...sink, abort: async () => {} };
    try {
      const report = await onNextDevice(async (device, isAgain) => {
        if (isAgain) await sink.restart();
        return compressor.compress(held.request, kept, choice, job, 'stria', device);
      }, job.signal);
      const compressed = { result: streamedResult(report), isAsked: true };
      if (!job.signal.aborted) runner.send({ kind: 'streamed', compressed, saved: savedFile(sink, []) });
    } catch (error) {
      await sink.abort().catch(() => undefined);
      if (!job.signal.aborted) runner.send({ kind: 'compressFailed', fault: faultToData(error) });
    }
  }

  /** Undefined if the user cancelled, or has opened another volume meanwhile. */
  async #askWhere(held: HeldVolume): Promise<HostSink | undefined> {
    const { request, loaded } = held;
    const name = request.kind === 'file' ? request.file.name : loaded.source.parts.find((part) => part.hasVoxels)?.name;
    const dataset = request.kind === 'file' ? request.dataset : undefined;
    try {
      const sink = await this.#needs.host.saveAs(offeredName(name ?? 'volume', dataset));
      if (!sink || this.#needs.held() === held) return sink;
      await sink.abort().catch(() => undefined);
    } catch (error) {
      if (this.#needs.held() === held) this.#needs.runner.send({ kind: 'saveFailed', fault: faultToData(error) });
    }
    return undefined;
  }
}

/** @throws StriaError `not-writable` if the disk cannot hold what will be written */
function checkRoom({ name, freeBytes }: HostSink, byteLength: number): void {
  if (freeBytes === undefined || byteLength <= freeBytes) return;
  const message = `'${name}' needs ${formatBytes(byteLength)}, and its disk has ${formatBytes(freeBytes)} free`;
  throw new StriaError('not-writable', message);
}

/** A warning before a file of unknown size is written, if the disk has too little space for incompressible voxels. */
function lowSpace({ freeBytes }: HostSink, mostBytes: number): string | undefined {
  if (freeBytes === undefined || mostBytes <= freeBytes) return undefined;
  const full = formatBytes(mostBytes);
  return `Low disk space: ${formatBytes(freeBytes)} free, and the volume takes ${full} if it does not compress`;
}

function savedFile({ name, folder, reveal }: HostSink, timeline: SavedFile['timeline']): SavedFile {
  return { name, folder, reveal, timeline };
}
