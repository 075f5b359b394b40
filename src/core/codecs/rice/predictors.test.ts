import { describe, expect, test } from 'vitest';
import { testRandom } from '../../codec/chunk-testing.ts';
import { fromSymbol, toSymbol } from '../../codec/symbols.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { brickLayouts, geometryOf } from './layout.ts';
import { linear } from './linear.ts';
import { forEachElement, meanOf, Neighbourhood } from './predictors.ts';

/** A predictor's predictions for all elements but the first of a brick with one block. */
function predictions(elements: Uint16Array, extent: Dims3, predictor: number, bits: 8 | 16, picture = false): number[] {
  const form = { picture, causal: true };
  const layout = brickLayouts(geometryOf(form, 1))(extent);
  const [block] = layout.blocks;
  if (!block) throw new Error('the brick has no block');
  const neighbourhood = new Neighbourhood(elements, extent, block, bits, form);
  const found: number[] = [];
  forEachElement(block, extent, 1, (place) => found.push(neighbourhood.predict(predictor, place)));
  return found.slice(1);
}

test.each([8, 16] as const)('each predictor uses its neighbours, in a block of 2 × 2 × 2 elements of %i bits', (bits) => {
  // Powers of 2 in memory order, so that each prediction shows which neighbours it uses.
  const elements = Uint16Array.of(1, 2, 4, 8, 16, 32, 64, 128);
  const by = (predictor: number) => predictions(elements, [2, 2, 2], predictor, bits);
  expect(by(1)).toEqual([1, 1, 4, 1, 16, 16, 64]);
  expect(by(2)).toEqual([1, 1, 2, 1, 16, 16, 32]);
  expect(by(3)).toEqual([1, 1, 4, 1, 2, 4, 8]);
  expect(by(4)).toEqual([1, 1, 4 + 2 - 1, 1, 16, 16, 64 + 32 - 16]);
  expect(by(5)[6]).toBe(64 + 32 + 8 - 16 - 4 - 2 + 1);
  // Soft: half of differences to the left: 1 and 16 above; 1, 3 − 0 and 4 − 1 behind; all rounded up.
  expect(by(6)).toEqual([1, 1, 4 + 1, 1, 16 + 1, 16 + 2, 64 + 8 + 2]);
  // Soft up: half of vertical differences: 3 and 48 to the left; 1, 3 and 6 − 2 behind.
  expect(by(7)).toEqual([1, 1, 2 + 2, 1, 16 + 1, 16 + 2, 32 + 24 + 2]);
  // Median: the planes are 4 + 2 − 1 and so on, clamped to 4, 16 and 16. The last is the median of 80, 68 and 38, clamped to 64.
  expect(by(8)).toEqual([1, 1, 4, 1, 16, 16, 64]);
});

test("a block's mean is computed from signed differences to the brick's first element, and rounded", () => {
  const mean = (values: number[], bits: 8 | 16) => {
    const extent: Dims3 = [values.length, 1, 1];
    return meanOf(Uint16Array.from(values), extent, { origin: [0, 0, 0], extent, first: 0 }, bits);
  };
  expect(mean([10, 20, 30], 8)).toBe(20);
  expect(mean([10, 11], 8)).toBe(11);
  expect(mean([0xffff, 1, 3, 0xfffe], 16)).toBe(0);
  expect(mean([255, 255, 255, 254], 8)).toBe(255);
  expect(mean([0, 255, 254, 255], 8)).toBe(255);
});

test('half of a signed difference is rounded up: −1 gives 0, 1 gives 1, 200 in 8 bits gives −28', () => {
  const soft = (difference: number, bits: 8 | 16) =>
    (predictions(Uint16Array.of(0, difference, 0, 0), [2, 2, 1], 6, bits)[2] as number) & 0xff;
  expect([-1, 1, -3, 127].map((difference) => soft(difference & 0xff, 8))).toEqual([0, 1, 255, 64]);
  expect([soft(200, 8), soft(200, 16), soft(0xffff, 16)]).toEqual([256 - 28, 100, 0]);
});

test('soft and soft up are running sums that carry half, or all if the coordinates of the earlier axes are 0', () => {
  const random = testRandom(11);
  const extents: Dims3[] = [
    [5, 4, 3],
    [1, 7, 3],
    [6, 1, 4],
    [1, 1, 5],
  ];
  for (const bits of [8, 16] as const) {
    for (const extent of extents) {
      const elements = Uint16Array.from({ length: extent[0] * extent[1] * extent[2] }, () => random() & (2 ** bits - 1));
      for (const [predictor, axes] of [[6, [0, 1, 2]] as const, [7, [1, 0, 2]] as const]) {
        const residuals = [elements[0] as number];
        for (const [i, expected] of predictions(elements, extent, predictor, bits).entries()) {
          residuals.push((elements[i + 1] as number) - expected);
        }
        expect(sumsOf(residuals, extent, axes, bits)).toEqual([...elements]);
      }
    }
  }
});

