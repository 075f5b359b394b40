import { StriaError } from '../../shared/errors.ts';
import { BitReader, BitWriter } from '../bits.ts';
import { chooseCode, escapeQuotient, partWorth, rawCode, zeroCode } from './choice.ts';
import type { Block, BrickLayout, Form } from './layout.ts';
import {
  forEachElement,
  fromSymbol,
  levelPredictor,
  meanOf,
  Neighbourhood,
  predictorsOf,
  rowStep,
  sumPredictors,
  toSymbol,
} from './predictors.ts';

/**
 * What a block may choose from: the predictors that are sums; behind them level once more, with the mean as its base instead of 0;
 * then the others.
 */
const meanCandidate = sumPredictors;
const predictorOf = (candidate: number) =>
  candidate < meanCandidate ? candidate : candidate === meanCandidate ? levelPredictor : candidate - 1;

/** One plane of one brick: SPEC.md, 'A brick'. */
export function encodeBrick(elements: Uint16Array, layout: BrickLayout, bits: 8 | 16, form: Form): Uint8Array {
  const { symbols, blocks } = predict(elements, layout, bits, form);
  const groups = layout.groups.map((group) => {
    const own = gather(symbols, group.elements);
    return { ...group, symbols: own, code: chooseCode(own, bits) };
  });
  const leastCode = Math.min(...groups.map(({ code }) => code));
  const codeWidth = digits(Math.max(...groups.map(({ code }) => code)) - leastCode);

  // Three streams side by side: 'all prefixes, then what escapes lack, then all suffixes, which end with the brick'.
  const escapes = new BitWriter(16);
  const suffixes = new BitWriter(elements.length);
  const brick = new BitWriter(elements.length);
  const hasEscapes = groups.some(({ symbols: own, code }) => isRice(code, bits) && own.some((s) => isEscape(s, code - 1)));
  brick.write(leastCode, 4);
  brick.write(codeWidth, 3);
  brick.write(Number(hasEscapes), 1);
  for (const { predictor, base } of blocks) {
    brick.write(predictor, predictorsOf(form).bits);
    brick.write(base, bits);
  }
  for (const { code } of groups) brick.write(code - leastCode, codeWidth);
  for (const { symbols: own, planes, code } of groups) {
    const width = suffixWidth(code, bits);
    for (const indices of planes) writePlanes(suffixes, symbols, indices, width);
    if (!isRice(code, bits)) continue;
    for (const symbol of own) {
      const zeros = Math.min(symbol >> width, escapeQuotient);
      brick.write(1 << zeros, zeros + 1);
      if (zeros === escapeQuotient) escapes.write(symbol >> width, bits - width);
    }
  }
  brick.append(escapes);
  for (let padding = -(brick.bitCount + suffixes.bitCount) & 31; padding > 0; padding -= 16) brick.write(0, Math.min(padding, 16));
  brick.append(suffixes);
  return brick.toBytes();
}

/** 'Bit by bit, from the lowest on: that of each symbol.' */
function writePlanes(suffixes: BitWriter, symbols: Uint16Array, indices: Uint32Array, width: number): void {
  for (let bit = 0; bit < width; bit++) {
    let plane = 0;
    for (let i = 0; i < indices.length; i++) plane |= (((symbols[indices[i] as number] as number) >> bit) & 1) << i;
    suffixes.write(plane & 0xffff, Math.min(indices.length, 16));
    suffixes.write(plane >>> 16, Math.max(indices.length - 16, 0));
  }
}

/** Adds what writePlanes wrote to symbols that are 0. @throws StriaError `corrupt` */
function readPlanes(suffixes: BitReader, symbols: Uint16Array, indices: Uint32Array, width: number): void {
  for (let bit = 0; bit < width; bit++) {
    const plane = suffixes.read(Math.min(indices.length, 16)) | (suffixes.read(Math.max(indices.length - 16, 0)) << 16);
    for (let i = 0; i < indices.length; i++) {
      const index = indices[i] as number;
      symbols[index] = (symbols[index] as number) | (((plane >>> i) & 1) << bit);
    }
  }
}

