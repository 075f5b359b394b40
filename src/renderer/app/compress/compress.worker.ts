import type { Backend } from '../../../core/chunks/backend.ts';
import { choiceByName } from '../../../core/codecs/registry.ts';
import { createCpuBackend } from '../../../core/cpu/cpu-backend.ts';
import { type Gpu, openGpu } from '../../../core/gpu/gpu.ts';
import { createGpuBackend } from '../../../core/gpu-chunks/gpu-backend.ts';
import { faultToData, inContext } from '../../../core/shared/errors.ts';
import { compressVolume } from '../../../core/stream/compress/compress.ts';
import type { CompressReport } from '../../../core/stream/compress/compress-contract.ts';
import { makeLevels } from '../../../core/stream/made-levels/make-levels.ts';
import { closeSource, sourceOf } from '../../host/file-source.ts';
import { openRequested } from '../loading/open-request.ts';
import { remoteSink } from '../loading/ports.ts';
import { applyTuning, type KeptTunings } from '../state/gpu-tuning.ts';
import { throttleProgress } from '../state/progress.ts';
import { createWebTaskPool } from '../threads/web-task-pool.ts';
import type { CompressMessage, CompressOrder } from './compress-protocol.ts';

// Compresses whole files one after the other, without blocking the window: on its own GPU device if the adapter is hardware,
// else on CPU threads, which are faster than a software GPU.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<CompressOrder>) => void;
  postMessage(message: CompressMessage): void;
};

const running = new Map<number, AbortController>();
let gpu: Gpu | undefined;
let backend: Promise<Backend> | undefined;

scope.onmessage = async ({ data }) => {
  if (data.kind === 'cancel') {
    running.get(data.job)?.abort();
    return;
  }
  const { job } = data;
  const controller = new AbortController();
  running.set(job, controller);
  try {
    const report = await compress(data, controller.signal);
    scope.postMessage({ kind: 'done', job, report });
  } catch (error) {
    scope.postMessage({ kind: 'fault', job, fault: faultToData(error) });
  } finally {
    if (data.request.kind === 'file') closeSource(data.request.handle);
    running.delete(job);
    if (running.size === 0) gpu?.spare.free();
  }
};

async function compress(command: CompressOrder & { kind: 'compress' }, signal: AbortSignal): Promise<CompressReport> {
  const { job, choice } = command;
  const sink = remoteSink(command.sink);
  const onProgress = throttleProgress((progress) => scope.postMessage({ kind: 'progress', job, progress }));
  const cpu = command.device === 'cpu' ? createCpuBackend(createWebTaskPool()) : undefined;
  try {
    onProgress({ stage: 'Reading', done: 0, total: undefined });
    const { request } = command;
    const name = request.kind === 'file' && !request.pictures ? request.handle.name : undefined;
    const volume = await openRequested(request, signal).catch((error: unknown) => {
      throw name === undefined ? error : inContext(name, error);
    });
    const codec = choiceByName(choice.codec);
    const settings = { backend: cpu ?? (await openBackend(command.tunings)), choice: { codec, options: choice } } as const;
    if (command.makes === 'levels' && request.kind === 'file') {
      return await makeLevels(volume, sourceOf(request.handle), sink, settings, { signal, onProgress });
    }
    return await compressVolume(volume, sink, settings, { signal, onProgress });
  } catch (error) {
    await sink.abort().catch(() => undefined);
    throw error;
  } finally {
    await cpu?.destroy();
  }
}

async function openBackend(tunings: KeptTunings): Promise<Backend> {
  // Jobs that begin at the same time share it: nobody would free a second device.
  if (!backend || gpu?.isLost) backend = newBackend();
  const opened = await backend;
  if (gpu) applyTuning(tunings, gpu);
  return opened;
}

async function newBackend(): Promise<Backend> {
  gpu = undefined;
  const opened = await openGpu(navigator.gpu).catch(() => undefined);
  if (opened?.isSoftware) opened.destroy();
  else gpu = opened;
  return gpu ? createGpuBackend(gpu) : createCpuBackend(createWebTaskPool());
}
