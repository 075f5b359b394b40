import type { Dims3 } from '../../shared/volume.ts';
import { biasesOf, chooseRange, levelsOf, sampleCount, samplePlace, solveWeights, specialsOf } from './choose.ts';
import { corruptPart, headerBytes, partKinds, readHeader } from './header.ts';
import type { PlaneType } from './layout.ts';
import type { Loops } from './loops.ts';
import { type Coding, inPlaneCount, type Model, neighbourCount } from './model.ts';

/** Encodes one plane of a block. Overwrites `elements` with values. */
export function encodePart(elements: Uint16Array, extent: Dims3, type: PlaneType, loops: Loops): Uint8Array {
  const sampled = Array.from(
    { length: Math.min(elements.length, sampleCount) },
    (_, i) => elements[samplePlace(i, elements.length)] as number,
  );
  const range = rangeOf(elements, sampled, type.bits);
  if (range.range === 0) return Uint8Array.of(partKinds.oneValue, ...bytesOf(elements.subarray(0, 1), type.bits));
  const mask = 2 ** type.bits - 1;
  const values = added(elements, -range.lowest, mask);
  const sample = sampled.map((element) => (element - range.lowest) & mask);
  const zeros = new Int32Array(neighbourCount);
  let model: Model = { ...type, ...range, specials: specialsOf(sample), weights: zeros, firstWeights: zeros };
  for (const byResiduals of [false, true]) {
    const [sums, firstSums] = loops.fit(model, values, extent, byResiduals);
    model = {
      ...model,
      weights: solveWeights(sums, neighbourCount),
      firstWeights: solveWeights(firstSums, inPlaneCount),
    };
  }
  const counts = loops.count(model, values, extent);
  const coding: Coding = { ...biasesOf(counts), levels: levelsOf(counts) };
  const streams = loops.encode(model, coding, values, extent);
  const raw = () => rawPart(added(values, range.lowest, mask), type.bits);
  if (!streams) return raw();
  const laneLengths = streams.map((stream) => stream.byteLength);
  const header = headerBytes({ model, coding, laneLengths }, extent[2]);
  const part = new Uint8Array(laneLengths.reduce((sum, length) => sum + length, header.byteLength));
  if (part.byteLength > (elements.length * type.bits) / 8) return raw();
  part.set(header);
  let start = header.byteLength;
  for (const stream of streams) {
    part.set(stream, start);
    start += stream.byteLength;
  }
  return part;
}

/** Decodes one plane of a block. @throws StriaError `corrupt` */
export function decodePart(part: Uint8Array, extent: Dims3, type: PlaneType, loops: Loops): Uint16Array {
  const count = extent[0] * extent[1] * extent[2];
  const bytes = type.bits / 8;
  const kind = part[0] ?? -1;
  if (kind === partKinds.oneValue || kind === partKinds.raw) {
    const stored = kind === partKinds.raw ? count : 1;
    if (part.byteLength !== 1 + stored * bytes) throw corruptPart('is not as long as its elements');
    const elements = Uint16Array.from(
      { length: stored },
      (_, i) => (part[1 + i * bytes] as number) + (bytes === 2 ? 256 * (part[2 + i * bytes] as number) : 0),
    );
    return kind === partKinds.raw ? elements : new Uint16Array(count).fill(elements[0] as number);
  }
  const { model, coding, laneLengths, byteLength } = readHeader(part, extent, type);
  const values = loops.decode(model, coding, part.subarray(byteLength), laneLengths, extent);
  const mask = 2 ** type.bits - 1;
  return added(values, model.lowest, mask);
}

/** Adds a summand to each element, in place. */
function added(elements: Uint16Array, summand: number, mask: number): Uint16Array {
  if (summand !== 0) for (let i = 0; i < elements.length; i++) elements[i] = ((elements[i] as number) + summand) & mask;
  return elements;
}

/** The lowest element and the range; see `chooseRange`. */
function rangeOf(elements: Uint16Array, sampled: readonly number[], bits: number): Pick<Model, 'lowest' | 'range'> {
  // Marking values is faster than four comparisons for each element.
  const isMet = new Uint8Array(2 ** bits);
  for (let i = 0; i < elements.length; i++) isMet[elements[i] as number] = 1;
  const sign = 2 ** (bits - 1);
  const [low, high] = [isMet.indexOf(1), isMet.lastIndexOf(1)];
  const [negative, positive] = [isMet.indexOf(1, sign), isMet.lastIndexOf(1, sign - 1)];
  // With the highest bit flipped, negative numbers come first.
  const signedLow = (negative < 0 ? low : negative) ^ sign;
  const signedHigh = (positive < 0 ? high : positive) ^ sign;
  return chooseRange([low, high, signedLow, signedHigh], sampled, bits);
}

function rawPart(elements: Uint16Array, bits: number): Uint8Array {
  const bytes = bytesOf(elements, bits);
  const part = new Uint8Array(1 + bytes.byteLength);
  part[0] = partKinds.raw;
  part.set(bytes, 1);
  return part;
}

function bytesOf(elements: Uint16Array, bits: number): Uint8Array {
  const bytes = new Uint8Array((elements.length * bits) / 8);
  for (const [i, element] of elements.entries()) {
    if (bits === 8) bytes[i] = element;
    else {
      bytes[2 * i] = element;
      bytes[2 * i + 1] = element >> 8;
    }
  }
  return bytes;
}
