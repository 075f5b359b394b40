import type { JobOptions } from '../../shared/job.ts';
import { integerRanges } from '../../shared/volume.ts';
import { type Attributes, numbersOf } from './h5-attributes.ts';
import { type H5Dataset, readDataset } from './h5-datasets.ts';
import type { H5File } from './h5-file.ts';
import { readBox } from './h5-grid.ts';
import { typeOf } from './h5-types.ts';

/** The most slices whose ranges are compared. */
const mostSlices = 2 ** 16;

/**
 * The scaling of a MINC image of whole numbers: its `valid_range` becomes the range from `image-min` to `image-max`, which are datasets
 * beside it. Undefined for other datasets, and for slices with different ranges, which no single scaling describes. Source: MINC 2.0
 * file format reference.
 * @throws StriaError `not-readable`, `aborted`
 */
export async function mincScaling(
  file: H5File,
  { path, metadata }: H5Dataset,
  attributes: Attributes,
  job: JobOptions,
): Promise<{ readonly slope: number; readonly intercept: number } | undefined> {
  const type = typeOf(metadata)?.type;
  if (!attributes.has('dimorder') || type === undefined || type === 'f32' || type === 'f64') return undefined;
  const group = path.slice(0, path.lastIndexOf('/'));
  const least = await sameEverywhere(file, `${group}/image-min`, job);
  const most = await sameEverywhere(file, `${group}/image-max`, job);
  const [a = Number.NaN, b = Number.NaN] = numbersOf(attributes.get('valid_range')) ?? integerRanges[type];
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  if (least === undefined || most === undefined || !(high > low) || !(most > least)) return undefined;
  const slope = (most - least) / (high - low);
  return { slope, intercept: least - slope * low };
}

/** The value of a dataset, if all its values are equal. */
async function sameEverywhere(file: H5File, path: string, job: JobOptions): Promise<number | undefined> {
  const found = await readDataset(file, path, job).catch(() => undefined);
  const type = found && typeOf(found.metadata);
  if (!found || !type || found.shape.reduce((product, length) => product * length, 1) > mostSlices) return undefined;
  const values = await readBox(
    file,
    found,
    type,
    found.shape.map(() => 0),
    found.shape,
    job,
  ).catch(() => undefined);
  const [first] = values ?? [];
  return values?.every((value: number) => value === first) && Number.isFinite(first) ? first : undefined;
}
