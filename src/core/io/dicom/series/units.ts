import type { DataSet } from '../parse/elements.ts';
import { itemsOf, numberOf, textOf, textsOf } from '../parse/values.ts';

const petUnits: Readonly<Record<string, string>> = { BQML: 'Bq/ml', CNTS: 'counts', CPS: 'counts/s', GML: 'g/ml', '1CM': '1/cm' };

/** The unit of the physical values, if the file states it. */
export function unitOf(dataSet: DataSet, modality: string): string | undefined {
  const rescaleType = textOf(dataSet, 0x00281054);
  if (rescaleType !== '' && rescaleType !== 'US') return rescaleType === 'HU_MOD' ? 'HU' : rescaleType;
  if (modality === 'PT') {
    const units = textOf(dataSet, 0x00541001);
    return petUnits[units] ?? (units || undefined);
  }
  if (modality === 'RTDOSE') {
    const units = textOf(dataSet, 0x30040002);
    return units === 'GY' ? 'Gy' : units === 'RELATIVE' ? 'relative dose' : undefined;
  }
  // The standard fixes the unit of CT pictures, except localizers.
  const isLocalizer = textsOf(dataSet, 0x00080008).includes('LOCALIZER');
  return modality === 'CT' && dataSet.elements.has(0x00281053) && !isLocalizer ? 'HU' : undefined;
}

/**
 * The factor from becquerels per millilitre to standardised uptake values by body weight, according to QIBA's profile: the weight in
 * grams divided by the remaining dose at the time to which the picture is corrected. Undefined if anything is missing.
 */
export function suvFactorOf(dataSet: DataSet): number | undefined {
  const weight = numberOf(dataSet, 0x00101030);
  const drug = itemsOf(dataSet, 0x00540016)[0];
  const dose = numberOf(drug, 0x00181074);
  const halfLife = numberOf(drug, 0x00181075);
  const isCorrected = textsOf(dataSet, 0x00280051).includes('DECY') && textsOf(dataSet, 0x00280051).includes('ATTN');
  if (textOf(dataSet, 0x00541001) !== 'BQML' || !isCorrected) return undefined;
  if (!isPositive(weight) || !isPositive(dose) || !isPositive(halfLife)) return undefined;
  const correctedTo = textOf(dataSet, 0x00541102);
  if (correctedTo === 'ADMIN') return (weight * 1000) / dose;
  if (correctedTo !== 'START') return undefined;
  const injected = injectionTime(dataSet, drug);
  const scanned = secondsOf(textOf(dataSet, 0x00080021), textOf(dataSet, 0x00080031));
  if (injected === undefined || scanned === undefined) return undefined;
  // The time of a series that was processed later says nothing about its decay correction.
  const acquired = secondsOf(textOf(dataSet, 0x00080022), textOf(dataSet, 0x00080032));
  if (acquired !== undefined && scanned > acquired) return undefined;
  const elapsed = scanned - injected;
  // At most a day. A longer time results from unrelated dates.
  if (elapsed < 0 || elapsed > 86400) return undefined;
  return (weight * 1000) / (dose * 2 ** (-elapsed / halfLife));
}

function isPositive(value: number | undefined): value is number {
  return value !== undefined && value > 0;
}

function injectionTime(dataSet: DataSet, drug: DataSet | undefined): number | undefined {
  const whole = textOf(drug, 0x00181078);
  if (whole.length >= 14) return secondsOf(whole.slice(0, 8), whole.slice(8).replace(/[+-].*$/, ''));
  return secondsOf(textOf(dataSet, 0x00080021), textOf(drug, 0x00181072));
}

/** Seconds since 1970 for a date `YYYYMMDD` and a time `HHMMSS.FFFFFF`; undefined if they are invalid. */
export function secondsOf(date: string, time: string): number | undefined {
  const day = /^(\d{4})\.?(\d\d)\.?(\d\d)$/.exec(date);
  const clock = /^(\d\d):?(\d\d)?:?(\d\d(?:\.\d+)?)?$/.exec(time);
  if (day === null || clock === null) return undefined;
  const midnight = Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])) / 1000;
  return midnight + Number(clock[1]) * 3600 + Number(clock[2] ?? 0) * 60 + Number(clock[3] ?? 0);
}
