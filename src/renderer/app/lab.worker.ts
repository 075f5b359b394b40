import type { BenchHost } from '../../core/bench/context.ts';
import { createCrew } from '../../core/bench/crew.ts';
import type { CrewThread } from '../../core/bench/crew-messages.ts';
import { runGpuSuite } from '../../core/bench/run.ts';
import { openGpu } from '../../core/gpu/gpu.ts';
import { faultToData, StriaError } from '../../core/shared/errors.ts';
import type { LabCommand, LabMessage } from './lab-protocol.ts';

// Runs a suite of the bench on a GPU device of its own, so that the window's view goes on, and nothing is left behind.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<LabCommand>) => void;
  postMessage(message: LabMessage): void;
};

const controller = new AbortController();
const host: BenchHost = {
  openCrew: async () => createCrew(Array.from({ length: navigator.hardwareConcurrency }, startThread)),
};

scope.onmessage = ({ data }) => {
  if (data.kind === 'cancel') controller.abort();
  else void run(data);
};

async function run({ suite, request, runner }: LabCommand & { kind: 'run' }): Promise<void> {
  let end: LabMessage;
  let gpuBytes = 0;
  try {
    const gpu = await openGpu(navigator.gpu);
    try {
      scope.postMessage({ kind: 'device', name: gpu.name, software: gpu.isSoftware });
      const result = await runGpuSuite(suite, gpu, host, runner, request, {
        signal: controller.signal,
        onProgress: ({ stage }) => scope.postMessage({ kind: 'stage', stage, gpuBytes: gpu.memory.liveBytes() }),
        onCase: (found) => scope.postMessage({ kind: 'case', found }),
      });
      end = { kind: 'done', result, gpuBytes: 0 };
    } finally {
      gpuBytes = gpu.memory.liveBytes();
      gpu.destroy();
    }
  } catch (error) {
    end = { kind: 'fault', fault: faultToData(error), gpuBytes: 0 };
  }
  scope.postMessage({ ...end, gpuBytes });
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
