import { asArray, asCount, asNumber, asObject } from '../../../core/format/json.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { mostLayers } from '../../viewer/model/layers.ts';
import type { SavedCurve } from '../state/saved-session.ts';
import { type CurveSeries, mostPinnedCurves } from '../state/time-curve-state.ts';
import { numbersOf } from './stored-numbers.ts';

/** The maximum number of values of all curves in a session, so that it stays well below its size limit. */
const mostValues = 20_000;

/** As many of the first curves as a session may contain. */
export function storableCurves<Curve extends SavedCurve>(curves: readonly Curve[]): readonly Curve[] {
  let left = mostValues;
  const end = curves.findIndex((curve) => {
    left -= valuesIn(curve);
    return left < 0;
  });
  return end < 0 ? curves : curves.slice(0, end);
}

/** The pinned curves of a session. @throws StriaError `corrupt` */
export function curvesFrom(value: unknown): readonly SavedCurve[] {
  const curves = asArray(value ?? [], 'pinnedCurves', { maxLength: mostPinnedCurves }).map((curve, index): SavedCurve => {
    const what = (key: string): string => `pinnedCurves[${index}].${key}`;
    const { slot, voxel, region, series } = asObject(curve, `pinnedCurves[${index}]`);
    const lines = asArray(series, what('series'), { maxLength: mostLayers + 1 });
    return {
      slot: slotOf(slot, what('slot')),
      voxel: numbersOf(voxel, what('voxel'), 3) as unknown as SavedCurve['voxel'],
      region: region === undefined ? undefined : textFrom(region, what('region')),
      series: lines.map((line, at) => seriesOf(line, `${what('series')}[${at}]`)),
    };
  });
  if (new Set(curves.map(({ slot }) => slot)).size < curves.length)
    throw new StriaError('corrupt', 'two pinned curves have the same slot');
  if (storableCurves(curves).length < curves.length)
    throw new StriaError('corrupt', `the pinned curves have more than ${mostValues} values`);
  return curves;
}

function slotOf(value: unknown, what: string): number {
  const slot = asCount(value, what, 1);
  if (slot <= mostPinnedCurves) return slot;
  throw new StriaError('corrupt', `${what} is ${slot}; the limit is ${mostPinnedCurves}`);
}

function seriesOf(value: unknown, what: string): CurveSeries {
  const { volume, name, unit, values } = asObject(value, what);
  return {
    volume: textFrom(volume, `${what}.volume`),
    name: textFrom(name, `${what}.name`),
    unit: unit === undefined ? undefined : textFrom(unit, `${what}.unit`),
    values: asArray(values, `${what}.values`, { maxLength: mostValues }).map((one) =>
      one === null ? null : asNumber(one, what),
    ),
  };
}

/** A text that may be empty, such as the name of a region. @throws StriaError `corrupt` */
function textFrom(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new StriaError('corrupt', `${what} is not a text`);
}

function valuesIn({ series }: SavedCurve): number {
  return series.reduce((sum, { values }) => sum + values.length, 0);
}
