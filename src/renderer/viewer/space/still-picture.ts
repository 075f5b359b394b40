import type { FramePacing } from '../../../core/draw/frame-pacing.ts';
import type { Strip } from '../../../core/draw/ray-pass.ts';

/** The target GPU time of a strip of a still picture, in milliseconds. */
export const stripMs = 60;
const fewestRows = 8;
/** Strips grow by at most this factor at once, since the next rows may be the expensive ones. */
const mostGrowth = 4;

/** The canvas that a still picture is drawn on. */
export interface StillCanvas {
  /** The width at full resolution, in pixels. */
  readonly width: number;
  readonly height: number;
  /** The distance between samples in texels. */
  readonly step: number;
  /** Draws rows of a picture that is not shown yet. @returns resolves with the GPU's milliseconds, if known */
  drawStrip(strip: Strip): Promise<number | undefined>;
  /** Shows the picture whose strips were drawn, at this fraction of the resolution. */
  present(scale: number): void;
  /** Whether something has changed, so that the picture is no longer needed. */
  isStale(): boolean;
}

/**
 * Draws a view at rest in increasing quality, until it is at full quality. Each picture is drawn in strips, so that the GPU is
 * never occupied for long, and is measured, so that the next one adapts to the GPU's current speed. A GPU that was only busy
 * turns out to be fast; a slow one just takes longer.
 * @param shown the fraction of the resolution on screen
 */
export async function refineStill(pacing: FramePacing, canvas: StillCanvas, shown: number): Promise<void> {
  const pixels = canvas.width * canvas.height;
  let scale = pacing.stillScale(pixels, canvas.step, shown);
  while (await drawAt(scale, pacing, canvas)) {
    canvas.present(scale);
    if (scale === 1) return;
    scale = pacing.stillScale(pixels, canvas.step, 2 * scale);
  }
}

/** The number of rows of this width that take about `stripMs`. */
export function stripRows(pacing: FramePacing, width: number, step: number): number {
  return Math.max(fewestRows, Math.floor(stripMs / pacing.expectedMs(width, step)));
}

/** @returns whether the picture is complete and still needed */
async function drawAt(scale: number, pacing: FramePacing, canvas: StillCanvas): Promise<boolean> {
  const { step } = canvas;
  const [width, height] = [canvas.width, canvas.height].map((length) => Math.max(1, Math.floor(length * scale))) as [
    number,
    number,
  ];
  let rows = stripRows(pacing, width, step);
  let sumMs: number | undefined = 0;
  for (let from = 0; from < height; ) {
    const count = Math.min(rows, height - from);
    const ms = await canvas.drawStrip({ width, height, from, count });
    if (canvas.isStale()) return false;
    from += count;
    sumMs = sumMs === undefined || ms === undefined ? undefined : sumMs + ms;
    if (ms !== undefined) {
      rows = Math.round(Math.min(mostGrowth * count, Math.max(fewestRows, (count * stripMs) / Math.max(ms, 0.1))));
    }
  }
  if (sumMs !== undefined) pacing.measured(width * height, sumMs, step);
  return true;
}
