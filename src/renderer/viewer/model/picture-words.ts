import type { ViewerSnapshot, ViewName } from './viewer-api.ts';

/** The metadata of a picture's file, under the PNG specification's keywords. Voxels and time points count from 1. */
export function pictureWords(
  name: string,
  view: ViewName | 'layout',
  { state, info }: Pick<ViewerSnapshot, 'state' | 'info'>,
): Readonly<Record<string, string>> {
  const { slope, intercept } = info ?? { slope: 1, intercept: 0 };
  const window = state.window.map((stored) => formatPlain(slope * stored + intercept)).join(' to ');
  const shows = view === 'layout' ? 'all views' : view === '3d' ? `3D, ${state.projection}` : `slice across ${view}`;
  return {
    Title: name,
    Description: [
      shows,
      `crosshair ${state.crosshair.map((index) => index + 1).join(' ')}`,
      `time point ${state.timePoint + 1}`,
      `window ${window}`,
      `colors ${state.colormap}`,
    ].join('; '),
    Software: 'Stria',
  };
}

function formatPlain(value: number): string {
  return String(Number(value.toPrecision(9)));
}
