import type { CodecDefinition, CodecKernels } from '../codec/codec.ts';
import type { Gpu } from '../gpu/gpu.ts';
import * as huffman from './huffman/kernels.ts';
import * as labels from './labels/kernels.ts';
import * as parle from './parle/kernels.ts';
import * as predict from './predict/kernels.ts';
import * as raw from './raw/kernels.ts';
import * as rice from './rice/kernels.ts';
import * as rle from './rle/kernels.ts';
import * as wave from './wave/kernels.ts';

/** Keyed by codec name. */
// biome-ignore format: one line a codec
const kernels: Readonly<Record<string, { createKernels(gpu: Gpu): CodecKernels }>> = {
  rle,
  rice,
  predict,
  huffman,
  labels,
  parle,
  wave,
  raw,
};

/** A codec on a GPU. Separate from the codecs' definitions, so that CPU-only programs load no shaders. */
export function createKernels({ name }: Pick<CodecDefinition, 'name'>, gpu: Gpu): CodecKernels {
  const made = kernels[name]?.createKernels(gpu);
  if (!made) throw new TypeError(`codec ${name} is missing from codecs/kernels.ts`);
  return made;
}
