import type { Strip } from '../../../core/draw/ray-pass.ts';
import type { FramePacing } from './frame-pacing.ts';

/** A strip of a still picture should hold the GPU about so long, in milliseconds. */
export const stripMs = 60;
const fewestRows = 8;
/** Strips become at most so many times larger at once: the next rows may be those where there is something to see. */
const mostGrowth = 4;

/** What a still picture is drawn on. */
export interface StillCanvas {
  /** The whole resolution, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Texels from sample to sample. */
  readonly step: number;
  /** Draws rows of a picture beside the one that is shown. @returns the GPU's milliseconds; undefined: nobody knows */
  drawStrip(strip: Strip): Promise<number | undefined>;
  /** Shows the picture whose strips were drawn, at this part of the resolution. */
  present(scale: number): void;
  /** Something has changed: what is being drawn is not wanted any more. */
  isStale(): boolean;
}

/**
 * Draws a view that has come to rest, better and better until it is whole. Each picture is drawn in strips, so that no GPU is
 * held for long, and is measured, so that the next one goes by what the GPU does now: a GPU that was busy is found out to be
 * fast, and one that is slow only takes longer.
 * @param shown the part of the resolution that is on the screen
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

/** Rows of a picture so wide that take about `stripMs`. */
export function stripRows(pacing: FramePacing, width: number, step: number): number {
  return Math.max(fewestRows, Math.floor(stripMs / pacing.expectedMs(width, step)));
}

/** @returns whether the picture is whole and still wanted */
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
