/**
 * Formats of display textures, in the order of `texel_kind` in the shaders, with bytes per texel. In `rg8unorm` red is the high
 * byte and green the low one: every device can filter these 16 bits, whereas `r16unorm` is an extension.
 */
export const texelBytes = { r8unorm: 1, rg8unorm: 2, r16float: 2, r32float: 4 } as const;
export type DisplayFormat = keyof typeof texelBytes;

/** The kernel constant for how a format's texels are packed into words. */
export function texelKind({ format }: Pick<GPUTexture, 'format'>): number {
  return Object.keys(texelBytes).indexOf(format);
}
