import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { BitReader, BitWriter } from './bits.ts';
import { chooseCode, escapeQuotient, expectedCost, rawCode, zeroCode } from './choice.ts';
import type { BrickLayout } from './layout.ts';
import { accumulate, difference, fromSymbol, predictors, toSymbol } from './predictors.ts';

/** One plane of one brick: SPEC.md, 'A brick'. */
export function encodeBrick(elements: Uint16Array, layout: BrickLayout, bits: 8 | 16): Uint8Array {
  const { symbols, blocks } = predict(elements, layout, bits);
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
    brick.write(predictor, 3);
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
  return brick.toBytes();
}

/** Symbols of the cheapest predictor of each block, at their elements' places. */
function predict(elements: Uint16Array, layout: BrickLayout, bits: 8 | 16) {
  const symbols = new Uint16Array(elements.length);
  const blocks = layout.blocks.map(({ extent, indices, groups }) => {
    const own = gather(elements, indices);
    let least = Number.POSITIVE_INFINITY;
    let best = { predictor: 0, symbols: own };
    for (let predictor = 0; predictor < predictors.length; predictor++) {
      const candidate = symbolsOf(own, extent, predictor, bits);
      let cost = 0;
      for (const group of groups) {
        let symbolSum = 0;
        for (let i = 0; i < group.length; i++) symbolSum += candidate[group[i] as number] as number;
        cost += expectedCost(symbolSum, group.length, bits);
      }
      if (cost < least) {
        least = cost;
        best = { predictor, symbols: candidate };
      }
    }
    scatter(best.symbols, indices, symbols);
    return { predictor: best.predictor, base: own[0] as number };
  });
  return { symbols, blocks };
}

/** 'The base is the block's first element; its residual counts as 0.' */
function symbolsOf(elements: Uint16Array, extent: Dims3, predictor: number, bits: 8 | 16): Uint16Array {
  const block = elements.slice();
  difference(block, extent, predictor);
  block[0] = 0;
  for (let i = 0; i < block.length; i++) block[i] = toSymbol(block[i] as number, bits);
  return block;
}

/** The plane back. @throws StriaError `corrupt` */
export function decodeBrick(bytes: Uint8Array, layout: BrickLayout, bits: 8 | 16): Uint16Array {
  const header = new BitReader(bytes);
  const leastCode = header.read(4);
  const codeWidth = header.read(3);
  const hasEscapes = header.read(1) === 1;
  const blocks = layout.blocks.map(() => ({ predictor: header.read(3), base: header.read(bits) }));
  for (const { predictor } of blocks) {
    if (predictor >= predictors.length) throw corrupt(`brick names a predictor ${predictor}, of ${predictors.length}`);
  }
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
      else symbols[index] = widened((symbols[index] as number) + quotient * 2 ** (code - 1), bits);
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
  if (padding > 7) throw corrupt(`brick has ${bytes.length} bytes; its streams end at bit ${escapes.position}`);
  if (escapes.read(padding) !== 0) throw corrupt('brick ends in bits that are not 0');
  return reconstruct(symbols, blocks, layout);
}

/** 'A symbol that does not fit the element is corrupt.' */
function widened(symbol: number, bits: 8 | 16): number {
  if (symbol < 2 ** bits) return symbol;
  throw corrupt(`brick has a symbol ${symbol} in elements of ${bits} bits`);
}

function reconstruct(
  symbols: Uint16Array,
  blocks: readonly { readonly predictor: number; readonly base: number }[],
  layout: BrickLayout,
): Uint16Array {
  const elements = new Uint16Array(symbols.length);
  for (const [i, { predictor, base }] of blocks.entries()) {
    const { extent, indices } = layout.blocks[i] as BrickLayout['blocks'][number];
    const block = gather(symbols, indices);
    if (block[0] !== 0) throw corrupt("brick has a residual at a block's first element");
    for (let j = 0; j < block.length; j++) block[j] = fromSymbol(block[j] as number);
    block[0] = base;
    accumulate(block, extent, predictor);
    scatter(block, indices, elements);
  }
  return elements;
}

function gather(values: Uint16Array, indices: Uint32Array): Uint16Array {
  const gathered = new Uint16Array(indices.length);
  for (let i = 0; i < indices.length; i++) gathered[i] = values[indices[i] as number] as number;
  return gathered;
}

function scatter(values: Uint16Array, indices: Uint32Array, target: Uint16Array): void {
  for (let i = 0; i < indices.length; i++) target[indices[i] as number] = values[i] as number;
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
