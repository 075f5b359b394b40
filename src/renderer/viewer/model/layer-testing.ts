import type { LayerLook } from './layers.ts';

/** A layer's look in gray, named like its id. */
export function testLook(look: Partial<LayerLook> & Pick<LayerLook, 'id'>): LayerLook {
  return {
    name: look.id,
    isVisible: true,
    opacity: 1,
    blending: 'over',
    colormap: 'gray',
    inverted: false,
    window: [0, 1],
    hidesBelow: false,
    smooth: true,
    outline: false,
    channel: 0,
    ...look,
  };
}
