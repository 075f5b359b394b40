import { StriaError } from '../../shared/errors.ts';
import type { PredictBrick } from './bricks.ts';
import { classOf, expectedCost } from './classes.ts';
import { flatMark, fromSymbol, medianPredictor, reconstruct, symbolsOf } from './predictors.ts';

/** One plane of one brick. Its parts go to different sections. */
export interface CodedBrick {
  /** One for each block. Either all are `flatMark` or none is. */
  readonly predictors: readonly number[];
  readonly bases: readonly number[];
  /** None in a flat brick. */
  readonly groups: readonly CodedGroup[];
}

export interface CodedGroup {
  readonly groupClass: number;
  readonly symbols: Uint16Array;
}

/** @param tryMedian whether blocks may use the median predictor */
export function encodeBrick(elements: Uint16Array, layout: PredictBrick, bits: 8 | 16, tryMedian: boolean): CodedBrick {
  const symbols = new Uint16Array(elements.length);
  const blocks = layout.blocks.map(({ extent, indices, groups }) => {
    const own = gather(elements, indices);
    let least = Number.POSITIVE_INFINITY;
    let best = { predictor: 0, symbols: own };
    for (let predictor = 0; predictor < medianPredictor + Number(tryMedian); predictor++) {
      const candidate = symbolsOf(own, extent, predictor, bits);
      let cost = 0;
      for (const group of groups) cost += expectedCost(summarize(candidate, group).sum, group.length, bits);
      if (cost < least) {
        least = cost;
        best = { predictor, symbols: candidate };
      }
    }
    scatter(best.symbols, indices, symbols);
    return { predictor: best.predictor, base: own[0] as number, isConstant: own.every((element) => element === own[0]) };
  });
  const bases = blocks.map(({ base }) => base);
  if (blocks.every(({ isConstant }) => isConstant)) return { predictors: blocks.map(() => flatMark), bases, groups: [] };
  const groups = layout.groups.map((indices) => {
    const { sum, union } = summarize(symbols, indices);
    return { groupClass: classOf(sum, union, indices.length, bits), symbols: gather(symbols, indices) };
  });
  return { predictors: blocks.map(({ predictor }) => predictor), bases, groups };
}

/** Decodes the plane. @throws StriaError `corrupt` */
export function decodeBrick({ predictors, bases, groups }: CodedBrick, layout: PredictBrick, bits: 8 | 16): Uint16Array {
  const symbols = new Uint16Array(layout.count);
  for (const [i, group] of groups.entries()) scatter(group.symbols, layout.groups[i] as Uint32Array, symbols);
  const elements = new Uint16Array(layout.count);
  for (const [i, { extent, indices }] of layout.blocks.entries()) {
    const block = gather(symbols, indices).map(fromSymbol);
    const base = bases[i] as number;
    // 'each block's first symbol is 0'
    if (block[0] !== 0) throw new StriaError('corrupt', "the predict brick has a residual at a block's first element");
    if (predictors[i] === flatMark) {
      block.fill(base);
    } else {
      block[0] = base;
      reconstruct(block, extent, predictors[i] as number, bits);
    }
    scatter(block, indices, elements);
  }
  return elements;
}

/** The sum of a group's symbols, and their bitwise OR. */
function summarize(symbols: Uint16Array, indices: Uint32Array): { sum: number; union: number } {
  let sum = 0;
  let union = 0;
  for (let i = 0; i < indices.length; i++) {
    const symbol = symbols[indices[i] as number] as number;
    sum += symbol;
    union |= symbol;
  }
  return { sum, union };
}

function gather(values: Uint16Array, indices: Uint32Array): Uint16Array {
  const gathered = new Uint16Array(indices.length);
  for (let i = 0; i < indices.length; i++) gathered[i] = values[indices[i] as number] as number;
  return gathered;
}

function scatter(values: Uint16Array, indices: Uint32Array, target: Uint16Array): void {
  for (let i = 0; i < indices.length; i++) target[indices[i] as number] = values[i] as number;
}
