import { cross, scaled, sum, type Vector3 } from '../../../shared/vectors.ts';
import type { DataSet } from '../parse/elements.ts';
import { itemsOf, numberOf, numbersOf, textOf, valueBytes } from '../parse/values.ts';
import { secondsOf } from './units.ts';

/** The position and time of a frame. */
export interface FrameFacts {
  /** Its index in the file. */
  readonly index: number;
  /** Position of its first pixel's centre, in millimetres towards left, posterior and superior. */
  readonly position: Vector3 | undefined;
  /** Directions of its rows and columns. */
  readonly orientation: readonly [along: Vector3, down: Vector3] | undefined;
  /** Distances between pixels along and down. */
  readonly spacing: readonly [number, number] | undefined;
  /** The distance between slices, or the slice thickness. */
  readonly sliceStep: number | undefined;
  readonly slope: number;
  readonly intercept: number;
  /** The number assigned by the scanner, used if nothing else gives an order. */
  readonly order: number;
  /** When it was acquired, in seconds. */
  readonly acquired: number | undefined;
  /** Values that distinguish frames at the same position, in the order of `phaseNames`. */
  readonly phases: readonly (number | string | undefined)[];
}

/** What may distinguish the time points of a 4-D series, in order of preference. */
export const phaseNames = ['time', 'trigger time', 'b-value', 'gradient direction', 'echo', 'kind of picture'] as const;

/** A functional group of a frame: its own or else the shared one. In a classic file, the data set itself. */
type Group = (sequence: number) => DataSet | undefined;

export function frameFactsOf(dataSet: DataSet, frames: number): FrameFacts[] {
  const shared = itemsOf(dataSet, 0x52009229)[0];
  const perFrame = itemsOf(dataSet, 0x52009230);
  const offsets = numbersOf(dataSet, 0x3004000c);
  const step = positive(numberOf(dataSet, 0x00180088));
  // The first offset is 0 or the first frame's position along the patient's axis.
  const offsetOf = (index: number) => {
    const offset = (offsets[index] ?? Number.NaN) - (offsets[0] ?? 0);
    return Number.isFinite(offset) ? offset : step === undefined ? undefined : step * index;
  };
  return Array.from({ length: frames }, (_, index) => {
    const own = perFrame[index];
    const group: Group = (sequence) => itemsOf(own, sequence)[0] ?? itemsOf(shared, sequence)[0];
    const facts = factsOfFrame(dataSet, group, index);
    return frames > 1 && own === undefined ? withOffset(facts, offsetOf(index)) : facts;
  });
}

/** A frame of a classic multi-frame file. Doses give each frame's offset from the first. */
function withOffset(facts: FrameFacts, offset: number | undefined): FrameFacts {
  const { position, orientation } = facts;
  if (position === undefined || orientation === undefined || offset === undefined) return { ...facts, position: undefined };
  return { ...facts, position: sum(position, scaled(cross(...orientation), offset)) };
}

/** A position or direction; undefined if numbers are missing or invalid. */
function vectorOf(numbers: readonly number[]): Vector3 | undefined {
  const [x, y, z] = numbers;
  if (x === undefined || y === undefined || z === undefined) return undefined;
  return [x, y, z].every(Number.isFinite) ? [x, y, z] : undefined;
}

function factsOfFrame(dataSet: DataSet, group: Group, index: number): FrameFacts {
  const measures = group(0x00289110) ?? dataSet;
  const transformation = group(0x00289145) ?? dataSet;
  const along = numbersOf(group(0x00209116) ?? dataSet, 0x00200037);
  const directions = [vectorOf(along.slice(0, 3)), vectorOf(along.slice(3, 6))] as const;
  const [down, across] = spacingOf(measures);
  const isDose = dataSet.elements.has(0x3004000e);
  const slope = numberOf(transformation, 0x00281053) ?? (isDose ? numberOf(dataSet, 0x3004000e) : undefined);
  return {
    index,
    position: vectorOf(numbersOf(group(0x00209113) ?? dataSet, 0x00200032)),
    orientation: directions[0] && directions[1] ? [directions[0], directions[1]] : undefined,
    spacing: down !== undefined && across !== undefined ? [across, down] : undefined,
    sliceStep: positive(numberOf(measures, 0x00180088)) ?? positive(numberOf(measures, 0x00180050)),
    slope: slope === undefined || slope === 0 ? 1 : slope,
    intercept: numberOf(transformation, 0x00281052) ?? 0,
    order: (numberOf(dataSet, 0x00200013) ?? 0) + index,
    acquired: acquisitionTime(dataSet),
    phases: phasesOf(dataSet, group),
  };
}

/** Pixel Spacing, or the spacing of the detector or of the scanned picture. Down is first, as in DICOM. */
function spacingOf(measures: DataSet): readonly (number | undefined)[] {
  for (const tag of [0x00280030, 0x00181164, 0x00182010]) {
    const [down, across] = numbersOf(measures, tag);
    if (positive(down) !== undefined && positive(across) !== undefined) return [down, across];
  }
  return [];
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
}

function phasesOf(dataSet: DataSet, group: Group): (number | string | undefined)[] {
  const content = group(0x00209111);
  const diffusion = group(0x00189117);
  const heart = group(0x00189118);
  const echo = group(0x00189114);
  return [
    numberOf(content, 0x00209128) ?? numberOf(dataSet, 0x00200100),
    numberOf(heart, 0x00209153) ?? numberOf(dataSet, 0x00181060),
    numberOf(diffusion, 0x00189087) ?? numberOf(dataSet, 0x00189087) ?? privateDiffusion(dataSet),
    directionOf(itemsOf(diffusion, 0x00189076)[0]) ?? directionOf(dataSet),
    numberOf(echo, 0x00189082) ?? numberOf(dataSet, 0x00180081),
    textOf(group(0x00189226) ?? dataSet, 0x00089007) || textOf(dataSet, 0x00080008),
  ];
}

/** The b-value in the private elements that Siemens and GE used before it was standardised. */
function privateDiffusion(dataSet: DataSet): number | undefined {
  if (textOf(dataSet, 0x00190010) === 'SIEMENS MR HEADER') return privateNumber(dataSet, 0x0019100c);
  if (textOf(dataSet, 0x00430010) === 'GEMS_PARM_01') {
    const value = privateNumber(dataSet, 0x00431039);
    // GE adds 1,000,000,000 to some.
    return value === undefined ? undefined : value % 1e9;
  }
  return undefined;
}

function privateNumber(dataSet: DataSet, tag: number): number | undefined {
  const element = dataSet.elements.get(tag);
  if (element === undefined) return undefined;
  const text = String.fromCharCode(...valueBytes(dataSet, element).subarray(0, 64)).split('\\')[0] ?? '';
  const value = Number.parseFloat(text);
  return Number.isFinite(value) ? value : undefined;
}

function directionOf(set: DataSet | undefined): string | undefined {
  const numbers = numbersOf(set, 0x00189089);
  return numbers.length === 3 ? numbers.map((number) => number.toFixed(4)).join(' ') : undefined;
}

/** The acquisition time, used if no phase distinguishes frames. */
function acquisitionTime(dataSet: DataSet): number | undefined {
  return secondsOf(
    textOf(dataSet, 0x00080022) || textOf(dataSet, 0x00080023),
    textOf(dataSet, 0x00080032) || textOf(dataSet, 0x00080033),
  );
}
