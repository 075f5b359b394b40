import { chunkBytes } from '../../codec/batch.ts';
import { type BrickGeometry, brickCount, cut, indicesOf, type Part, planesOf } from '../../codec/bricks.ts';
import type { ChunkGeometry, CodecElementBytes, CodecOptions, CodecParameters } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';

const geometries: Readonly<Record<'volume' | 'picture', Readonly<Record<8 | 16, BrickGeometry>>>> = {
  volume: {
    8: { brick: [16, 16, 16], block: [16, 16, 16], group: [4, 4, 4] },
    16: { brick: [16, 16, 8], block: [16, 16, 8], group: [4, 4, 2] },
  },
  picture: {
    8: { brick: [64, 64, 1], block: [32, 32, 1], group: [8, 8, 1] },
    16: { brick: [64, 32, 1], block: [32, 32, 1], group: [8, 4, 1] },
  },
};

export function geometryOf({ picture }: Form, elementBytes: CodecElementBytes): BrickGeometry {
  return geometries[picture ? 'picture' : 'volume'][planesOf(elementBytes).bits];
}

/** A chunk's parameter byte, read. */
export interface Form {
  readonly picture: boolean;
  /** Whether blocks may also use the predictors that are not sums: median and the linear ones. */
  readonly causal: boolean;
}

const causalBit = 16;

const formBytes: Readonly<Record<number, CodecParameters>> = Object.fromEntries(
  [0, 1, causalBit, causalBit + 1].map((byte) => [byte, Uint8Array.of(byte)]),
);

/** SPEC.md, 'Parameters'. */
export function formParameters(shape: Dims3, effort: CodecOptions['effort']): CodecParameters {
  return formBytes[(shape[2] < 4 ? 1 : 0) + (effort === 'max' ? causalBit : 0)] as CodecParameters;
}

/** SPEC.md, 'Parameters'. @throws StriaError `corrupt` */
export function parseForm(parameters: CodecParameters): Form {
  const byte = parameters[0];
  if (byte === undefined || parameters.byteLength !== 1 || (byte & ~(causalBit | 1)) !== 0) {
    throw new StriaError('corrupt', `rice takes one parameter byte, 0, 1, 16 or 17; found [${[...parameters].join(', ')}]`);
  }
  return { picture: byte % 2 === 1, causal: byte >= causalBit };
}

/** Blocks in an unclipped brick. */
function blocksPerBrick({ brick, block }: BrickGeometry): number {
  return (brick[0] / block[0]) * (brick[1] / block[1]) * (brick[2] / block[2]);
}

/**
 * Words of the longest code of one plane of a brick: its elements, preceded by 8 bits, by 4 bits and the base for each of four
 * blocks, and by 4 bits for each of 64 groups. Twin: `room_words` in src/shaders/rice/brick.wgsl.
 */
export function roomWords({ shape, elementBytes }: ChunkGeometry, { brick }: BrickGeometry): number {
  const elements = brick.reduce((product, length, axis) => product * Math.min(length, shape[axis] as number), 1);
  return Math.ceil((elements * planesOf(elementBytes).bits + mostHeaderBits) / 32);
}

const mostHeaderBits = 312;

/** SPEC.md, 'Decoding': the most words that any encoder may use for one plane of a brick. */
export const mostBrickWords = Math.ceil((8 * 4096 + mostHeaderBits) / 32);

/** 'then zeros up to a whole word' */
export function directoryBytes(entries: number): number {
  return 4 * Math.ceil(entries / 2);
}

/** The longest payload, in bytes: a group takes no more than its elements, and each brick adds its length, header and codes. */
export function encodedBound(chunk: ChunkGeometry, form: Form): number {
  const geometry = geometryOf(form, chunk.elementBytes);
  const { planes, bits } = planesOf(chunk.elementBytes);
  const headerBits = 8 + blocksPerBrick(geometry) * (4 + bits) + 4 * 64;
  const bricks = brickCount(chunk, geometry) * planes;
  return chunkBytes(chunk) + directoryBytes(bricks) + bricks * 4 * Math.ceil(headerBits / 32 + 1);
}

