import reduceShader from '../../shaders/scan/reduce.wgsl';
import scanShader from '../../shaders/scan/scan.wgsl';
import type { Commands } from './commands.ts';
import type { Gpu } from './gpu.ts';
import type { GpuScope } from './scope.ts';

const valuesPerThread = 8;
const tileLength = 256 * valuesPerThread;

/**
 * Records an exclusive scan: word i of `values` becomes the sum of the words before it, modulo 2^32. It works in place
 * (copy the input first if you need it) and adds its dispatches to the current stage of `commands`.
 *
 * Reduce-then-scan (Blelloch 1990): sums each tile of 2048 values, scans the sums in the same way, then scans each tile on top of
 * its base. No workgroup waits for another, so it runs on every GPU.
 *
 * @param scope owns the scratch buffers (about length / 2047 words) and the returned one; destroy it after the submit
 * @param values usage STORAGE, at least `length` words
 * @returns one word: the sum of all values modulo 2^32
 */
export function exclusiveScan(gpu: Gpu, commands: Commands, scope: GpuScope, values: GPUBuffer, length: number): GPUBuffer {
  const total = scope.storage('scan.total', 4);
  if (length === 0) return total;
  const constants = { per_thread: valuesPerThread };
  const reduce = gpu.kernel({ label: 'scan.reduce', shader: reduceShader, constants });
  const scan = gpu.kernel({ label: 'scan.scan', shader: scanShader, constants });

  const levels = [levelOf(scope, values, length)];
  for (let level = levels[0] as Level; level.tileCount > 1; level = levels.at(-1) as Level) {
    const sums = scope.storage('scan.sums', 4 * level.tileCount);
    commands.dispatch(reduce, [level.uniform, level.values, sums], level.tileCount);
    levels.push(levelOf(scope, sums, level.tileCount));
  }

  let bases = scope.storage('scan.zero', 4);
  for (const level of levels.reverse()) {
    commands.dispatch(scan, [level.uniform, level.values, bases, total], level.tileCount);
    bases = level.values;
  }
  return total;
}

interface Level {
  readonly values: GPUBuffer;
  readonly tileCount: number;
  readonly uniform: GPUBuffer;
}

function levelOf(scope: GpuScope, values: GPUBuffer, length: number): Level {
  const tileCount = Math.ceil(length / tileLength);
  return { values, tileCount, uniform: scope.uniform('scan.level', [length, tileCount]) };
}
