import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { typedVoxels, type VoxelArray } from '../../shared/volume.ts';
import { narrowIntegers, placeInArray, widenHalf } from '../common/value-types.ts';
import type { VoxelGrid } from '../common/voxel-grid.ts';
import { FilteredChunks } from './h5-chunks.ts';
import type { H5Dataset } from './h5-datasets.ts';
import { type H5File, succeeded } from './h5-file.ts';
import { type H5Type, typeOf } from './h5-types.ts';

/** The size of one request to the library: as many whole chunks as fit, or one larger chunk. */
const blockBytes = 2 * 2 ** 20;

/** The values of a dataset, read block by block. @throws StriaError `unsupported` if it has a `problem` */
export function datasetGrid(file: H5File, dataset: H5Dataset): VoxelGrid {
  const { shape, metadata, problem } = dataset;
  const type = typeOf(metadata);
  if (type === undefined || problem !== undefined) throw new StriaError('unsupported', problem ?? 'its type is not supported');
  const blocks = blockShape(dataset, type.bytes);
  return {
    shape,
    chunks: blocks,
    type: type.type,
    async read(index, job) {
      const origin = index.map((number, axis) => number * (blocks[axis] as number));
      const lengths = origin.map((start, axis) => Math.min(blocks[axis] as number, (shape[axis] as number) - start));
      return { data: await readBox(file, dataset, type, origin, lengths, job), stride: stridesOf(lengths) };
    },
  };
}

/** The values of a box, last axis fastest. @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted` */
export async function readBox(
  file: H5File,
  { path, chunks, filters }: H5Dataset,
  type: H5Type,
  origin: readonly number[],
  lengths: readonly number[],
  job: JobOptions,
): Promise<VoxelArray> {
  const chunkBytes = (chunks ?? []).reduce((product, length) => product * length, type.bytes);
  const byteLength = lengths.reduce((product, length) => product * length, type.bytes);
  const count = lengths.map(BigInt);
  const offset = origin.map(BigInt);
  const strides = lengths.map(() => 1n);
  const bytes = await file.call(
    ({ module }) => {
      const pointer = module._malloc(byteLength);
      if (pointer === 0) throw new StriaError('out-of-memory', `no memory for ${byteLength} bytes of ${path}`);
      try {
        succeeded(module.get_dataset_data(file.id, path, count, offset, strides, BigInt(pointer)));
        return module.HEAPU8.slice(pointer, pointer + byteLength);
      } finally {
        module._free(pointer);
      }
    },
    job,
    `the values of ${path} at ${origin.join(', ')} cannot be read`,
    new FilteredChunks(filters, chunkBytes),
  );
  const block = { origin, lengths, stride: stridesOf(lengths) };
  return converted(bytes as Uint8Array<ArrayBuffer>, type, (at) => placeInArray(at, block));
}

function converted(bytes: Uint8Array<ArrayBuffer>, { type, convert }: H5Type, placeOf: (index: number) => string): VoxelArray {
  if (convert === 'half') return widenHalf(new Uint16Array(bytes.buffer));
  if (convert === undefined) return typedVoxels(type, bytes);
  return narrowIntegers(bytes, convert === 'i64', placeOf);
}

function stridesOf(lengths: readonly number[]): number[] {
  const strides = new Array<number>(lengths.length).fill(1);
  for (let axis = lengths.length - 2; axis >= 0; axis--) {
    strides[axis] = (strides[axis + 1] as number) * (lengths[axis + 1] as number);
  }
  return strides;
}

/** A block of whole chunks, grown along the fastest axes first, because each call has a cost. */
function blockShape({ shape, chunks }: H5Dataset, width: number): readonly number[] {
  const blocks = shape.map((length, axis) => Math.min(length, Math.max(1, chunks?.[axis] ?? 1)));
  let bytes = blocks.reduce((product, length) => product * length, width);
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const length = blocks[axis] as number;
    const most = Math.ceil((shape[axis] as number) / length);
    const factor = Math.max(1, Math.min(most, Math.floor(blockBytes / bytes)));
    blocks[axis] = Math.min(length * factor, shape[axis] as number);
    bytes *= factor;
    if (factor < most) break;
  }
  return blocks;
}
