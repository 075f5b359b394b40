import { useEffect, useRef } from 'react';
import { markedColors } from '../../../core/draw/outside.ts';
import { type HistogramAxis, partOf } from '../../app/view/histogram-axis.ts';
import { colormapGradient, colorsOf } from '../../viewer/colors/colormaps.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { useViewerPart } from '../hooks/use-app.ts';
import styles from './color-strip.module.css';

/** The colormap under the histogram, mapped by the window, with the colours of values outside the window. */
export function ColorStrip({ viewer, axis }: { readonly viewer: Viewer; readonly axis: HistogramAxis }) {
  const ramp = useRef<HTMLDivElement>(null);
  const colormap = useViewerPart(viewer, ({ state }) => state.colormap);
  const inverted = useViewerPart(viewer, ({ state }) => state.inverted);
  const outside = useViewerPart(viewer, ({ state }) => state.outside);
  const choice = { colormap, inverted };
  const colors = colorsOf(choice);
  useEffect(() => {
    const show = (): void => {
      const { window } = viewer.snapshot().state;
      const [low, high] = windowParts(axis, window);
      if (!ramp.current) return;
      ramp.current.style.left = `${100 * Math.min(low, high)}%`;
      ramp.current.style.right = `${100 * (1 - Math.max(low, high))}%`;
      // The axis shows physical values. With a negative slope the lowest stored value is at the right.
      ramp.current.style.transform = low > high ? 'scaleX(-1)' : '';
    };
    show();
    return viewer.subscribe(show);
  }, [viewer, axis]);
  const beyond = (side: 0 | 1): string => {
    if (outside[side] === 'hide') return 'transparent';
    const nearest = [...colors.subarray(765 * side, 765 * side + 3)];
    return `rgb(${(outside[side] === 'mark' ? markedColors[side].map((channel) => 255 * channel) : nearest).join(' ')})`;
  };
  return (
    <div className={styles.strip} aria-hidden>
      <div ref={ramp} className={styles.ramp} style={{ background: colormapGradient(choice) }}>
        <div className={styles.below} style={{ background: beyond(0) }} />
        <div className={styles.above} style={{ background: beyond(1) }} />
      </div>
    </div>
  );
}

/** Positions of the window's ends on the axis. A window far outside is moved next to the axis, since browsers draw nothing that far off. */
function windowParts(axis: HistogramAxis, window: readonly [number, number]): readonly [low: number, high: number] {
  const [low, high] = [partOf(axis, window[0]), partOf(axis, window[1])];
  const off = Math.min(low, high) > 1 ? 1 : Math.max(low, high) < 0 ? -1 : 0;
  if (off === 0) return [low, high];
  const [near, far] = off > 0 ? [1, 1.1] : [-0.1, 0];
  return low < high ? [near, far] : [far, near];
}
