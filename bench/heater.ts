import type { Commands } from '../src/core/gpu/commands.ts';
import type { Gpu } from '../src/core/gpu/gpu.ts';
import copyCode from '../src/shaders/bench/copy.wgsl?raw';

/** Records a copy of all of `from` to `to`, as a kernel: what any pass over the same bytes is compared with. */
export function recordCopy(gpu: Gpu, commands: Commands, from: GPUBuffer, to: GPUBuffer): Commands {
  const kernel = gpu.kernel({ label: 'bench.copy', code: copyCode });
  const workgroups = Math.min(gpu.device.limits.maxComputeWorkgroupsPerDimension, Math.ceil(from.size / 16 / 256));
  return commands.dispatch(kernel, [from, to], [workgroups, 1, 1]);
}

/**
 * Keeps a GPU at work. One that idles lowers its clocks within milliseconds and takes a good part of a second to raise them
 * again: an H200 that pauses between repetitions was seen at a fifth of its speed.
 */
export interface Heater {
  /** Copies until the clocks are up: half a second on a hardware GPU, nothing on a software one. */
  raiseClocks(): Promise<void>;
  /** Queues some copies in front of what is measured next, and does not wait for them. */
  keepBusy(): void;
}

const raiseMs = 500;
const copiesAtOnce = 16;

export function createHeater(gpu: Gpu, source: GPUBuffer, scratch: GPUBuffer): Heater {
  const copies = (): Commands => {
    const commands = gpu.commands('heat').stage('copies');
    for (let copy = 0; copy < copiesAtOnce; copy++) recordCopy(gpu, commands, source, scratch);
    return commands;
  };
  return {
    async raiseClocks() {
      if (gpu.isSoftware) return;
      const end = performance.now() + raiseMs;
      while (performance.now() < end) await copies().submit();
    },
    keepBusy() {
      if (!gpu.isSoftware) void copies().submit();
    },
  };
}
