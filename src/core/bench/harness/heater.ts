import copyShader from '../../../shaders/bench/copy.wgsl';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';

/** Records a copy of the whole buffer `from` to `to` as a kernel: the reference for any pass over the same bytes. */
export function recordCopy(gpu: Gpu, commands: Commands, from: GPUBuffer, to: GPUBuffer): Commands {
  const kernel = gpu.kernel({ label: 'bench.copy', shader: copyShader });
  const workgroups = Math.min(gpu.device.limits.maxComputeWorkgroupsPerDimension, Math.max(1, Math.ceil(from.size / 16 / 256)));
  return commands.dispatch(kernel, [from, to], [workgroups, 1, 1]);
}

/**
 * Keeps a GPU busy. An idle GPU lowers its clocks within milliseconds and takes a large part of a second to raise them again:
 * an H200 that paused between repetitions ran at a fifth of its speed. The copied buffers fill every cache, so the next
 * measurement finds none of its data there.
 */
export interface Heater {
  /** Copies until the clocks are up: for twice as long as the GPU was idle, at most half a second; not at all on a software GPU. */
  raiseClocks(): Promise<void>;
  /** Runs some copies before a measurement. When it resolves, the GPU has only just become idle. */
  keepBusy(): Promise<void>;
}

const raiseMs = 500;
/** The clocks of a GPU are still up if it has been idle for less than this. */
const idleMs = 20;
/** The size of each of the two buffers. Together they fill the largest caches, which on data-centre GPUs have 50 to 256 MiB. */
const heatBytes = 2 ** 27;
const mostCopies = 16;
/** The time limit of the copies before a repetition. */
const busyMs = 2;

/** @param most size in bytes of each of the heater's two buffers, which are smaller if the GPU's limits require it */
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
