import { expect, test } from 'vitest';
import { testLook } from '../model/layer-testing.ts';
import { baseId, type LayerLook, noLayers } from '../model/layers.ts';
import type { LayerIn3d, ShownMesh } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { areChannelsSeparate } from './brick-channels.ts';

const stateOf = (projection: ViewState['projection'], isVisible = true, colormap = 'gray') =>
  ({ projection, colormap, layers: { ...noLayers, base: { ...noLayers.base, isVisible } } }) as ViewState;
const layersOf = (...looks: readonly Partial<LayerLook>[]) =>
  looks.map((look, at) => ({ look: testLook({ id: `${at}`, of: baseId, blending: 'add', ...look }) }) as LayerIn3d);
const [lit, maximum] = [stateOf('composite'), stateOf('mip')];

test.each([
  ['channels that are added', lit, layersOf({}, { blending: 'maximum' }), [], true],
  ['no channels', lit, [], [], false],
  ['a layer of its own', lit, layersOf({}, { of: undefined }), [], false],
  ['a surface', lit, layersOf({}), [{}], false],
  ['a channel over others, by depth', lit, layersOf({ blending: 'over' }), [], false],
  ['a channel over others, in a maximum', maximum, layersOf({ blending: 'over' }), [], true],
  [
    'the lowest channel alone, which is over the background',
    stateOf('isosurface', false),
    layersOf({ blending: 'over' }),
    [],
    true,
  ],
  ['labels', lit, layersOf({ colormap: 'labels' }), [], false],
  ['a volume of labels', stateOf('composite', true, 'labels'), layersOf({}), [], false],
] as const)('%s can be drawn channel by channel, or not', (_, state, layers, meshes, expected) => {
  expect(areChannelsSeparate(state, layers, meshes as unknown as readonly ShownMesh[])).toBe(expected);
});
