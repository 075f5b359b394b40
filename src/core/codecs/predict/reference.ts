import { chunkBytes } from '../../codec/batch.ts';
import { indicesOf, planesOf } from '../../codec/bricks.ts';
import type { ChunkGeometry, CodecParameters, ReferenceCodec } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import { decodeBrick, encodeBrick } from './brick.ts';
import { classCount, groupWords, headBits, tailBits, zeroClass } from './classes.ts';
import { blockTotal, fixedBytes, parseMode, type Unit, unitsOf, wordBytes } from './layout.ts';
import { flatMark, medianPredictor } from './predictors.ts';
import { WordReader, WordWriter } from './words.ts';

export const reference: ReferenceCodec = {
  encode(chunk, parameters) {
    const { geometry, tryMedian } = parseMode(parameters);
    const { bytes, shape, elementBytes } = chunk;
    const length = chunkBytes(chunk);
    if (bytes.byteLength !== length) throw new StriaError('internal', `a chunk of ${length} bytes was given ${bytes.byteLength}`);
    const { bits } = planesOf(elementBytes);

    const units = unitsOf(chunk, geometry);
    const predictors = new Uint8Array(fixedBytes(chunk, geometry)[0]);
    const bases = new Uint8Array(fixedBytes(chunk, geometry)[1]);
    const classes = new WordWriter();
    const tails = new WordWriter();
    const heads = Array.from({ length: classCount(bits) }, () => new WordWriter());
    for (const { origin, extent, plane, layout, blockPlaces } of units) {
      const indices = indicesOf({ origin, extent }, shape);
      const elements = Uint16Array.from(indices, (index) => readPlane(bytes, index * elementBytes + 2 * plane, bits));
      const brick = encodeBrick(elements, layout, bits, tryMedian);
      for (const [i, place] of blockPlaces.entries()) {
        predictors[place] = brick.predictors[i] as number;
        writePlane(bases, (place * bits) / 8, bits, brick.bases[i] as number);
      }
      // 'for each group its class, 4 bits; then zero bits up to a whole word'
      for (const { groupClass } of brick.groups) classes.write(groupClass, 4);
      classes.align();
      for (const { groupClass, symbols } of brick.groups) {
        if (groupClass === zeroClass) continue;
        // A symbol's tail is its low t bits, its head the rest. A group's heads fill whole words, and so do its tails.
        const tail = tailBits(groupClass, bits);
        const own = heads[groupClass - 1] as WordWriter;
        for (const symbol of symbols) {
          own.write(symbol >> tail, headBits(groupClass));
          tails.write(symbol & ((1 << tail) - 1), tail);
        }
        own.align();
        tails.align();
      }
    }
    const sections = [predictors, bases, ...[classes, tails, ...heads].map((writer) => writer.toBytes())];
    const payload = new Uint8Array(sections.reduce((sum, section) => sum + section.byteLength, 0));
    let at = 0;
    for (const section of sections) {
      payload.set(section, at);
      at += section.byteLength;
    }
    return payload;
  },

  decode(payload, chunk, parameters) {
    const { bits } = planesOf(chunk.elementBytes);
    const { units, sectionBytes } = readPlan(payload, chunk, parameters);
    const bytes = new Uint8Array(chunkBytes(chunk));
    let start = 0;
    const [, , , tails, ...heads] = sectionBytes.map((length) => {
      start += length;
      return new WordReader(payload, start - length);
    }) as [WordReader, WordReader, WordReader, WordReader, ...WordReader[]];
    for (const { unit, predictors, bases, classes } of units) {
      const groups = classes.map((groupClass, i) => {
        const symbols = new Uint16Array((unit.layout.groups[i] as Uint32Array).length);
        if (groupClass === zeroClass) return { groupClass, symbols };
        const tail = tailBits(groupClass, bits);
        const own = heads[groupClass - 1] as WordReader;
        for (let j = 0; j < symbols.length; j++) symbols[j] = (own.read(headBits(groupClass)) << tail) | tails.read(tail);
        if (!own.align() || !tails.align()) throw corrupt('group is followed by nonzero bits');
        return { groupClass, symbols };
      });
      const elements = decodeBrick({ predictors, bases, groups }, unit.layout, bits);
      const indices = indicesOf(unit, chunk.shape);
      for (let j = 0; j < elements.length; j++) {
        writePlane(bytes, (indices[j] as number) * chunk.elementBytes + 2 * unit.plane, bits, elements[j] as number);
      }
    }
    return bytes;
  },

  sections(payload, chunk, parameters) {
    return readPlan(payload, chunk, parameters).sectionBytes.filter((length) => length > 0);
  },
};