/** Symbols of the cheapest predictor of each block, at their elements' places. */
function predict(elements: Uint16Array, layout: BrickLayout, bits: 8 | 16, form: Form) {
  const symbols = new Uint16Array(elements.length);
  const blocks = layout.blocks.map((block) => {
    const neighbourhood = new Neighbourhood(elements, layout.extent, block, bits, form);
    const mean = meanOf(elements, layout.extent, block, bits);
    const candidate = choosePredictor(elements, layout, block, neighbourhood, mean, bits, form);
    const predictor = predictorOf(candidate);
    const isLevel = predictor === levelPredictor;
    const level = candidate === meanCandidate ? mean : 0;
    forEachElement(block, layout.extent, 1, (place) => {
      const { index } = place;
      // 'The block's first element is the base; its residual counts as 0.'
      if (index === block.first && !isLevel) return;
      symbols[index] = toSymbol((elements[index] as number) - (isLevel ? level : neighbourhood.predict(predictor, place)), bits);
    });
    return { predictor, base: isLevel ? level : (elements[block.first] as number) };
  });
  return { symbols, blocks };
}

/** 'The one whose groups' expected costs add up to the least, by a sample of rows; the first on a tie.' */
function choosePredictor(
  elements: Uint16Array,
  layout: BrickLayout,
  block: Block,
  neighbourhood: Neighbourhood,
  mean: number,
  bits: 8 | 16,
  form: Form,
): number {
  const partCount = 2 * layout.groups.length;
  const candidateCount = predictorsOf(form).count + 1;
  const sums = new Uint32Array(candidateCount * partCount);
  const counts = new Uint32Array(partCount);
  forEachElement(block, layout.extent, rowStep(block, form), (place) => {
    const { index } = place;
    const part = layout.partOf[index] as number;
    const element = elements[index] as number;
    const add = (candidate: number, expected: number) => {
      const at = candidate * partCount + part;
      sums[at] = (sums[at] as number) + toSymbol(element - expected, bits);
    };
    counts[part] = (counts[part] as number) + 1;
    add(levelPredictor, 0);
    add(meanCandidate, mean);
    if (index === block.first) return;
    for (let candidate = 1; candidate < candidateCount; candidate++) {
      if (candidate !== meanCandidate) add(candidate, neighbourhood.predict(predictorOf(candidate), place));
    }
  });
  let least = Number.POSITIVE_INFINITY;
  let best = 0;
  for (let candidate = 0; candidate < candidateCount; candidate++) {
    let cost = 0;
    for (let part = 0; part < partCount; part++) {
      const count = counts[part] as number;
      if (count > 0) cost += partWorth(sums[candidate * partCount + part] as number, count);
    }
    if (cost < least) {
      least = cost;
      best = candidate;
    }
  }
  return best;
}

