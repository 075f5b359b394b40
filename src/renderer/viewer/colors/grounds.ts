import type { PictureBackground } from '../model/picture.ts';

/** Viewport backgrounds, independent of the theme. All are dark, since letters and lines are bright. */
export const groundNames = ['near-black', 'black', 'gray'] as const;
export type Ground = (typeof groundNames)[number];

export const grounds: Readonly<Record<Ground, Readonly<GPUColorDict>>> = {
  'near-black': { r: 0.031, g: 0.035, b: 0.043, a: 1 },
  black: { r: 0, g: 0, b: 0, a: 1 },
  gray: { r: 0.2, g: 0.2, b: 0.2, a: 1 },
};

/** Backgrounds of saved pictures; premultiplied. */
export const pictureGrounds: Readonly<Record<Exclude<PictureBackground, 'screen'>, GPUColorDict>> = {
  white: { r: 1, g: 1, b: 1, a: 1 },
  transparent: { r: 0, g: 0, b: 0, a: 0 },
};
