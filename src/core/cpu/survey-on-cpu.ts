import moduleBytes from '../../assembly/survey/index.ts?assembly';
import { chunkBytes } from '../codec/batch.ts';
import type { ChunkSurvey, ChunkVoxels } from '../codec/codec.ts';
import { bitsOf, predictors, sampledElements, survey } from '../codec/survey.ts';
import { lazyModule } from '../shared/wasm-module.ts';

/** Bytes on both sides of the voxels that the module may read. */
const slack = 64;

const surveyModule = lazyModule<'survey'>(moduleBytes);

/** `survey` in WebAssembly. */
export function surveyOnCpu(chunk: ChunkVoxels): ChunkSurvey {
  return surveyInWasm(chunk) ?? survey(chunk);
}

/** Undefined without WebAssembly. */
export function surveyInWasm(chunk: ChunkVoxels): ChunkSurvey | undefined {
  const module = surveyModule();
  if (!module) return undefined;
  const { bytes, shape, elementBytes } = chunk;
  const counters = predictors.length + 2;
  const { memory, at } = module.room(slack, chunkBytes(chunk) + slack, 8 * counters);
  const [, from, to] = at as [number, number, number];
  memory.set(bytes, from);
  module.call('survey', from, ...shape, elementBytes, to);
  const results = [...new Float64Array(memory.buffer, to, counters)];
  const [steps, spikes] = results.slice(predictors.length) as [number, number];
  return { sampledElements: sampledElements(chunk), ...bitsOf(results.slice(0, predictors.length)), steps, spikes };
}