/** The plane back. @throws StriaError `corrupt` */
export function decodeBrick(bytes: Uint8Array, layout: BrickLayout, bits: 8 | 16, form: Form): Uint16Array {
  const header = new BitReader(bytes);
  const leastCode = header.read(4);
  const codeWidth = header.read(3);
  const hasEscapes = header.read(1) === 1;
  const blocks = layout.blocks.map(() => ({ predictor: header.read(predictorsOf(form).bits), base: header.read(bits) }));
  if (codeWidth > 4) throw corrupt(`brick has codes of ${codeWidth} bits`);
  const groups = layout.groups.map((group) => ({ ...group, code: leastCode + header.read(codeWidth) }));
  for (const { code } of groups) {
    if (code > rawCode(bits)) throw corrupt(`brick has a group of code ${code}; the highest is ${rawCode(bits)}`);
  }

  const symbols = new Uint16Array(layout.count);
  const suffixBits = groups.reduce((sum, { elements, code }) => sum + suffixWidth(code, bits) * elements.length, 0);
  const suffixesAt = 8 * bytes.length - suffixBits;
  if (suffixesAt < header.position) throw corrupt(`brick has ${bytes.length} bytes, too few for its suffixes`);
  const suffixes = new BitReader(bytes, suffixesAt);
  for (const { planes, code } of groups) {
    for (const indices of planes) readPlanes(suffixes, symbols, indices, suffixWidth(code, bits));
  }
  const prefixes = new BitReader(bytes, header.position);
  const escaped: { index: number; k: number }[] = [];
  for (const { elements, code } of groups) {
    if (!isRice(code, bits)) continue;
    for (const index of elements) {
      const quotient = prefixes.readUnary(escapeQuotient);
      if (quotient === escapeQuotient) escaped.push({ index, k: code - 1 });
      else symbols[index] = widened((symbols[index] as number) + (quotient << (code - 1)), bits);
    }
  }
  if (hasEscapes !== escaped.length > 0) throw corrupt(`brick has ${escaped.length} escapes against its word`);
  const escapes = new BitReader(bytes, prefixes.position);
  for (const { index, k } of escaped) {
    const quotient = escapes.read(bits - k);
    if (quotient < escapeQuotient) throw corrupt(`brick escapes a quotient of ${quotient}`);
    symbols[index] = (symbols[index] as number) + (quotient << k);
  }
  const padding = suffixesAt - escapes.position;
  if (padding < 0 || padding > 31) throw corrupt(`brick's suffixes start at bit ${suffixesAt}; what stands before ends at ${escapes.position}`);
  if ((escapes.read(Math.min(padding, 16)) | escapes.read(Math.max(padding - 16, 0))) !== 0)
    throw corrupt('brick has bits that are not 0 in front of its suffixes');
  return reconstruct(symbols, blocks, layout, bits, form);
}

/** 'A symbol that does not fit the element is corrupt.' */
function widened(symbol: number, bits: 8 | 16): number {
  if (symbol >> bits === 0) return symbol;
  throw corrupt(`brick has a symbol ${symbol} in elements of ${bits} bits`);
}

function reconstruct(
  symbols: Uint16Array,
  blocks: readonly { readonly predictor: number; readonly base: number }[],
  layout: BrickLayout,
  bits: 8 | 16,
  form: Form,
): Uint16Array {
  const elements = new Uint16Array(symbols.length);
  for (const [i, { predictor, base }] of blocks.entries()) {
    const block = layout.blocks[i] as Block;
    const isLevel = predictor === levelPredictor;
    if (symbols[block.first] !== 0 && !isLevel) throw corrupt("brick has a residual at a block's first element");
    elements[block.first] = base;
    const neighbourhood = new Neighbourhood(elements, layout.extent, block, bits, form);
    forEachElement(block, layout.extent, 1, (place) => {
      const { index } = place;
      if (index === block.first && !isLevel) return;
      const element = (isLevel ? base : neighbourhood.predict(predictor, place)) + fromSymbol(symbols[index] as number);
      elements[index] = bits === 8 ? element & 0xff : element;
    });
  }
  return elements;
}

function gather(values: Uint16Array, indices: Uint32Array): Uint16Array {
  const gathered = new Uint16Array(indices.length);
  for (let i = 0; i < indices.length; i++) gathered[i] = values[indices[i] as number] as number;
  return gathered;
}

/** Bits of a symbol that are its suffix. */
function suffixWidth(code: number, bits: 8 | 16): number {
  return isRice(code, bits) ? code - 1 : code === zeroCode ? 0 : bits;
}

function isRice(code: number, bits: 8 | 16): boolean {
  return code !== zeroCode && code < rawCode(bits);
}

function isEscape(symbol: number, k: number): boolean {
  return symbol >> k >= escapeQuotient;
}

/** Binary digits of a whole number; 0 has none. */
function digits(value: number): number {
  return 32 - Math.clz32(value);
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the rice ${what}`);
}
