import { StriaError } from '../../shared/errors.ts';
import { maxSamples } from '../../shared/stored-voxels.ts';
import type { NrrdText } from './nrrd-text.ts';

/** The kinds of axes that are places or time, in lower case. */
const otherKinds: ReadonlySet<string> = new Set(['domain', 'space', 'time', '???', 'none', 'stub']);

/** The axis of the values of a voxel. */
interface ValueAxis {
  readonly axis: number;
  readonly length: number;
  /** The values of a voxel are side by side in the file. */
  readonly isFirst: boolean;
  /** False for a list of volumes, which are time points. */
  readonly areChannels: boolean;
}

/**
 * The axis of vectors, colours and lists: the first one, or the last one. A list as the last axis is left to be t.
 * @throws StriaError `unsupported` for more values than Stria reads
 */
export function valueAxis({ fields }: NrrdText, dimension: number): ValueAxis | undefined {
  const kinds = listOf(fields.get('kinds')?.value, /\S+/g).map((kind) => kind.toLowerCase());
  const sizes = listOf(fields.get('sizes')?.value, /\S+/g).map(Number);
  if (dimension < 2 || kinds.length !== dimension || sizes.length !== dimension) return undefined;
  const isOfValues = (axis: number) => !otherKinds.has(kinds[axis] as string);
  const last = kinds.length - 1;
  const isFirst = isOfValues(0);
  const axis = isFirst ? 0 : last;
  const areChannels = kinds[axis] !== 'list';
  if (!isOfValues(axis) || (!isFirst && !areChannels)) return undefined;
  const length = sizes[axis] as number;
  if (!Number.isSafeInteger(length) || length < 1) return undefined;
  // As in NIfTI, so many volumes are a series.
  if (length > maxSamples && !isFirst) return undefined;
  if (length > maxSamples) throw new StriaError('unsupported', `Stria does not read NRRD with ${length} values per voxel`);
  return { axis, length, isFirst, areChannels };
}

const words = /\S+/g;
/** The fields with a value for each axis, and how their values look. */
const perAxis: Readonly<Record<string, RegExp>> = {
  sizes: words,
  kinds: words,
  spacings: words,
  thicknesses: words,
  axismins: words,
  axismaxs: words,
  centerings: words,
  centers: words,
  units: /"[^"]*"/g,
  labels: /"[^"]*"/g,
  spacedirections: /none|\([^)]*\)/gi,
};

/** The header of the volume without one of its `dimension` axes. */
export function withoutAxis(text: NrrdText, axis: number, dimension: number): NrrdText {
  const fields = new Map(text.fields);
  const change = (name: string, value: string) => {
    const field = fields.get(name);
    if (field) fields.set(name, { ...field, value });
  };
  change('dimension', String(dimension - 1));
  for (const [name, look] of Object.entries(perAxis)) {
    const values = listOf(fields.get(name)?.value, look);
    // A field of another length is left to the checks of each field.
    if (values.length === dimension) change(name, values.filter((_, at) => at !== axis).join(' '));
  }
  return { ...text, fields };
}

function listOf(value: string | undefined, look: RegExp): readonly string[] {
  return value?.match(look) ?? [];
}
