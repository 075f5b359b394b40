/** How a way that chunks took is shown, beside its number: on the slices and in the table alike. */
export interface WayLook {
  readonly color: string;
  /** Of words on that colour. */
  readonly ink: string;
  /** Striped, so that ways that share a colour can be told apart. */
  readonly isStriped: boolean;
}

// Okabe and Ito's palette, which people with any kind of colour vision can tell apart, the strongest first.
const colors = [
  ['#e69f00', '#000000'],
  ['#009e73', '#000000'],
  ['#cc79a7', '#000000'],
  ['#f0e442', '#000000'],
  ['#56b4e9', '#000000'],
  ['#d55e00', '#000000'],
  ['#0072b2', '#ffffff'],
  ['#b8b8b8', '#000000'],
] as const;

/** @param way its place in the table, from 0 */
export function wayLook(way: number): WayLook {
  const [color, ink] = colors[way % colors.length] as (typeof colors)[number];
  return { color, ink, isStriped: Math.floor(way / colors.length) % 2 === 1 };
}
