import { StriaError } from '../../shared/errors.ts';
import { BitReader, BitWriter } from '../bits.ts';
import { chooseCode, escapeQuotient, expectedCost, rawCode, zeroCode } from './choice.ts';
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
  const groups = layout.groups.map((indices) => {
    const own = gather(symbols, indices);
    return { symbols: own, code: chooseCode(own, bits) };
  });
  const leastCode = Math.min(...groups.map(({ code }) => code));
  const codeWidth = digits(Math.max(...groups.map(({ code }) => code)) - leastCode);

  // Three streams side by side: 'all suffixes, then all prefixes, then what escapes lack'.
  const prefixes = new BitWriter(512);
  const escapes = new BitWriter(16);
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
  for (const { symbols: own, code } of groups) {
    if (code === zeroCode) continue;
    if (!isRice(code, bits)) {
      for (const symbol of own) brick.write(symbol, bits);
      continue;
    }
    const k = code - 1;
    for (const symbol of own) {
      brick.write(symbol & ((1 << k) - 1), k);
      const zeros = Math.min(symbol >> k, escapeQuotient);
      prefixes.write(1 << zeros, zeros + 1);
      if (zeros === escapeQuotient) escapes.write(symbol >> k, bits - k);
    }
  }
  brick.append(prefixes);
  brick.append(escapes);
  return brick.toWords();
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
  const groupCount = layout.groups.length;
  const candidateCount = predictorsOf(form).count + 1;
  const sums = new Uint32Array(candidateCount * groupCount);
  const counts = new Uint32Array(groupCount);
  forEachElement(block, layout.extent, rowStep(block, form), (place) => {
    const { index } = place;
    const group = layout.groupOf[index] as number;
    const element = elements[index] as number;
    const add = (candidate: number, expected: number) => {
      const at = candidate * groupCount + group;
      sums[at] = (sums[at] as number) + toSymbol(element - expected, bits);
    };
    counts[group] = (counts[group] as number) + 1;
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
    for (let group = 0; group < groupCount; group++) {
      cost += expectedCost(sums[candidate * groupCount + group] as number, counts[group] as number, bits);
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
  const groups = layout.groups.map((indices) => ({ indices, code: leastCode + header.read(codeWidth) }));
  for (const { code } of groups) {
    if (code > rawCode(bits)) throw corrupt(`brick has a group of code ${code}; the highest is ${rawCode(bits)}`);
  }

  const suffixes = new BitReader(bytes, header.position);
  const symbols = new Uint16Array(layout.count);
  for (const { indices, code } of groups) {
    if (code === zeroCode) continue;
    for (const index of indices) symbols[index] = suffixes.read(isRice(code, bits) ? code - 1 : bits);
  }
  const riceGroups = groups.filter(({ code }) => isRice(code, bits));
  const prefixes = new BitReader(bytes, suffixes.position);
  const escaped: { index: number; k: number }[] = [];
  for (const { indices, code } of riceGroups) {
    for (const index of indices) {
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
  const padding = 8 * bytes.length - escapes.position;
  if (padding > 31) throw corrupt(`brick has ${bytes.length} bytes; its streams end at bit ${escapes.position}`);
  if ((escapes.read(Math.min(padding, 16)) | escapes.read(Math.max(padding - 16, 0))) !== 0)
    throw corrupt('brick ends in bits that are not 0');
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
