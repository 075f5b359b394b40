import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { autoView } from '../../viewer/model/auto-view.ts';
import { viewFrom } from './stored-view.ts';

const histogram = { low: 0, binWidth: 1, counts: Array.from({ length: 256 }, () => 100) };
const startView = autoView(testInfo([8, 8, 8, 1], 'u8'), {
  min: 0,
  max: 255,
  count: 25_600,
  notFinite: 0,
  histogram,
  window: [10, 200],
  flatness: 0.1,
});
const stored = (value: unknown) => JSON.parse(JSON.stringify(value));

describe('a view from a file', () => {
  it('has all parts of a view', () => {
    // Layers are stored beside the view.
    const { layers: _, ...view } = startView;
    expect(viewFrom(stored(startView), startView)).toEqual(view);
    const slab = { kind: 'maximum', thickness: 4 };
    const other = {
      ...view,
      window: [-5, 7.5],
      projection: 'mean',
      opacity: [
        [0, 0],
        [0.3, 0.1],
        [1, 0.7],
      ],
      timePoint: 3,
      box: 'ticks',
      cut: { normal: [0.6, 0, 0.8], offset: 0.1 },
      sliceSlabs: { x: slab, y: slab, z: { ...slab, kind: 'none' } },
    };
    expect(viewFrom(stored(other), startView)).toEqual(other);
  });

  it('leaves out what is invalid', () => {
    const odd = {
      window: [1],
      projection: 'x-ray',
      opacity: [[0]],
      crosshair: 'here',
      smooth: 1,
      timePoint: null,
      colour: 'red',
      box: 'round',
      cut: { normal: [0, 1], offset: 0 },
      sliceSlabs: { x: { kind: 'mean', thickness: 1 }, y: { kind: 'mean', thickness: 1 } },
    };
    expect(viewFrom(odd, startView)).toEqual({});
    expect(viewFrom({ opacity: Array.from({ length: 1001 }, () => [0, 0]) }, startView)).toEqual({});
    expect(viewFrom({ clip: [[0, 1], [0, 1], { length: 2 }] }, startView)).toEqual({});
  });

  it('never has a part of another shape, whatever the file contains', () => {
    const keys = Object.keys(startView) as (keyof typeof startView)[];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), fc.jsonValue()), (odd) => {
        for (const [key, value] of Object.entries(viewFrom(odd, startView))) {
          const good = startView[key as keyof typeof startView];
          expect(typeof value).toBe(typeof good);
          expect(Array.isArray(value)).toBe(Array.isArray(good));
        }
      }),
    );
  });
});
