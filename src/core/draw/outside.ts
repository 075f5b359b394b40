/** What values below or above the window show: its nearest colour, nothing, or a colour that stands out. */
export type Outside = 'clamp' | 'hide' | 'mark';

/** For values below the window, and above it. */
export type OutsideLook = readonly [below: Outside, above: Outside];

/** What voxels without a number show: nothing, or a colour that stands out. */
export type MissingLook = 'hide' | 'mark';

/** What marked values show, below and above: r, g, b of 0…1, sRGB. */
export const markedColors = [
  [0.16, 0.42, 1],
  [1, 0.16, 0.32],
] as const;

/** What marked voxels without a number show. */
export const missingColor = [0.75, 0.25, 0.85] as const;

type Parameter = readonly [r: number, g: number, b: number, way: number];

/** `below` and `above` of the shaders: the marked colour, and 0 clamp, 1 hide, 2 mark. */
export function outsideParameters(outside: OutsideLook): readonly [below: Parameter, above: Parameter] {
  const parameter = (side: 0 | 1): Parameter => [...markedColors[side], ['clamp', 'hide', 'mark'].indexOf(outside[side])];
  return [parameter(0), parameter(1)];
}

/** `missing` of the shaders, likewise. */
export function missingParameter(missing: MissingLook): Parameter {
  return [...missingColor, missing === 'mark' ? 2 : 1];
}
