import surveyShader from '../../shaders/gpu-chunks/survey.wgsl';
import type { ChunkBox, ResidentBox } from '../chunks/backend.ts';
import { boxLayout, firstWordOf } from '../codec/batch.ts';
import type { ChunkSurvey, CodecElementBytes } from '../codec/codec.ts';
import { bitsOf, pieceElements, predictors, rowStep, sampledElements } from '../codec/survey.ts';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { KernelDescriptor } from '../gpu/kernel.ts';
import type { GpuScope } from '../gpu/scope.ts';

const workgroupSize = 64;
/** The predictors' bits, steps and spikes. */
const counters = predictors.length + 2;

export function surveyor(elementBytes: CodecElementBytes): KernelDescriptor {
  return { label: 'engine.survey', shader: surveyShader, constants: { element_bytes: elementBytes } };
}

/**
 * Records the survey of a box's chunks (at least one) in `commands`, by shaders/gpu-chunks/survey.wgsl. @returns reads the
 * results once the commands are done, and returns that of a chunk by its index
 */
export function surveyOnGpu(
  gpu: Gpu,
  { voxels, chunks }: ResidentBox,
  scope: GpuScope,
  commands: Commands,
): () => (index: number) => ChunkSurvey {
  const { rowWords, sliceWords } = boxLayout(voxels);
  const { elementBytes } = voxels;
  const table = new Uint32Array(4 * chunks.length);
  let workgroupsPerChunk = 1;
  chunks.forEach(({ origin, shape }, index) => {
    const [width, rows, slices] = shape;
    const pieces = Math.ceil(width / pieceElements) * Math.ceil(rows / rowStep) * slices;
    workgroupsPerChunk = Math.max(workgroupsPerChunk, Math.ceil(pieces / workgroupSize));
    table.set([firstWordOf(voxels, origin), ...shape], 4 * index);
  });
  const totals = scope.storage('survey', 8 * counters * chunks.length);
  commands
    .stage('survey')
    .dispatch(
      gpu.kernel(surveyor(elementBytes)),
      [
        voxels.buffer,
        scope.storage('survey-chunks', table.byteLength, table),
        totals,
        scope.uniform('survey-box', [rowWords, sliceWords, chunks.length, workgroupsPerChunk]),
      ],
      workgroupsPerChunk * chunks.length,
    );
  const read = commands.readWords(totals);
  return () => {
    const words = read();
    const count = (index: number, counter: number) => {
      const at = 2 * (index * counters + counter);
      return (words[at] as number) + 2 ** 32 * (words[at + 1] as number);
    };
    return (index) => {
      const expectedBits: number[] = [];
      for (let predictor = 0; predictor < predictors.length; predictor++) expectedBits.push(count(index, predictor));
      const { riceBits, softBits } = bitsOf(expectedBits);
      const [steps, spikes] = [count(index, predictors.length), count(index, predictors.length + 1)];
      return { sampledElements: sampledElements(chunks[index] as ChunkBox), riceBits, softBits, steps, spikes };
    };
  };
}
