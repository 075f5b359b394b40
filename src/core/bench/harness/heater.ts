import copyShader from '../../../shaders/bench/copy.wgsl';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';

/** Records a copy of all of `from` to `to`, as a kernel: what any pass over the same bytes is compared with. */
export function recordCopy(gpu: Gpu, commands: Commands, from: GPUBuffer, to: GPUBuffer): Commands {
  const kernel = gpu.kernel({ label: 'bench.copy', shader: copyShader });
  const workgroups = Math.min(gpu.device.limits.maxComputeWorkgroupsPerDimension, Math.max(1, Math.ceil(from.size / 16 / 256)));
  return commands.dispatch(kernel, [from, to], [workgroups, 1, 1]);
}

/**
 * Keeps a GPU at work. One that idles lowers its clocks within milliseconds and takes a good part of a second to raise them
 * again: an H200 that pauses between repetitions was seen at a fifth of its speed. Its copies are larger than any cache, so
 * what is measured next finds nothing of its data there.
 */
export interface Heater {
  /** Copies until the clocks are up: twice as long as the GPU has idled, half a second at most; nothing on a software one. */
  raiseClocks(): Promise<void>;
  /** Makes some copies in front of what is measured next. When it resolves the GPU is idle, and has been for no time. */
  keepBusy(): Promise<void>;
}

const raiseMs = 500;
/** A GPU that was busy so short a time ago still has its clocks up. */
const idleMs = 20;
/** Of each of the two buffers. The largest caches, of data-centre GPUs, hold 50 to 256 MiB of both. */
const heatBytes = 2 ** 27;
const mostCopies = 16;
/** What the copies in front of a repetition may take. */
const busyMs = 2;

/** @param most bytes of each of its two buffers, where the GPU allows as much */
export function createHeater(gpu: Gpu, scope: GpuScope, most = heatBytes): Heater {
  if (gpu.isSoftware) return { raiseClocks: async () => undefined, keepBusy: async () => undefined };
  const bytes = Math.min(most, gpu.maxBindingBytes);
  const [source, scratch] = [scope.storage('heat.source', bytes), scope.storage('heat.scratch', bytes)];
  let copiesAtOnce = 1;
  let busyAt = Number.NEGATIVE_INFINITY;
  const copies = (): Commands => {
    const commands = gpu.commands('heat').stage('copies');
    for (let copy = 0; copy < copiesAtOnce; copy++) recordCopy(gpu, commands, source, scratch);
    return commands;
  };
  return {
    async raiseClocks() {
      const start = performance.now();
      const restedMs = start - busyAt;
      if (restedMs < idleMs) return;
      const end = start + Math.min(raiseMs, 2 * restedMs);
      let fastestMs = Number.POSITIVE_INFINITY;
      while (performance.now() < end) {
        const { wallMs } = await copies().submit();
        fastestMs = Math.min(fastestMs, wallMs / copiesAtOnce);
        copiesAtOnce = Math.max(1, Math.min(mostCopies, Math.floor(busyMs / fastestMs)));
        busyAt = performance.now();
      }
    },
    async keepBusy() {
      await copies().submit();
      busyAt = performance.now();
    },
  };
}
