import { boxEdges, depositKernels, depositQuantities, depositScales, depositTypes } from '../../core/particles/deposit-choice.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import { codecOptions, needed, type OptionValues, oneOf, sampleDims, shareOf, text, usage } from './option-values.ts';
import type { DepositCommand } from './parsed-command.ts';

/** The options of `stria deposit`, without those of the device and of messages. @throws StriaError `invalid-input` */
export function depositOptions(
  values: OptionValues,
  inputs: readonly string[],
  output: string | undefined,
): Omit<DepositCommand, 'json' | 'quiet' | 'device' | 'gpuLimits' | 'threads' | 'tuning'> {
  if (inputs.length === 0)
    throw usage('deposit needs particles: `stria deposit sim.00100 --size 512 --box=-0.5,-0.5,-0.5,1,1,1 -o mass.stria`');
  if (inputs.includes(standardStream)) throw usage('deposit reads its input more than once; name a file instead of -');
  const part = text(values, 'part');
  const isSums = values.sums === true || part !== undefined;
  const stray = (['scale', 'type'] as const).find((option) => values[option] !== undefined);
  if (isSums && stray)
    throw usage(`--${stray} is for the final volume, but --sums and --part write sums; use it after they are merged`);
  const size = text(values, 'size');
  const species = text(values, 'species');
  const quantity = values.quantity === undefined ? undefined : oneOf(values, 'quantity', depositQuantities, 'mass');
  const unit = unitOf(values);
  if (unit !== undefined && quantity === 'count') throw usage('--unit is a mass, and --quantity count needs none');
  return {
    name: 'deposit',
    inputs,
    output: needed('deposit', 'output', output),
    force: values.force === true,
    size: size === undefined ? undefined : sampleDims(size),
    box: particleBox(values),
    edges: values.edges === undefined ? undefined : oneOf(values, 'edges', boxEdges, 'clip'),
    kernel: values.kernel === undefined ? undefined : oneOf(values, 'kernel', depositKernels, 'cic'),
    quantity,
    scale: oneOf(values, 'scale', depositScales, 'linear'),
    type: oneOf(values, 'type', depositTypes, 'f32'),
    isSums,
    unit,
    share: part === undefined ? undefined : shareOf(part),
    species: species?.split(','),
    masses: text(values, 'masses'),
    ...codecOptions(values),
  };
}

function particleBox(values: OptionValues): DepositCommand['box'] {
  const value = text(values, 'box');
  if (value === undefined) return undefined;
  const [x, y, z, ...lengths] = numbersOf(value);
  const [dx, dy, dz, more] = lengths;
  if (
    x === undefined ||
    y === undefined ||
    z === undefined ||
    dx === undefined ||
    dy === undefined ||
    dz === undefined ||
    more !== undefined ||
    !(Math.min(dx, dy, dz) > 0)
  ) {
    throw usage(`--box takes the first corner and the lengths of the box, such as 0,0,0,100,100,100; got '${value}'`);
  }
  return { origin: [x, y, z], lengths: [dx, dy, dz] };
}

/** An empty list if a value is not a finite number. */
function numbersOf(value: string): readonly number[] {
  const numbers = value.split(',').map((word) => (word.trim() === '' ? Number.NaN : Number(word)));
  return numbers.every(Number.isFinite) ? numbers : [];
}

function unitOf(values: OptionValues): number | undefined {
  const value = text(values, 'unit');
  if (value === undefined) return undefined;
  const unit = Number(value);
  if (!(unit > 0 && unit < Number.POSITIVE_INFINITY)) throw usage(`--unit takes a mass above 0, such as 1e-12; got '${value}'`);
  return unit;
}
