/** The appearance of a way on slices and in the chunk table, besides its number. */
export interface WayLook {
  readonly color: string;
  /** The colour of text on it. */
  readonly ink: string;
  /** Whether it is striped, to tell apart ways that share a colour. */
  readonly isStriped: boolean;
}

// The palette of Okabe and Ito, which is distinguishable with any kind of colour vision, strongest colour first.
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

/** The appearance of a way. @param way its index in the table */
export function wayLook(way: number): WayLook {
  const [color, ink] = colors[way % colors.length] as (typeof colors)[number];
  return { color, ink, isStriped: Math.floor(way / colors.length) % 2 === 1 };
}
