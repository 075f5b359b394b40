import { BitReader, BitWriter } from '../../codec/bits.ts';
import { fromSymbol, toSymbol } from '../../codec/symbols.ts';
import { StriaError } from '../../shared/errors.ts';
import { chooseCode, escapeQuotient, partWorth, rawCode, zeroCode } from './choice.ts';
import type { Block, BrickLayout, Form } from './layout.ts';
import { forEachElement, levelPredictor, meanOf, Neighbourhood, predictorsOf, rowStep, sumPredictors } from './predictors.ts';

/**
 * The candidates of a block: first the predictors that are sums, then level again with the mean as its base instead of 0, then
 * the others.
 */
const meanCandidate = sumPredictors;
const predictorOf = (candidate: number) =>
  candidate < meanCandidate ? candidate : candidate === meanCandidate ? levelPredictor : candidate - 1;

/** One plane of one brick: SPEC.md, 'A brick'. */
export function encodeBrick(elements: Uint16Array, layout: BrickLayout, bits: 8 | 16, form: Form): Uint8Array {
  const { symbols, blocks } = predict(elements, layout, bits, form);
  const prefixes = new BitWriter(elements.length);
  const escapes = new BitWriter(16);
  const suffixes = new BitWriter(elements.length);
  const codes = layout.groups.map((group) => {
    const own = gather(symbols, group.elements);
    const code = chooseCode(own, bits);
    const width = suffixWidth(code, bits);
    if (isRice(code, bits)) writePrefixes(prefixes, escapes, own, width, bits);
    for (const indices of group.planes) writePlanes(suffixes, symbols, indices, width, bits);
    return code;
  });

  const brick = new BitWriter(elements.length);
  const leastCode = Math.min(...codes);
  const codeWidth = digits(Math.max(...codes) - leastCode);
  brick.write(leastCode, 4);
  brick.write(codeWidth, 3);
  brick.write(Number(escapes.bitCount > 0), 1);
  for (const { predictor, base } of blocks) {
    brick.write(predictor, predictorsOf(form).bits);
    brick.write(base, bits);
  }
  for (const code of codes) brick.write(code - leastCode, codeWidth);
  // All prefixes, then the escapes, then all suffixes, which end with the brick.
  brick.append(prefixes);
  brick.append(escapes);
  brick.write(0, -(brick.bitCount + suffixes.bitCount) & 31);
  brick.append(suffixes);
  return brick.toBytes();
}

/** Writes the prefixes of a Rice group with parameter `k`, and its escapes. */
function writePrefixes(prefixes: BitWriter, escapes: BitWriter, symbols: readonly number[], k: number, bits: 8 | 16): void {
  for (let i = 0; i < symbols.length; i++) {
    const quotient = (symbols[i] as number) >> k;
    const zeros = Math.min(quotient, escapeQuotient);
    prefixes.write(1 << zeros, zeros + 1);
    if (zeros === escapeQuotient) escapes.write(quotient, bits - k);
  }
}

/** 'Suffixes are stored bit by bit': the planes of at most 32 symbols. */
function writePlanes(suffixes: BitWriter, symbols: Uint16Array, indices: Uint32Array, width: number, bits: 8 | 16): void {
  const words = new Uint32Array(bits);
  for (let i = 0; i < indices.length; i++) {
    const row = i & (bits - 1);
    words[row] = (words[row] as number) | ((symbols[indices[i] as number] as number) << (i - row));
  }
  transpose(words);
  for (let bit = 0; bit < width; bit++) suffixes.write(words[bit] as number, indices.length);
}

/** The inverse of writePlanes: reads planes into `symbols`. @throws StriaError `corrupt` */
function readPlanes(suffixes: BitReader, symbols: Uint16Array, indices: Uint32Array, width: number, bits: 8 | 16): void {
  const words = new Uint32Array(bits);
  for (let bit = 0; bit < width; bit++) words[bit] = readWord(suffixes, indices.length);
  transpose(words);
  for (let i = 0; i < indices.length; i++) {
    const row = i & (bits - 1);
    symbols[indices[i] as number] = ((words[row] as number) >>> (i - row)) & ((1 << bits) - 1);
  }
}

/** For each bit 1, 2, 4 and 8: a mask of the columns, of 32, whose number lacks that bit. */
const columnsWithout: Readonly<Record<number, number>> = { 1: 0x55555555, 2: 0x33333333, 4: 0x0f0f0f0f, 8: 0x00ff00ff };

/**
 * Transposes adjacent squares of bits, four of 8 rows or two of 16. This turns words of symbols into planes, and planes into
 * words of symbols. In the words, symbol i begins in word i % bits at bit i − i % bits.
 */
function transpose(words: Uint32Array): void {
  for (let step = words.length / 2; step >= 1; step /= 2) {
    const columns = columnsWithout[step] as number;
    for (let row = 0; row < words.length; row++) {
      if ((row & step) !== 0) continue;
      const upper = words[row] as number;
      const lower = words[row + step] as number;
      const change = ((upper >>> step) ^ lower) & columns;
      words[row] = upper ^ (change << step);
      words[row + step] = lower ^ change;
    }
  }
}

/** The next `count` bits, at most 32. @throws StriaError `corrupt` past the end */
function readWord(reader: BitReader, count: number): number {
  return reader.read(Math.min(count, 16)) | (reader.read(Math.max(count - 16, 0)) << 16);
}

