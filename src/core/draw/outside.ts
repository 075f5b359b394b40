/** How values below or above the window are shown: in the window's nearest colour, not at all, or in a marking colour. */
export type Outside = 'clamp' | 'hide' | 'mark';

/** How values below the window, and above it, are shown. */
export type OutsideLook = readonly [below: Outside, above: Outside];

/** How missing voxels are shown: not at all, or in a marking colour. */
export type MissingLook = 'hide' | 'mark';

/** The marking colours, below and above: r, g, b of 0…1, sRGB. */
export const markedColors = [
  [0.16, 0.42, 1],
  [1, 0.16, 0.32],
] as const;

/** The marking colour of missing voxels. */
export const missingColor = [0.75, 0.25, 0.85] as const;

type Parameter = readonly [r: number, g: number, b: number, way: number];

/** `below` and `above` of the shaders: the marking colour, then 0 for clamp, 1 for hide or 2 for mark. */
export function outsideParameters(outside: OutsideLook): readonly [below: Parameter, above: Parameter] {
  const parameter = (side: 0 | 1): Parameter => [...markedColors[side], ['clamp', 'hide', 'mark'].indexOf(outside[side])];
  return [parameter(0), parameter(1)];
}

/** `missing` of the shaders, in the same encoding. */
export function missingParameter(missing: MissingLook): Parameter {
  return [...missingColor, missing === 'mark' ? 2 : 1];
}
