/** The number of marks in the second row: see `ray_opacity_bound` in src/shaders/draw/march-values.wgsl. */
const marks = 16;

/** The size of a transfer texture in texels. */
export const rayTransferSize = [256, 2] as const;
export const rayTransferBytes = 2 * 256 * 4;

/**
 * The ray marcher's transfer function: 256 × 2 texels of r, g, b, a. Row 0 is colour and opacity by position in the window. In
 * row 1, the alpha of texel 16 × low + high is the maximum opacity between the positions low / 15 and high / 15.
 * @param colors r, g, b of 256 colours, lowest value first
 * @param opacityAt the opacity at a position of 0…1 in the window; it is clamped to 0…1
 */
export function rayTransfer(colors: Uint8Array, opacityAt: (place: number) => number): Uint8Array<ArrayBuffer> {
  const texels = new Uint8Array(rayTransferBytes);
  for (let index = 0; index < 256; index++) {
    texels.set(colors.subarray(index * 3, index * 3 + 3), index * 4);
    texels[index * 4 + 3] = Math.round(255 * Math.min(1, Math.max(0, opacityAt(index / 255))));
  }
  for (let low = 0; low < marks; low++) {
    for (let high = low; high < marks; high++) {
      let greatest = 0;
      // A position is rounded to the nearest texel. Because 255 is a multiple of 15, marks lie on texels.
      for (let index = low * 17; index <= high * 17; index++) greatest = Math.max(greatest, texels[index * 4 + 3] as number);
      texels[(256 + marks * low + high) * 4 + 3] = greatest;
    }
  }
  return texels;
}
