/** One of several volumes that a file, a folder or several files hold, in words: what a person chooses from. Plain data. */
export interface VolumeChoice {
  /** What `--dataset` takes: unique in its list, the same each time, and easy to type: `/entry/data`, `images/0`, `3`. */
  readonly id: string;
  /** What a person calls it: a series' description, a path. */
  readonly label: string;
  /** Its place in a tree, outermost first: patient and study, or groups of HDF5. */
  readonly group: readonly string[];
  /** Lengths of its axes in the format's own order. */
  readonly shape: readonly number[];
  /** `u16`, or what the file calls a type that Stria does not read. */
  readonly type: string;
  /** One more line: `CT · 120 slices · 0.7 × 0.7 × 1.25 mm`. */
  readonly details: string;
  /** Why it cannot be opened. */
  readonly problem?: string | undefined;
  /** Another resolution of a volume of the same list: opened only where it is named. */
  readonly isAlternative?: boolean | undefined;
}

/** A small picture of a volume: one byte of gray a pixel, row by row from the top, at most 128 pixels a side. */
export interface GrayThumbnail {
  readonly width: number;
  readonly height: number;
  readonly gray: Uint8Array;
}
