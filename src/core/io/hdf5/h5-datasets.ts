import { toStriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { H5File, H5Metadata } from './h5-file.ts';
import { filterName, filterProblem, type H5Filter, isBuiltIn } from './h5-filters.ts';
import { typeOf, typeWords } from './h5-types.ts';

/** A dataset, as its header describes it. */
export interface H5Dataset {
  readonly path: string;
  readonly metadata: H5Metadata;
  readonly shape: readonly number[];
  /** Undefined if the values are contiguous. */
  readonly chunks: readonly number[] | undefined;
  readonly filters: readonly H5Filter[];
  readonly problem: string | undefined;
}

/** Limits for the links that are followed, and for the datasets that are listed. */
const linkLimit = 100_000;
const datasetLimit = 10_000;
/** Each step of a path takes a lookup. */
const depthLimit = 64;
/** WebAssembly memory must hold several copies of an unpacked chunk. */
const largestChunkBytes = 256 * 2 ** 20;
/** The sources of a virtual dataset whose filters are looked up. */
const virtualLimit = 1000;
/** Each chunk takes a lookup. */
const chunkLimit = 2 ** 26;

/**
 * All datasets with at least two axes. Follows links within the file, and visits each group once.
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function listDatasets(file: H5File, job: JobOptions): Promise<readonly H5Dataset[]> {
  const names = await file.call(({ module }) => module.get_names(file.id, '/', true), job, 'its groups cannot be listed');
  const datasets: H5Dataset[] = [];
  let firstFault: unknown;
  for (const name of names.slice(0, linkLimit)) {
    if (datasets.length >= datasetLimit) break;
    if (name.split('/').length > depthLimit) continue;
    const path = name.startsWith('/') ? name : `/${name}`;
    const found = await readDataset(file, path, job).catch((error: unknown) => {
      // One broken object must not hide the others.
      if (toStriaError(error).tag !== 'corrupt') throw error;
      firstFault ??= error;
      return undefined;
    });
    if (found !== undefined && found.shape.length >= 2) datasets.push(found);
  }
  if (datasets.length === 0 && firstFault !== undefined) throw firstFault;
  return datasets;
}

/** The dataset at a path; undefined if there is none. @throws StriaError as `listDatasets` */
export async function readDataset(file: H5File, path: string, job: JobOptions): Promise<H5Dataset | undefined> {
  const isDataset = await file.call(({ module }) => module.get_type(file.id, path) === module.H5G_DATASET, job, path);
  if (!isDataset) return undefined;
  const what = `the header of ${path} cannot be read`;
  const metadata = await file.call(({ module }) => module.get_dataset_metadata(file.id, path), job, what);
  const found = await file.call(({ module }) => module.get_dataset_filters(file.id, path), job, what);
  const filters = found.map(({ id, name, cd_values }) => ({ id, name: filterName(id, name), parameters: cd_values }));
  const virtual = await virtualProblem(file, metadata, job);
  const shape = metadata.shape ?? [];
  return {
    path,
    metadata,
    shape,
    chunks: metadata.chunks ?? undefined,
    filters,
    problem: filterProblem(filters) ?? virtual ?? problemOf(metadata, shape),
  };
}

/** A read knows only the filters of its own dataset, not those of the datasets that a virtual one is made of. */
async function virtualProblem(
  file: H5File,
  { virtual_sources: sources }: H5Metadata,
  job: JobOptions,
): Promise<string | undefined> {
  const names = new Set(sources?.filter(({ file_name }) => file_name === '.').map(({ dset_name }) => dset_name));
  for (const name of [...names].slice(0, virtualLimit)) {
    const filters = await file
      .call(({ module }) => module.get_dataset_filters(file.id, name), job, name)
      .catch((error: unknown) => {
        // A missing source is read as the fill value.
        if (toStriaError(error).tag !== 'corrupt') throw error;
        return [];
      });
    const foreign = filters.find(({ id }) => !isBuiltIn(id));
    if (foreign === undefined) continue;
    return `its values are in ${name}, and the filter ${filterName(foreign.id, foreign.name)} is not supported in virtual datasets`;
  }
  return undefined;
}

function problemOf(metadata: H5Metadata, shape: readonly number[]): string | undefined {
  const type = typeOf(metadata);
  if (type === undefined) return `values of type ${typeWords(metadata)} are not supported`;
  if (shape.length === 0) return 'it is a single value';
  if (shape.includes(0)) return 'it is empty';
  // The library silently replaces missing values with the fill value.
  const other = metadata.virtual_sources?.find(({ file_name }) => file_name !== '.');
  if (other !== undefined) return `its values are in another file, ${other.file_name}`;
  if (!Number.isSafeInteger(shape.reduce((product, length) => product * length, 8))) return 'it exceeds the size of any file';
  const { chunks } = metadata;
  if (!chunks) return undefined;
  const chunkBytes = chunks.reduce((product, length) => product * length, type.bytes);
  if (chunkBytes > largestChunkBytes) {
    return `its chunks have ${Math.ceil(chunkBytes / 2 ** 20)} MiB each; the limit is ${largestChunkBytes / 2 ** 20} MiB`;
  }
  const count = shape.reduce((product, length, axis) => product * Math.ceil(length / Math.max(1, chunks[axis] ?? 1)), 1);
  return count > chunkLimit ? `it has ${count} chunks; the limit is ${chunkLimit}` : undefined;
}