/** Applies SPEC.md's three sums in place, in the order of its table: the last axis first. */
function sumsOf(residuals: readonly number[], extent: Dims3, axes: readonly [number, number, number], bits: 8 | 16): number[] {
  const values = [...residuals];
  const steps = [1, extent[0], extent[0] * extent[1]];
  const half = (value: number) => Math.ceil(((value << (32 - bits)) >> (32 - bits)) / 2);
  for (let number = 2; number >= 0; number--) {
    const axis = axes[number] as number;
    for (let i = 0; i < values.length; i++) {
      const at = [i % extent[0], Math.floor(i / extent[0]) % extent[1], Math.floor(i / (extent[0] * extent[1]))];
      if (at[axis] === 0) continue;
      const before = values[i - (steps[axis] as number)] as number;
      const isWhole = axes.slice(0, number).every((other) => at[other] === 0);
      values[i] = (values[i] as number) + (isWhole ? before : half(before));
    }
  }
  return values.map((value) => value & (2 ** bits - 1));
}

test('median takes 2-byte elements as signed differences from the base', () => {
  const elements = Uint16Array.of(0xfffe, 2, 0xfffc, 0);
  // Relative to the base, −2, the neighbours are −2 and 4, and their plane 2 lies between them. The prediction is 2 − 2 = 0.
  expect((predictions(elements, [2, 2, 1], 8, 16)[2] as number) & 0xffff).toBe(0);
});

describe('linear', () => {
  const geometry = [
    { picture: true, extent: [7, 6, 1] as const },
    { picture: false, extent: [5, 4, 4] as const },
  ];

  test.each(geometry)('weighs neighbours as SPEC.md says, picture: $picture', ({ picture, extent }) => {
    const random = testRandom(3);
    for (const bits of [8, 16] as const) {
      const elements = Uint16Array.from({ length: extent[0] * extent[1] * extent[2] }, () => random() & (2 ** bits - 1));
      const base = elements[0] as number;
      const signed = (element: number) => (bits === 8 ? element : ((element - base) << 16) >> 16);
      const at = ([x, y, z]: Dims3) => signed(elements[(z * extent[1] + y) * extent[0] + x] as number);
      const { steps, weights } = linear[picture ? 'picture' : 'volume'];
      for (const [number, own] of weights.entries()) {
        const found = predictions(elements, extent, 9 + number, bits, picture);
        for (const [i, prediction] of found.entries()) {
          const place: Dims3 = [
            (i + 1) % extent[0],
            Math.floor((i + 1) / extent[0]) % extent[1],
            Math.floor((i + 1) / extent[0] / extent[1]),
          ];
          const expected = steps.reduce((sum, step, k) => sum + (own[k] as number) * at(insteadOf(place, step)), 0) / 16;
          const [least, most] = bits === 8 ? [0, 255] : [-32768, 32767];
          const clamped = Math.max(least, Math.min(most, Math.round(expected)));
          expect(prediction, `predictor ${9 + number} at ${place}`).toBe(bits === 8 ? clamped : base + clamped);
        }
      }
    }
  });

  test('the weights of each predictor sum to one, so that constant elements are predicted exactly', () => {
    for (const { steps, weights } of Object.values(linear)) {
      expect(weights).toHaveLength(7);
      for (const own of weights) {
        expect(own).toHaveLength(steps.length);
        expect(own.reduce((sum, weight) => sum + weight, 0)).toBe(16);
      }
    }
  });
});

/** 'A neighbour outside the block is replaced by the nearest element inside it', except the element itself. */
function insteadOf(place: Dims3, step: Dims3): Dims3 {
  const to = place.map((at, axis) => Math.max(0, at - (step[axis] as number)));
  const isOwn = to.every((at, axis) => at === place[axis]);
  const axis = place.findIndex((at) => at > 0);
  if (isOwn) to[axis] = (to[axis] as number) - 1;
  return [to[0] as number, to[1] as number, to[2] as number];
}

test('symbols 0, 1, 2, 3, 4 are residuals 0, −1, 1, −2, 2; all residuals survive a round trip', () => {
  expect([0, -1, 1, -2, 2].map((residual) => toSymbol(residual, 8))).toEqual([0, 1, 2, 3, 4]);
  expect([toSymbol(128, 8), toSymbol(127, 8), toSymbol(0x8000, 16)]).toEqual([255, 254, 65535]);
  for (let residual = 0; residual < 65536; residual++) {
    const isKept = fromSymbol(toSymbol(residual, 16)) === residual;
    const isKeptIn8 = (fromSymbol(toSymbol(residual, 8)) & 255) === (residual & 255);
    if (!isKept || !isKeptIn8) expect.fail(`residual ${residual}`);
  }
});
