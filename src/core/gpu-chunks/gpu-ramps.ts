import rampShader from '../../shaders/gpu-chunks/ramp.wgsl';
import { lanesOf } from '../chunks/analyze.ts';
import type { ChunkBox, ResidentBox } from '../chunks/backend.ts';
import { mayBeRamp, ruleOf } from '../chunks/ramp.ts';
import type { KernelCall } from '../codec/codec.ts';
import type { RampRule } from '../format/chunk.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { chunkTable, type GpuChunkAnalysis, planPieces, segment } from './gpu-chunks.ts';

/** Words of the shader's findings per chunk. */
const foundWords = 8;

/** The indices of chunks that may be ramps by their analyses. Few of them are none. */
export function rampCandidates(
  { voxels: { elementBytes }, chunks }: ResidentBox,
  analyses: readonly GpuChunkAnalysis[],
): number[] {
  const candidates: number[] = [];
  for (let index = 0; index < chunks.length; index++) {
    const { shape } = chunks[index] as ChunkBox;
    const analysis = analyses[index] as GpuChunkAnalysis;
    if (mayBeRamp(analysis, { shape, elementBytes }, () => analysis.head())) candidates.push(index);
  }
  return candidates;
}

/** The ramps among some of a box's chunks, by shaders/gpu-chunks/ramp.wgsl: their rules, keyed by their index in the box. */
export async function findRampsOnGpu(
  gpu: Gpu,
  { voxels, chunks }: ResidentBox,
  indices: readonly number[],
  call: KernelCall,
): Promise<ReadonlyMap<number, RampRule>> {
  const { elementBytes } = voxels;
  const rules = new Map<number, RampRule>();
  if (indices.length === 0) return rules;
  const candidates = indices.map((index) => chunks[index] as ChunkBox);
  using scope = call.scope.scope('ramps');
  const perWord = 4 / elementBytes;
  const table = chunkTable(voxels, candidates, (x) => ((x - 1) % perWord) + 1);
  const { box, workgroups } = planPieces(voxels, candidates);
  const found = scope.storage('found', 4 * foundWords * candidates.length);
  const commands = gpu.commands('ramps', call.onTimes);
  commands.stage('ramps').dispatch(
    gpu.kernel({
      label: 'engine.ramp',
      shader: rampShader,
      constants: { segment, bits: lanesOf[elementBytes].bits },
    }),
    [voxels.buffer, scope.storage('chunks', table.byteLength, table), found, scope.uniform('box', box)],
    workgroups,
  );
  const read = commands.readWords(found);
  await commands.submit();
  const words = read();
  indices.forEach((index, at) => {
    const [leastComplement, most, largest, ...steps] = words.subarray(foundWords * at, foundWords * at + 6) as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const [x, y, z] = steps.map((step) => step | 0) as [number, number, number];
    const least = most === 0 ? 0 : ~leastComplement >>> 0;
    const rule = ruleOf({ steps: [x, y, z], least, most, largest }, elementBytes);
    if (rule) rules.set(index, rule);
  });
  return rules;
}
