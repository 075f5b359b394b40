import { checkBenchResult } from '../../../core/bench/check-result.ts';
import { toCsv } from '../../../core/bench/csv.ts';
import { type BenchCase, type BenchRequest, benchSchema, defaultRepetitions } from '../../../core/bench/harness/result.ts';
import type { BenchRunner } from '../../../core/bench/run.ts';
import type { TuningReport } from '../../../core/bench/tune.ts';
import { codecs } from '../../../core/codecs/registry.ts';
import { toStriaError } from '../../../core/shared/errors.ts';
import type { ShellInfo } from '../../../core/shared/ipc.ts';
import type { LabRun, LabState } from '../state/lab-state.ts';
import type { AppStore } from '../state/store.ts';
import type { LabCommand, LabMessage } from './lab-protocol.ts';

/** The state changes at most at this interval, however fast cases arrive. */
const showEveryMs = 200;
/** A worker that does not stop this long after a cancel is terminated. */
const graceMs = 3000;

/** Runs benchmark suites in a worker with its own GPU device, one at a time. */
export class Lab {
  readonly #store: AppStore;
  readonly #onTuned: (report: TuningReport) => void;
  #worker: Worker | undefined;
  /** Ends the current worker's run. */
  #end: (run: LabRun) => void = () => undefined;
  #stop = () => {};

  /** @param onTuned stores the result of tuning */
  constructor(store: AppStore, onTuned: (report: TuningReport) => void) {
    this.#store = store;
    this.#onTuned = onTuned;
  }

  choose(choice: Partial<Pick<LabState, 'suite' | 'size' | 'codec'>>): void {
    this.#set(choice);
    if (choice.suite === 'files') void this.#loadFiles();
  }

  /** Loads the results that are bundled with the app. */
  async #loadFiles(): Promise<void> {
    if (this.#store.getState().lab.files) return;
    try {
      const h100 = await import('../../../../bench/results/2026-11-26-h100-files-512.json');
      const h200 = await import('../../../../bench/results/2026-11-23-h200-files.json');
      const epyc = await import('../../../../bench/results/2026-11-23-epyc-files.json');
      this.#set({ files: [h100, h200, epyc].map((result) => checkBenchResult(result.default)) });
    } catch (error) {
      this.#store.setState({ notice: toStriaError(error).message });
    }
  }

  run(): void {
    const { suite, size, codec } = this.#store.getState().lab;
    if (suite === 'files') return;
    this.#stop();
    this.#set({
      measured: { suite, size },
      run: { kind: 'running', stage: 'Opening the GPU', startedAt: performance.now(), gpuBytes: 0 },
      cases: [],
      choices: [],
      device: undefined,
    });
    const worker = new Worker(new URL('./lab.worker.ts', import.meta.url), { type: 'module', name: 'stria-lab' });
    this.#worker = worker;
    this.#listen(worker);
    if (suite === 'tune') {
      worker.postMessage({ kind: 'tune' } satisfies LabCommand);
      return;
    }
    const names = ['auto', ...codecs.map(({ name }) => name)].filter((name) => codec === 'all' || name === codec);
    const request: BenchRequest = {
      suite,
      size,
      type: 'u8',
      codecs: names,
      repetitions: defaultRepetitions,
    };
    const { shell, settings } = this.#store.getState();
    const { tunings } = settings;
    const command: LabCommand = { kind: 'run', suite, request, runner: runnerOf(shell), tunings };
    worker.postMessage(command);
  }

  /** Changes the state at once. The worker waits for the GPU, frees its memory, and stops. */
  cancel(): void {
    const worker = this.#worker;
    if (!worker || this.#store.getState().lab.run.kind !== 'running') return;
    this.#set({ run: { kind: 'cancelled', gpuBytes: undefined } });
    worker.postMessage({ kind: 'cancel' } satisfies LabCommand);
    // The memory of a worker's device is freed with the worker.
    const end = this.#end;
    setTimeout(() => end({ kind: 'cancelled', gpuBytes: 0 }), graceMs);
  }

  #listen(worker: Worker): void {
    let found: BenchCase[] = [];
    let stage: { readonly stage: string; readonly gpuBytes: number } | undefined;
    const show = (): void => {
      const { lab } = this.#store.getState();
      const run = stage && lab.run.kind === 'running' ? { ...lab.run, ...stage } : lab.run;
      this.#set({ run, cases: found.length > 0 ? [...lab.cases, ...found] : lab.cases });
      found = [];
    };
    const timer = setInterval(() => {
      if (this.#worker === worker && (found.length > 0 || stage)) show();
    }, showEveryMs);
    const stop = (): void => {
      clearInterval(timer);
      worker.terminate();
    };
    const end = (run: LabRun): void => {
      stop();
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      show();
      this.#set({ run });
    };
    this.#stop = stop;
    this.#end = end;
    worker.onmessage = ({ data }: MessageEvent<LabMessage>) => {
      if (data.kind === 'device') this.#set({ device: { name: data.name, software: data.software } });
      else if (data.kind === 'case') found.push(data.found);
      else if (data.kind === 'choice') this.#set({ choices: [...this.#store.getState().lab.choices, data.found] });
      else if (data.kind === 'stage') stage = { stage: data.stage, gpuBytes: data.gpuBytes };
      else if (data.kind === 'done') end({ kind: 'done', result: data.result, gpuBytes: data.gpuBytes });
      else if (data.kind === 'tuned') {
        const isWanted = this.#worker === worker && this.#store.getState().lab.run.kind === 'running';
        if (isWanted) this.#onTuned(data.report);
        end(
          isWanted
            ? { kind: 'tuned', report: data.report, gpuBytes: data.gpuBytes }
            : { kind: 'cancelled', gpuBytes: data.gpuBytes },
        );
      } else if (data.fault.tag === 'aborted') end({ kind: 'cancelled', gpuBytes: data.gpuBytes });
      else end({ kind: 'failed', fault: data.fault });
    };
    worker.onerror = (event) => {
      const { tag, message, context } = toStriaError(new Error(`the Lab's thread ended: ${event.message}`));
      end({ kind: 'failed', fault: { tag, message, context } });
    };
  }

  #set(change: Partial<LabState>): void {
    this.#store.setState(({ lab }) => ({ lab: { ...lab, ...change } }));
  }
}

function runnerOf(shell: ShellInfo | undefined): BenchRunner {
  return {
    stria: shell?.stria ?? 'unknown',
    cpu: 'not reported by the browser',
    threads: Math.max(1, navigator.hardwareConcurrency),
    platform: shell?.platform ?? 'unknown',
    runtime: `Chromium ${shell?.chromium ?? 'unknown'}`,
  };
}

export type LabFileKind = 'json' | 'csv' | 'png';

/** Name and content of a saved run: the whole result if it finished, else the cases so far. */
export function labFiles(lab: LabState, kind: LabFileKind): { readonly name: string; readonly text: string } {
  if (lab.run.kind === 'tuned') return { name: 'stria-tuning.json', text: `${JSON.stringify(lab.run.report, null, 1)}\n` };
  const { suite, size } = lab.measured ?? lab;
  const name = `stria-${suite}-${size}.${kind}`;
  if (kind === 'png') return { name, text: '' };
  if (kind === 'csv') return { name, text: toCsv(lab.cases) };
  const { run, device, cases } = lab;
  const whole = run.kind === 'done' ? run.result : { schema: benchSchema, incomplete: true, suite, size, device, cases };
  return { name, text: `${JSON.stringify(whole, null, 1)}\n` };
}
