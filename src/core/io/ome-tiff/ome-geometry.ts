import { type Channel, colorChannels, metresOf, type VolumeInfo } from '../../shared/volume.ts';
import { diagonalAffine } from '../common/affine.ts';
import type { PictureShape } from '../common/picture.ts';
import { checkedSpacing } from '../common/streamed-volume.ts';
import type { OmeChannel, OmeXmlImage } from './ome-xml.ts';
import type { PlaneSizes } from './series.ts';

/** OME's units of length that are used for volumes, in metres. */
const metres: Readonly<Record<string, number>> = {
  m: 1,
  dm: 1e-1,
  cm: 1e-2,
  mm: 1e-3,
  // The micro sign, and Greek mu.
  µm: 1e-6,
  μm: 1e-6,
  um: 1e-6,
  nm: 1e-9,
  pm: 1e-12,
  Å: 1e-10,
  in: 0.0254,
  ft: 0.3048,
};

const seconds: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, µs: 1e-6, μs: 1e-6, ns: 1e-9, min: 60, h: 3600, d: 86_400 };

/** @param largest the largest level, to whose pixels OME's sizes refer */
export function omeInfo(image: OmeXmlImage, planes: PlaneSizes, level: PictureShape, largest: PictureShape): VolumeInfo {
  const [x, y, z] = image.physical.map(({ size }) => (size > 0 && Number.isFinite(size) ? size : undefined));
  const units = image.physical.map(({ unit }) => metres[unit]);
  const isKnown = x !== undefined && units[0] !== undefined;
  const first = units[0] ?? Number.NaN;
  const spatialUnit = !isKnown ? 'unknown' : first >= 1 ? 'm' : first >= 1e-3 ? 'mm' : 'um';
  const inUnit = (size: number, axis: number) => {
    const unit = units[axis];
    const factor = isKnown && unit !== undefined ? unit / metresOf[spatialUnit] : 1;
    // Rounded to 12 digits, so that 0.5 nm becomes 0.0005 µm, not 0.0005000000000000001.
    return factor === 1 ? size : Number((size * factor).toPrecision(12));
  };
  const [xStep, yStep] = [inUnit(x ?? 1, 0), inUnit(y ?? x ?? 1, y === undefined ? 0 : 1)];
  const zStep = z === undefined ? xStep : inUnit(z, 2);
  const { timeUnit, step } = timeOf(image.timeIncrement);
  const spacing = [
    // The quotient first: it is 1 for the largest level, whose distances must not be rounded.
    checkedSpacing(xStep * (largest.width / level.width)),
    checkedSpacing(yStep * (largest.height / level.height)),
    checkedSpacing(zStep),
    step,
  ] as const;
  const channels = channelsOf(image.channels, planes.C, level.channels);
  return {
    dims: [level.width, level.height, planes.Z, planes.C * level.channels * planes.T],
    type: level.type,
    spacing,
    spatialUnit,
    timeUnit,
    affine: diagonalAffine(spacing),
    slope: 1,
    intercept: 0,
    ...(channels && { channels }),
  };
}

function timeOf({ size, unit }: OmeXmlImage['timeIncrement']): { timeUnit: VolumeInfo['timeUnit']; step: number } {
  const inSeconds = seconds[unit];
  if (!(size > 0) || !Number.isFinite(size) || inSeconds === undefined) return { timeUnit: 'unknown', step: 1 };
  const timeUnit = inSeconds >= 1 ? 's' : inSeconds >= 1e-3 ? 'ms' : 'us';
  const factor = inSeconds / { s: 1, ms: 1e-3, us: 1e-6 }[timeUnit];
  return { timeUnit, step: factor === 1 ? size : Number((size * factor).toPrecision(12)) };
}

/**
 * The channels of a volume: one for each sample of each of the planes' channels. Undefined for a single one without a name.
 * @param known the file's description of them
 */
export function channelsOf(
  known: readonly (Omit<OmeChannel, 'samples'> & Channel)[],
  count: number,
  samples: number,
): readonly Channel[] | undefined {
  if (count * samples === 1 && !known[0]?.name && known[0]?.color === undefined) return undefined;
  return Array.from({ length: count }, (_, number) => {
    const { name, color, window } = known[number] ?? {};
    const plain = { name: name || `Channel ${number + 1}`, ...(color && { color }), ...(window && { window }) };
    if (samples === 1) return [plain];
    const inPixel = samples <= 4 && samples >= 3 ? colorChannels.slice(0, samples) : undefined;
    return Array.from({ length: samples }, (_sample, sample): Channel => {
      const own = inPixel?.[sample] ?? { name: `Sample ${sample + 1}` };
      return count === 1 && !name ? own : { ...own, name: `${plain.name} ${own.name}` };
    });
  }).flat();
}
