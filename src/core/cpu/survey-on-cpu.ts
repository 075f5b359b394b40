import moduleBytes from '../../assembly/survey/index.ts?assembly';
import { chunkBytes } from '../codec/batch.ts';
import type { ChunkSurvey, ChunkVoxels } from '../codec/codec.ts';
import { bitsOf, predictors, sampledElements, survey } from '../codec/survey.ts';
import { WasmModule } from '../shared/wasm-module.ts';

/** Bytes on both sides of the voxels that the module may read. */
const slack = 64;

/** One per thread. `null`: not opened yet. */
let opened: WasmModule<'survey'> | null | undefined = null;

/** `survey` in WebAssembly. */
export function surveyOnCpu(chunk: ChunkVoxels): ChunkSurvey {
  return surveyInWasm(chunk) ?? survey(chunk);
}

/** Undefined without WebAssembly. */
export function surveyInWasm(chunk: ChunkVoxels): ChunkSurvey | undefined {
  if (opened === null) opened = WasmModule.open(moduleBytes);
  if (!opened) return undefined;
  const { bytes, shape, elementBytes } = chunk;
  const counters = predictors.length + 2;
  const { memory, at } = opened.room(slack, chunkBytes(chunk) + slack, 8 * counters);
  const [, from, to] = at as [number, number, number];
  memory.set(bytes, from);
  opened.call('survey', from, ...shape, elementBytes, to);
  const results = [...new Float64Array(memory.buffer, to, counters)];
  const [steps, spikes] = results.slice(predictors.length) as [number, number];
  return { sampledElements: sampledElements(chunk), ...bitsOf(results.slice(0, predictors.length)), steps, spikes };
}
