import type { OwnLabels } from '../../../core/shared/label-table.ts';
import { inRealOrder } from '../../../core/shared/real-order.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { VolumeStatistics } from '../../../core/volume/statistics.ts';
import { firstView, isLabelVolume } from '../../viewer/model/auto-view.ts';
import { firstLabelLookOf } from '../../viewer/model/label-look.ts';
import type { LayerLook } from '../../viewer/model/layers.ts';

/** Colours of image layers, in the order in which they are added: all black or dark at their lower end. */
const imageColors = ['hot', 'viridis', 'magma', 'cividis'] as const;

/** The look of a new layer. @param images number of image layers so far @param own what the layer's file says about labels */
export function firstLook(
  { id, name }: Pick<LayerLook, 'id' | 'name'>,
  info: VolumeInfo,
  statistics: VolumeStatistics,
  images: number,
  own: OwnLabels = {},
): LayerLook {
  const isLabels = own.areLabels || isLabelVolume(info, statistics, name);
  const { window } = firstView(info, statistics);
  const look = {
    id,
    name,
    isVisible: true,
    opacity: 0.5,
    blending: 'over',
    inverted: false,
    outline: false,
    labels: firstLabelLookOf(own.table),
    channel: 0,
  } as const;
  if (isLabels) {
    const all = inRealOrder([statistics.min, statistics.max], info);
    return { ...look, colormap: 'labels', window: all, smooth: false, hidesBelow: false };
  }
  const colormap = imageColors[images % imageColors.length] ?? 'hot';
  return { ...look, colormap, window, smooth: true, hidesBelow: true };
}
