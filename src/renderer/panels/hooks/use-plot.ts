import { type RefObject, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useShownTheme } from './use-shown-theme.ts';

/** A chart's contents. Its width is that of the element it is drawn into. */
export interface Plot {
  readonly options: Omit<uPlot.Options, 'width'>;
  readonly data: uPlot.AlignedData;
}

/**
 * Draws a chart into an element, at the element's width.
 * @param make the chart is drawn again when this is a different function, and when the theme changes, since it reads colours from the page
 */
export function usePlot(make: (style: CSSStyleDeclaration) => Plot): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const theme = useShownTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read from the page
  useEffect(() => {
    const parent = place.current;
    if (!parent) return undefined;
    const { options, data } = make(getComputedStyle(parent));
    const plot = new uPlot({ ...options, width: parent.clientWidth }, data, parent);
    const resize = new ResizeObserver(() => {
      if (parent.clientWidth > 0) plot.setSize({ width: parent.clientWidth, height: options.height });
    });
    resize.observe(parent);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [make, theme]);
  return place;
}

/** The style that the axes of all charts share. */
export function plainAxis(style: CSSStyleDeclaration) {
  return {
    stroke: style.getPropertyValue('--ink-2'),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: style.getPropertyValue('--line'), width: 1 },
    ticks: { show: false },
  } satisfies uPlot.Axis;
}
