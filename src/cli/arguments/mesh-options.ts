import { type MeshFormat, meshFormats } from '../../core/mesh/mesh-formats.ts';
import type { SurfaceChoice } from '../../core/mesh/surfaces.ts';
import { isLabelNumber } from '../../core/shared/label-table.ts';
import { type OptionValues, rawLayout, text, usage, wholeNumber } from './option-values.ts';
import type { DeviceOptions, MeshCommand, TalkOptions } from './parsed-command.ts';
import { numberFromOne, realNumber } from './view-values.ts';

const mostSmoothing = 200;
/** Unsmoothed surfaces of labels show the steps between voxels. */
const labelSmoothing = '10';
/** Each surface needs two planes of the volume in memory. */
const mostSurfaces = 256;

export function meshOptions(
  values: OptionValues,
  input: string,
  output: string,
): Omit<MeshCommand, keyof (DeviceOptions & TalkOptions)> {
  const surfaces = surfacesOf(values);
  const format = formatOf(output);
  const hasLabels = surfaces === 'labels' || 'label' in (surfaces[0] as SurfaceChoice);
  const table = text(values, 'table');
  if (table !== undefined && !hasLabels) throw usage('--table names labels: choose them with --label');
  return {
    name: 'mesh',
    input,
    output,
    force: values.force === true,
    format,
    surfaces,
    table,
    smoothing: wholeNumber('smoothing', text(values, 'smoothing') ?? (hasLabels ? labelSmoothing : '0'), mostSmoothing),
    time: numberFromOne(values, 'time'),
    channel: numberFromOne(values, 'channel'),
    raw: rawLayout(values),
    dataset: text(values, 'dataset'),
    axes: text(values, 'axes'),
  };
}

function formatOf(output: string): MeshFormat {
  const format = meshFormats.find((known) => output.toLowerCase().endsWith(`.${known}`));
  if (format === undefined)
    throw usage(`mesh writes ${meshFormats.map((known) => `.${known}`).join(', ')}: end the output's name with one of them`);
  return format;
}

function surfacesOf(values: OptionValues): MeshCommand['surfaces'] {
  const level = realNumber(values, 'level');
  const labels = text(values, 'label');
  if ((level === undefined) === (labels === undefined))
    throw usage('mesh needs a surface: --level VALUE, or --label N for the voxels of a segmentation with the value N');
  if (level !== undefined) return [{ level }];
  if (labels === 'all') return 'labels';
  const numbers = (labels as string).split(',').map((part) => (/^-?\d{1,10}$/.test(part) ? Number(part) : Number.NaN));
  if (!numbers.every(isLabelNumber)) throw usage(`--label takes whole numbers, such as 10,49, or all; got '${labels}'`);
  if (new Set(numbers).size < numbers.length) throw usage(`--label names a label twice: '${labels}'`);
  if (numbers.length > mostSurfaces) throw usage(`--label takes at most ${mostSurfaces} labels`);
  return numbers.map((label) => ({ label }));
}
