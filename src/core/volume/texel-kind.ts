/**
 * Formats of display textures, in the order of `texel_kind` in the shaders, with bytes of a texel. Of `rg8unorm` red is the
 * high byte and green the low one: 16 bits that every device can filter, while `r16unorm` is an extension.
 */
export const texelBytes = { r8unorm: 1, rg8unorm: 2, r16float: 2, r32float: 4 } as const;
export type DisplayFormat = keyof typeof texelBytes;

/** The constant that tells shaders how a format's texels lie in words. */
export function texelKind({ format }: Pick<GPUTexture, 'format'>): number {
  return Object.keys(texelBytes).indexOf(format);
}