/** The symbols of each block under its cheapest predictor, in the order of the elements. */
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
      // 'the base is the block's first element, which has no neighbours: its residual counts as 0, and is coded as 0'
      if (index === block.first && !isLevel) return;
      symbols[index] = toSymbol((elements[index] as number) - (isLevel ? level : neighbourhood.predict(predictor, place)), bits);
    });
    return { predictor, base: isLevel ? level : (elements[block.first] as number) };
  });
  return { symbols, blocks };
}

/** 'The one with which the block's parts are worth the least in all', judged by a sample of rows. The first wins a tie. */
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
    counts[part] = (counts[part] as number) + 1;
    for (let candidate = 0; candidate < candidateCount; candidate++) {
      const predictor = predictorOf(candidate);
      if (index === block.first && predictor !== levelPredictor) continue;
      const level = candidate === meanCandidate ? mean : 0;
      const expected = predictor === levelPredictor ? level : neighbourhood.predict(predictor, place);
      const at = candidate * partCount + part;
      sums[at] = (sums[at] as number) + toSymbol((elements[index] as number) - expected, bits);
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

/** Decodes the plane. @throws StriaError `corrupt` */
export function decodeBrick(bytes: Uint8Array, layout: BrickLayout, bits: 8 | 16, form: Form): Uint16Array {
  const header = new BitReader(bytes);
  const leastCode = header.read(4);
  const codeWidth = header.read(3);
  const hasEscapes = header.read(1) === 1;
  const blocks = layout.blocks.map(() => ({ predictor: header.read(predictorsOf(form).bits), base: header.read(bits) }));
  if (codeWidth > 4) throw corrupt(`brick has codes of ${codeWidth} bits`);
  const codes = layout.groups.map(() => leastCode + header.read(codeWidth));
  for (const code of codes) {
    if (code > rawCode(bits)) throw corrupt(`brick has a group of code ${code}; the highest is ${rawCode(bits)}`);
  }

  const symbols = new Uint16Array(layout.count);
  const widths = codes.map((code) => suffixWidth(code, bits));
  const suffixBits = layout.groups.reduce((sum, { elements }, i) => sum + (widths[i] as number) * elements.length, 0);
  const suffixesAt = 8 * bytes.length - suffixBits;
  if (suffixesAt < header.position) throw corrupt(`brick has ${bytes.length} bytes, too few for its suffixes`);
  const suffixes = new BitReader(bytes, suffixesAt);
  for (const [i, { planes }] of layout.groups.entries()) {
    for (const indices of planes) readPlanes(suffixes, symbols, indices, widths[i] as number, bits);
  }
  const prefixes = new BitReader(bytes, header.position);
  const escaped: Escape[] = [];
  for (const [i, { elements }] of layout.groups.entries()) {
    if (isRice(codes[i] as number, bits)) readPrefixes(prefixes, symbols, elements, widths[i] as number, bits, escaped);
  }
  if (hasEscapes !== escaped.length > 0) throw corrupt(`brick has ${escaped.length} escapes, contrary to its escape bit`);
  const escapes = new BitReader(bytes, prefixes.position);
  for (const { index, k } of escaped) {
    const quotient = escapes.read(bits - k);
    if (quotient < escapeQuotient) throw corrupt(`brick escapes a quotient of ${quotient}`);
    symbols[index] = (symbols[index] as number) + (quotient << k);
  }
  const padding = suffixesAt - escapes.position;
  if (padding < 0 || padding > 31)
    throw corrupt(`brick's suffixes start at bit ${suffixesAt}; its escapes end at ${escapes.position}`);
  if (readWord(escapes, padding) !== 0) throw corrupt('brick has nonzero bits before its suffixes');
  return reconstruct(symbols, blocks, layout, bits, form);
}

/** An element whose quotient is stored as an escape, and the parameter of its group. */
interface Escape {
  readonly index: number;
  readonly k: number;
}

/** The inverse of writePrefixes: adds the quotients to a group's suffixes. @throws StriaError `corrupt` */
function readPrefixes(
  prefixes: BitReader,
  symbols: Uint16Array,
  elements: Uint32Array,
  k: number,
  bits: 8 | 16,
  escaped: Escape[],
): void {
  for (let i = 0; i < elements.length; i++) {
    const index = elements[i] as number;
    const quotient = prefixes.readUnary(escapeQuotient);
    if (quotient === escapeQuotient) {
      escaped.push({ index, k });
      continue;
    }
    const symbol = (symbols[index] as number) + (quotient << k);
    if (symbol >> bits !== 0) throw corrupt(`brick has a symbol ${symbol} in elements of ${bits} bits`);
    symbols[index] = symbol;
  }
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

/** A plain array, because creating a short typed array takes longer than filling it. */
function gather(values: Uint16Array, indices: Uint32Array): number[] {
  const gathered = new Array<number>(indices.length);
  for (let i = 0; i < indices.length; i++) gathered[i] = values[indices[i] as number] as number;
  return gathered;
}

/** Bits in a symbol's suffix. */
function suffixWidth(code: number, bits: 8 | 16): number {
  return isRice(code, bits) ? code - 1 : code === zeroCode ? 0 : bits;
}

function isRice(code: number, bits: 8 | 16): boolean {
  return code !== zeroCode && code < rawCode(bits);
}

/** Binary digits of a whole number; 0 has none. */
function digits(value: number): number {
  return 32 - Math.clz32(value);
}

function corrupt(what: string): StriaError {
  return new StriaError('corrupt', `the rice ${what}`);
}
