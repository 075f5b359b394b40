import type { CombineRule } from '../shared/combine-rule.ts';
import { StriaError } from '../shared/errors.ts';
import { type ElementType, elementBytes, integerRanges, typedVoxels } from '../shared/volume.ts';

const everything = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
const ranges: Readonly<Record<ElementType, readonly [low: number, high: number]>> = {
  ...integerRanges,
  f32: everything,
  f64: everything,
};

/** A value as little-endian bytes of a type. */
export function bytesOfValue(value: number, type: ElementType): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(elementBytes(type));
  typedVoxels(type, bytes).fill(value);
  return bytes;
}

/** The neutral element of a rule: combining it with any value of the type gives that value. */
export function identityOf(rule: CombineRule, type: ElementType): number {
  const [least, most] = ranges[type];
  return rule === 'max' ? least : rule === 'min' ? most : 0;
}

/**
 * The type of the result.
 * @throws StriaError `invalid-input` for a type that cannot hold all values of the volumes, or that the rule does not support
 */
export function resultType(from: ElementType, wanted: ElementType | undefined, rule: CombineRule): ElementType {
  const to = wanted ?? from;
  const [low, high] = ranges[from];
  const isFloat = (type: ElementType) => type === 'f32' || type === 'f64';
  // f32 holds whole numbers of 24 bits.
  const holdsAll = isFloat(to)
    ? to === 'f64' || from === 'f32' || elementBytes(from) < 4
    : !isFloat(from) && ranges[to][0] <= low && ranges[to][1] >= high;
  if (!holdsAll) throw new StriaError('invalid-input', `${to} cannot hold all values of ${from}, the type of the volumes`);
  if (rule === 'or' && isFloat(to)) throw new StriaError('invalid-input', `--by or needs integers, not ${to}`);
  return to;
}

/**
 * Combines volumes, voxel by voxel. Sums are computed in double precision, in the order of the volumes, and rounded or limited to
 * the type of the result once, at the end.
 */
export class Combiner {
  readonly #rule: CombineRule;
  readonly #to: ElementType;
  readonly #values: Float64Array;

  /** @param to type of the result. @param count number of voxels */
  constructor(rule: CombineRule, to: ElementType, count: number) {
    this.#rule = rule;
    this.#to = to;
    const [least, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    // -0 + x is x for every x.
    this.#values = new Float64Array(count).fill(rule === 'max' ? least : rule === 'min' ? most : -0);
  }

  add(voxels: ArrayLike<number>): void {
    const values = this.#values;
    switch (this.#rule) {
      case 'sum':
        for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) + (voxels[at] as number);
        return;
      case 'max':
        for (let at = 0; at < values.length; at++) values[at] = Math.max(values[at] as number, voxels[at] as number);
        return;
      case 'min':
        for (let at = 0; at < values.length; at++) values[at] = Math.min(values[at] as number, voxels[at] as number);
        return;
      case 'or':
        for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) | (voxels[at] as number);
    }
  }

  /** The voxels as little-endian bytes, and the number of voxels that were limited to the range of the type. */
  result(): { readonly bytes: Uint8Array<ArrayBuffer>; readonly saturatedCount: number } {
    const [least, most] = ranges[this.#to];
    const bytes = new Uint8Array(this.#values.length * elementBytes(this.#to));
    const voxels = typedVoxels(this.#to, bytes);
    let saturatedCount = 0;
    for (let at = 0; at < voxels.length; at++) {
      const value = this.#values[at] as number;
      // A union of 32 bits is negative as a signed number.
      if (this.#rule === 'or') voxels[at] = value;
      else if (value > most) voxels[at] = most;
      else if (value < least) voxels[at] = least;
      else voxels[at] = value;
      if (this.#rule === 'sum' && (value > most || value < least)) saturatedCount++;
    }
    return { bytes, saturatedCount };
  }
}