/** The places of a brick's elements in its blocks and groups. */
export interface BrickLayout {
  readonly extent: Dims3;
  readonly count: number;
  readonly blocks: readonly Block[];
  readonly groups: readonly Group[];
  /** For each element, the number of its part: SPEC.md, "The encoder's choice". */
  readonly partOf: Uint8Array;
}

/** The indices of a group's elements in the brick. */
export interface Group {
  /** 'Elements in a group are taken by tiles.' */
  readonly elements: Uint32Array;
  /** For each 32 places of a whole group, the elements that exist, in the order of their suffixes' bits. */
  readonly planes: readonly Uint32Array[];
}

export interface Block extends Part {
  /** Index of its first element in the brick. */
  readonly first: number;
}

/** The most layouts that are kept for a geometry. A chunk has at most eight extents, and most chunks of a volume have the same. */
const mostLayouts = 64;
const knownLayouts = new WeakMap<BrickGeometry, Map<string, BrickLayout>>();

/** Computes the layout of each brick extent only once. */
export function brickLayouts(geometry: BrickGeometry): (extent: Dims3) => BrickLayout {
  const known = knownLayouts.get(geometry) ?? new Map<string, BrickLayout>();
  knownLayouts.set(geometry, known);
  return (extent) => {
    const key = extent.join();
    const found = known.get(key);
    if (found) return found;
    if (known.size === mostLayouts) known.clear();
    const layout = layOut(extent, geometry);
    known.set(key, layout);
    return layout;
  };
}

function layOut(extent: Dims3, { block, group }: BrickGeometry): BrickLayout {
  const count = extent[0] * extent[1] * extent[2];
  const groupElements = group[0] * group[1] * group[2];
  // Elements per word: a group is 64 elements of 1 byte or 32 of 2 bytes.
  const lanes = groupElements === 64 ? 4 : 2;
  const partOf = new Uint8Array(count);
  const placesByBit = Array.from({ length: groupElements }, (_, bit) => placeOfBit(bit, lanes));
  const groups = cut(extent, group).map((part, number) => {
    // The element at each place of a whole group; −1 if there is none.
    const elementAt = new Array<number>(groupElements).fill(-1);
    for (const [i, index] of indicesOf(part, extent).entries()) {
      const place = placeInGroup(i, part.extent, group, lanes);
      elementAt[place] = index;
      partOf[index] = 2 * number + Math.floor((2 * place) / groupElements);
    }
    const present = (indices: number[]) => new Uint32Array(indices.filter((index) => index >= 0));
    const elementAtBit = placesByBit.map((place) => elementAt[place] as number);
    const planes = Array.from({ length: groupElements / 32 }, (_, set) => present(elementAtBit.slice(32 * set, 32 * set + 32)));
    return { elements: present(elementAt), planes };
  });
  const blocks = cut(extent, block).map((part) => ({ ...part, first: indicesOf(part, extent)[0] as number }));
  return { extent, count, blocks, groups, partOf };
}

/** The place of a clipped group's element `i` in a whole group: 'A tile is one word of 4 bytes × 4 rows'. */
function placeInGroup(i: number, [width, height]: Dims3, group: Dims3, lanes: 4 | 2): number {
  const x = i % width;
  const y = Math.floor(i / width) % height;
  const z = Math.floor(i / width / height);
  const tile = Math.floor(x / lanes) + (group[0] / lanes) * (Math.floor(y / 4) + (group[1] / 4) * z);
  return lanes * (4 * tile + (y % 4)) + (x % lanes);
}

/** The place whose symbols' bits are bit `bit` of a whole group's planes. A plane covers 32 places. */
function placeOfBit(bit: number, lanes: 4 | 2): number {
  const first = bit - (bit % 32);
  if (lanes === 4) return first + 4 * (bit % 8) + ((bit >> 3) % 4);
  return first + 2 * (bit % 4) + 8 * ((bit >> 3) % 2) + 16 * ((bit >> 2) % 2) + ((bit >> 4) % 2);
}
