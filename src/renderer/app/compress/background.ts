import type { ByteSink } from '../../../core/shared/bytes.ts';
import { faultFromData, StriaError } from '../../../core/shared/errors.ts';
import type { JobOptions } from '../../../core/shared/job.ts';
import type { CompressReport } from '../../../core/stream/compress/compress-contract.ts';
import { portsOf } from '../loading/load-protocol.ts';
import { type OpenRequest, toPosted } from '../loading/load-resident.ts';
import { serveSink } from '../loading/ports.ts';
import type { KeptTunings } from '../state/gpu-tuning.ts';
import type { CodecChoice, CompressedKind, CompressMessage, CompressOrder } from './compress-protocol.ts';

interface Waiting {
  readonly sink: ByteSink;
  readonly resolve: (report: CompressReport) => void;
  readonly reject: (error: StriaError) => void;
  readonly onProgress: JobOptions['onProgress'];
}

/** Compresses files in a separate worker, from the file straight into a sink. The worker starts with the first job. */
export class BackgroundCompressor {
  #worker: Worker | undefined;
  #nextJob = 1;
  readonly #waiting = new Map<number, Waiting>();
  readonly #tunings: () => KeptTunings;

  /** @param tunings read when a job starts */
  constructor(tunings: () => KeptTunings) {
    this.#tunings = tunings;
  }

  /**
   * The sink is closed when everything is written, and aborted otherwise.
   * @param device default: a hardware GPU if there is one
   * @throws StriaError of file, engine or sink; `aborted`, `device-lost`
   */
  async compress(
    request: OpenRequest,
    sink: ByteSink,
    choice: CodecChoice,
    { signal, onProgress }: JobOptions,
    makes: CompressedKind = 'stria',
    device?: 'cpu',
  ): Promise<CompressReport> {
    if (signal?.aborted) {
      await sink.abort().catch(() => undefined);
      throw new StriaError('aborted', 'cancelled');
    }
    const job = this.#nextJob++;
    return new Promise<CompressReport>((resolve, reject) => {
      signal?.addEventListener('abort', () => this.#post({ kind: 'cancel', job }), { once: true });
      this.#waiting.set(job, { sink, resolve, reject, onProgress });
      const posted = toPosted(request);
      const port = serveSink(sink);
      this.#post({ kind: 'compress', job, request: posted, makes, sink: port, choice, device, tunings: this.#tunings() }, [
        port,
        ...portsOf(posted),
      ]);
    });
  }

  #post(command: CompressOrder, transfer: Transferable[] = []): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(command, transfer);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./compress.worker.ts', import.meta.url), { type: 'module', name: 'stria-compress' });
    worker.onmessage = ({ data }: MessageEvent<CompressMessage>) => {
      const waiting = this.#waiting.get(data.job);
      if (data.kind === 'progress') {
        waiting?.onProgress?.(data.progress);
        return;
      }
      this.#waiting.delete(data.job);
      if (data.kind === 'done') waiting?.resolve(data.report);
      else waiting?.reject(faultFromData(data.fault));
    };
    worker.onerror = (event) => {
      const fault = new StriaError('internal', `the compressing thread ended: ${event.message}`);
      for (const { sink, reject } of this.#waiting.values()) {
        // The worker would have aborted it.
        void sink.abort().catch(() => undefined);
        reject(fault);
      }
      this.#waiting.clear();
      worker.terminate();
      this.#worker = undefined;
    };
    return worker;
  }
}
