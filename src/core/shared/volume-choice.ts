/** One entry in a list of volumes that a file, a folder or several files hold, described for the user. Plain data. */
export interface VolumeChoice {
  /** The value for `--dataset`: unique in its list, stable, and easy to type: `/entry/data`, `images/0`, `3`. */
  readonly id: string;
  /** Its name for the user: a series description, a path. */
  readonly label: string;
  /** Its place in a tree, outermost first: patient and study, or groups of HDF5. */
  readonly group: readonly string[];
  /** Lengths of its axes in the format's own order. */
  readonly shape: readonly number[];
  /** `u16`, or the file's name for a type that Stria does not read. */
  readonly type: string;
  /** One more line: `CT · 120 slices · 0.7 × 0.7 × 1.25 mm`. */
  readonly details: string;
  /** Why it cannot be opened. */
  readonly problem?: string | undefined;
  /** Whether this is another resolution of a volume in the same list. It is opened only if the user names it. */
  readonly isAlternative?: boolean | undefined;
}

/** A small picture of a volume: one gray byte per pixel, row by row from the top, at most 128 pixels on each side. */
export interface GrayThumbnail {
  readonly width: number;
  readonly height: number;
  readonly gray: Uint8Array;
}