/** A unit, with the part of it that is stored before the tails. */
interface PlannedUnit {
  readonly unit: Unit;
  readonly predictors: readonly number[];
  readonly bases: readonly number[];
  /** None in a flat brick. */
  readonly classes: readonly number[];
}

/** Reads predictors, bases and classes, and computes the lengths of the sections. @throws StriaError `corrupt` */
function readPlan(
  payload: Uint8Array,
  chunk: ChunkGeometry,
  parameters: CodecParameters,
): { units: PlannedUnit[]; sectionBytes: number[] } {
  const { geometry, tryMedian } = parseMode(parameters);
  chunkBytes(chunk); // Refuses absurd shapes before memory is allocated.
  const { bits } = planesOf(chunk.elementBytes);
  const fixed = fixedBytes(chunk, geometry);
  const basesAt = fixed[0];
  const classesAt = basesAt + fixed[1];
  if (payload.byteLength < classesAt) {
    throw corrupt(`payload ends after ${payload.byteLength} bytes, in its predictors and bases of ${classesAt} bytes`);
  }

  const classes = new WordReader(payload, classesAt);
  const sectionBytes = [...fixed, ...new Array<number>(2 + classCount(bits)).fill(0)];
  const add = (section: number, length: number) => {
    sectionBytes[section] = (sectionBytes[section] as number) + length;
  };
  const units = unitsOf(chunk, geometry).map((unit) => {
    const { layout, blockPlaces } = unit;
    const predictors = blockPlaces.map((place) => payload[place] as number);
    const bases = blockPlaces.map((place) => readPlane(payload, basesAt + (place * bits) / 8, bits));
    const isFlat = predictors[0] === flatMark;
    for (const predictor of predictors) {
      if ((predictor === flatMark) !== isFlat) throw corrupt('brick is flat in only some of its blocks');
      if (!isFlat && predictor >= medianPredictor + Number(tryMedian))
        throw corrupt(`brick has an unknown predictor ${predictor}`);
    }
    if (isFlat) return { unit, predictors, bases, classes: [] };

    add(2, wordBytes(layout.groups.length / 2));
    if (payload.byteLength < classesAt + (sectionBytes[2] as number)) {
      throw corrupt(`payload ends after ${payload.byteLength} bytes, in its classes`);
    }
    const own = layout.groups.map(({ length }) => {
      const groupClass = classes.read(4);
      if (groupClass > classCount(bits)) throw corrupt(`brick has a group of class ${groupClass}`);
      const words = groupWords(groupClass, length, bits);
      add(3, 4 * words.tails);
      if (groupClass !== zeroClass) add(3 + groupClass, 4 * words.heads);
      return groupClass;
    });
    if (!classes.align()) throw corrupt("brick's classes are followed by nonzero bits");
    return { unit, predictors, bases, classes: own };
  });
  const end = sectionBytes.reduce((sum, length) => sum + length, 0);
  if (end !== payload.byteLength) throw corrupt(`payload has ${payload.byteLength} bytes; its sections end at ${end}`);
  assertPadding(payload, fixed, blockTotal(chunk, geometry), bits);
  return { units, sectionBytes };
}

/** 'all padding bits are 0' */
function assertPadding(
  payload: Uint8Array,
  [predictorBytes, baseBytes]: readonly [number, number],
  blocks: number,
  bits: 8 | 16,
): void {
  const padding = [
    ...payload.subarray(blocks, predictorBytes),
    ...payload.subarray(predictorBytes + (blocks * bits) / 8, predictorBytes + baseBytes),
  ];
  if (padding.some((byte) => byte !== 0)) throw corrupt('payload has nonzero bytes after its predictors or bases');
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the predict ${what}`);
}

function readPlane(bytes: Uint8Array, at: number, bits: 8 | 16): number {
  const low = bytes[at] as number;
  return bits === 8 ? low : low | ((bytes[at + 1] as number) << 8);
}

function writePlane(bytes: Uint8Array, at: number, bits: 8 | 16, value: number): void {
  bytes[at] = value;
  if (bits === 16) bytes[at + 1] = value >> 8;
}
