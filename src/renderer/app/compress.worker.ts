import { chainByName } from '../../core/codecs/registry.ts';
import type { Backend } from '../../core/engine/backend.ts';
import { type CompressReport, compressVolume } from '../../core/engine/compress.ts';
import { createCpuBackend } from '../../core/engine/cpu-backend.ts';
import { createGpuBackend } from '../../core/engine/gpu-backend.ts';
import { openSample } from '../../core/engine/samples/sample.ts';
import { type Gpu, openGpu } from '../../core/gpu/gpu.ts';
import { openVolume } from '../../core/io/open-volume.ts';
import { openStack } from '../../core/io/pictures/picture-stack.ts';
import type { OpenVolume } from '../../core/io/volume-reader.ts';
import { faultToData, inContext } from '../../core/shared/errors.ts';
import { sourceOf } from '../host/file-source.ts';
import type { CompressCommand, CompressMessage } from './compress-protocol.ts';
import type { LoadRequest } from './load-protocol.ts';
import { remoteSiblings, remoteSink } from './ports.ts';
import { throttleProgress } from './progress.ts';
import { createWebTaskPool } from './web-task-pool.ts';

// Compresses files from beginning to end, one after the other, beside the window: on a GPU device of its own where the
// adapter is hardware, else on the CPU's threads, which are faster than a GPU that is only software.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<CompressCommand>) => void;
  postMessage(message: CompressMessage): void;
};

const running = new Map<number, AbortController>();
let gpu: Gpu | undefined;
let backend: Backend | undefined;

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
    running.delete(job);
  }
};

async function compress(command: CompressCommand & { kind: 'compress' }, signal: AbortSignal): Promise<CompressReport> {
  const { job, choice } = command;
  const sink = remoteSink(command.sink);
  const onProgress = throttleProgress((progress) => scope.postMessage({ kind: 'progress', job, progress }));
  try {
    onProgress({ stage: 'Reading', done: 0, total: undefined });
    const volume = await open(command.request, signal);
    const codec = choice.codec === 'auto' ? 'auto' : chainByName(choice.codec);
    const settings = { backend: await openBackend(), choice: { codec, options: choice } } as const;
    return await compressVolume(volume, sink, settings, { signal, onProgress });
  } catch (error) {
    await sink.abort().catch(() => undefined);
    throw error;
  }
}

async function open(request: LoadRequest, signal: AbortSignal): Promise<OpenVolume> {
  if (request.kind === 'sample') {
    const { kind, side } = request.sample;
    return openSample({ kind, dims: [side, side, side], type: 'u8', seed: 1 });
  }
  if (request.pictures) return openStack(request.pictures.map(sourceOf), { signal });
  const source = sourceOf(request.handle);
  try {
    return await openVolume(source, { siblings: remoteSiblings(request.siblings), raw: request.raw, signal });
  } catch (error) {
    throw inContext(source.name, error);
  }
}

async function openBackend(): Promise<Backend> {
  if (backend && !gpu?.isLost) return backend;
  gpu = await openGpu(navigator.gpu).catch(() => undefined);
  if (gpu?.isSoftware) {
    gpu.destroy();
    gpu = undefined;
  }
  backend = gpu ? createGpuBackend(gpu) : createCpuBackend(createWebTaskPool());
  return backend;
}
