import { encode } from 'fast-png';
import type { Page } from 'playwright/test';
import { boxOf, screenOf } from './app.ts';

// Small pictures that can be distinguished, and functions that recognise them on the screen.

export const frameDims = { width: 64, height: 48 } as const;
/** The margin around a fitted slice in CSS pixels; see viewer/draw/slice-drawing.ts. */
const margin = 24;

/**
 * A picture that differs from all others in every pixel, for indices up to 255. All values from 0 to 255 occur, and it is not
 * a ramp.
 */
export function framePixels(index: number): Uint8Array {
  const { width, height } = frameDims;
  return Uint8Array.from({ length: width * height }, (_, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    return (x * 7 + y * 13 + (x & y) * 2 + index * 31) & 255;
  });
}

export function framePng(index: number): Buffer {
  return Buffer.from(encode({ ...frameDims, channels: 1, depth: 8, data: framePixels(index) }));
}

/**
 * The index of the frame that the slice across z shows. The centre of every voxel on screen is compared with the source,
 * except for the rows and columns under the crosshair. Undefined if no frame is shown exactly, in grey from 0 to 255.
 */
export async function shownFrame(page: Page, frameCount: number): Promise<number | undefined> {
  const box = await boxOf(page, 'z');
  const picture = await screenOf(page, 'z');
  const { width, height } = frameDims;
  const scale = Math.min((box.width - 2 * margin) / width, (box.height - 2 * margin) / height);
  const pixelAt = (x: number, y: number): readonly number[] => {
    const across = Math.floor((box.width - width * scale) / 2 + (x + 0.5) * scale);
    const down = Math.floor((box.height - height * scale) / 2 + (y + 0.5) * scale);
    const start = (down * picture.width + across) * picture.channels;
    return [...picture.data.subarray(start, start + 3)];
  };
  const isFrame = (index: number): boolean => {
    const pixels = framePixels(index);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (isMiddle(x, width) || isMiddle(y, height)) continue;
        const value = pixels[y * width + x];
        if (pixelAt(x, y).some((channel) => channel !== value)) return false;
      }
    }
    return true;
  };
  const found = Array.from({ length: frameCount }, (_, index) => index).filter(isFrame);
  return found[0];
}

function isMiddle(at: number, length: number): boolean {
  return at === length / 2 || at === length / 2 - 1;
}
