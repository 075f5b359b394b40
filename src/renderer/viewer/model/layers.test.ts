import { expect, test } from 'vitest';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { testLook } from './layer-testing.ts';
import {
  baseId,
  baseOpacity,
  changedLayer,
  isLayerShown,
  type LayerStack,
  layerTime,
  movedLayer,
  noLayers,
  withoutLayer,
} from './layers.ts';

const layer = (id: string) => testLook({ id, opacity: 0.5 });
const stack: LayerStack = { ...noLayers, layers: [layer('a'), layer('b'), layer('c')] };
const ids = ({ layers }: LayerStack) => layers.map(({ id }) => id).join('');

test('a layer can be moved to any place, but not beyond the ends', () => {
  expect(ids(movedLayer(stack, 'a', 1))).toBe('bac');
  expect(ids(movedLayer(stack, 'c', 0))).toBe('cab');
  expect(ids(movedLayer(stack, 'a', 9))).toBe('bca');
  expect(movedLayer(stack, 'none', 0)).toBe(stack);
});

test('solo shows one layer, visible or not, and ends when the layer is removed', () => {
  const solo = { ...changedLayer(stack, 'b', { isVisible: false }), solo: 'b' };
  expect(solo.layers.filter((each) => isLayerShown(solo, each)).map(({ id }) => id)).toEqual(['b']);
  expect(baseOpacity(solo)).toBe(0);
  expect(baseOpacity({ ...solo, solo: baseId, base: { isVisible: false, opacity: 0.7 } })).toBe(0.7);
  expect(withoutLayer(solo, 'a').solo).toBe('b');
  expect(withoutLayer(solo, 'b')).toMatchObject({ solo: undefined, layers: [{ id: 'a' }, { id: 'c' }] });
});

test('a layer follows the time of the volume within one of its channels, up to its last time point', () => {
  const channels = [{ name: 'one' }, { name: 'two' }];
  const base = { ...testInfo([1, 1, 1, 8], 'u8'), channels };
  expect(layerTime(base, 6, testInfo([1, 1, 1, 4], 'u8'), 0)).toBe(2);
  expect(layerTime(base, 7, { ...testInfo([1, 1, 1, 4], 'u8'), channels }, 1)).toBe(3);
  expect(layerTime(base, 3, testInfo([1, 1, 1, 1], 'u8'), 0)).toBe(0);
});
