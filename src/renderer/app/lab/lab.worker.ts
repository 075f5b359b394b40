import { createCrew } from '../../../core/bench/crew.ts';
import type { CrewThread } from '../../../core/bench/crew-messages.ts';
import type { BenchHost } from '../../../core/bench/harness/context.ts';
import { runGpuSuite } from '../../../core/bench/run.ts';
import { tuneGpu } from '../../../core/bench/tune.ts';
import { type Gpu, openGpu } from '../../../core/gpu/gpu.ts';
import { faultToData, StriaError } from '../../../core/shared/errors.ts';
import { applyTuning } from '../state/gpu-tuning.ts';
import type { LabCommand, LabMessage } from './lab-protocol.ts';

// Runs a benchmark suite on its own GPU device, so that the window keeps drawing and all GPU memory is freed afterwards.

type LabEnd = LabMessage & { readonly kind: 'done' | 'tuned' | 'fault' };

const scope = self as unknown as {
  onmessage: (event: MessageEvent<LabCommand>) => void;
  postMessage(message: LabMessage): void;
};

/** The resolution of clocks in a page, including GPU timestamps, in milliseconds. */
const clockStepMs = 0.1;

const controller = new AbortController();
const host: BenchHost = {
  openCrew: async () => createCrew(Array.from({ length: navigator.hardwareConcurrency }, startThread)),
};

scope.onmessage = ({ data }) => {
  if (data.kind === 'cancel') controller.abort();
  else void run(data);
};

async function run(command: LabCommand & { kind: 'run' | 'tune' }): Promise<void> {
  let end: LabEnd;
  let gpuBytes = 0;
  try {
    const gpu = await openGpu(navigator.gpu);
    try {
      scope.postMessage({ kind: 'device', name: gpu.name, software: gpu.isSoftware });
      end = command.kind === 'tune' ? await tune(gpu) : await runSuite(gpu, command);
    } finally {
      gpuBytes = gpu.memory.liveBytes();
      gpu.destroy();
    }
  } catch (error) {
    end = { kind: 'fault', fault: faultToData(error), gpuBytes: 0 };
  }
  scope.postMessage({ ...end, gpuBytes });
}

async function runSuite(gpu: Gpu, { suite, request, runner, tunings }: LabCommand & { kind: 'run' }): Promise<LabEnd> {
  applyTuning(tunings, gpu);
  const result = await runGpuSuite(suite, gpu, host, runner, request, {
    signal: controller.signal,
    onProgress: ({ stage }) => scope.postMessage({ kind: 'stage', stage, gpuBytes: gpu.memory.liveBytes() }),
    onCase: (found) => scope.postMessage({ kind: 'case', found }),
  });
  return { kind: 'done', result, gpuBytes: 0 };
}

async function tune(gpu: Gpu): Promise<LabEnd> {
  const report = await tuneGpu(gpu, {
    clockStepMs,
    signal: controller.signal,
    onProgress: ({ stage }) => scope.postMessage({ kind: 'stage', stage, gpuBytes: gpu.memory.liveBytes() }),
    onChoice: (found) => scope.postMessage({ kind: 'choice', found }),
  });
  return { kind: 'tuned', report, gpuBytes: 0 };
}

function startThread(): CrewThread {
  const worker = new Worker(new URL('./lab-crew.worker.ts', import.meta.url), { type: 'module', name: 'stria-lab-crew' });
  return {
    ask: (message, transfer) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }: MessageEvent<number>) => resolve(data);
        worker.onerror = (event) => reject(new StriaError('internal', `a CPU thread ended: ${event.message}`));
        worker.postMessage(message, transfer);
      }),
    end: async () => worker.terminate(),
  };
}
