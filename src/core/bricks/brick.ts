import { chunkName } from '../shared/chunk-name.ts';

/** A chunk of a level: the unit that is loaded, decoded and drawn. Level 0 is the volume itself. */
export interface Brick {
  readonly level: number;
  /** The chunk's number in its level. */
  readonly number: number;
}

/** A brick as one number, for maps. */
export type BrickKey = number;

/** A level has at most this many chunks (`maxChunkCount` of core/format). */
const numbersPerLevel = 2 ** 24;

export function brickKey({ level, number }: Brick): BrickKey {
  return level * numbersPerLevel + number;
}

export function brickOf(key: BrickKey): Brick {
  return { level: Math.floor(key / numbersPerLevel), number: key % numbersPerLevel };
}

/** A brick's name in messages: `chunk 12`, or `level 3, chunk 12`. */
export function brickName({ level, number }: Brick): string {
  return level === 0 ? chunkName(number) : `level ${level}, ${chunkName(number)}`;
}
