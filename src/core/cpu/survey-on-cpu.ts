import moduleBytes from '../../assembly/survey/index.ts?assembly';
import { chunkBytes } from '../codec/batch.ts';
import type { ChunkInMemory } from '../codec/chunk-in-memory.ts';
import type { ChunkGeometry, ChunkSurvey, ChunkVoxels } from '../codec/codec.ts';
import { bitsOf, predictors, sampledElements, survey } from '../codec/survey.ts';
import { lazyModule } from '../shared/wasm-module.ts';

/** Bytes on both sides of the voxels that the module may read. */
const slack = 64;

/** Predictors, steps and spikes. */
const counters = predictors.length + 2;

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
  const { memory, at } = module.room(slack, chunkBytes(chunk) + slack, 8 * counters);
  const [, from, to] = at as [number, number, number];
  memory.set(bytes, from);
  const rowStride = shape[0] * elementBytes;
  module.call('survey', from, rowStride, rowStride * shape[1], ...shape, elementBytes, to);
  return surveyAt(memory, to, chunk);
}

/** `survey` of a chunk that is in WebAssembly memory, where it is. */
export function surveyInMemory(chunk: ChunkInMemory): ChunkSurvey {
  const { module, at, rowStride, planeStride, shape, elementBytes, freeAt } = chunk;
  const to = 8 * Math.ceil(freeAt / 8);
  const memory = module.memoryTo(to + 8 * counters);
  module.call('survey', at, rowStride, planeStride, ...shape, elementBytes, to);
  return surveyAt(memory, to, chunk);
}

function surveyAt({ buffer }: Uint8Array<ArrayBuffer>, at: number, chunk: ChunkGeometry): ChunkSurvey {
  const results = [...new Float64Array(buffer, at, counters)];
  const [steps, spikes] = results.slice(predictors.length) as [number, number];
  return { sampledElements: sampledElements(chunk), ...bitsOf(results.slice(0, predictors.length)), steps, spikes };
}
