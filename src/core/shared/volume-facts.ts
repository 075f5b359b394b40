/** A display window that a file brings along, in physical values (slope × stored + intercept). */
export interface FileWindow {
  /** `Bone`, `WINDOW1`; '' where the file has no name for it. */
  readonly name: string;
  readonly low: number;
  readonly high: number;
}

/** One entry of a file's metadata, as people look it up. */
export interface VolumeTag {
  /** How the format calls it: `(0008,0060)`, `/entry/title`. */
  readonly id: string;
  readonly name: string;
  readonly value: string;
  /** It tells who a person is. Shown, but never written into pictures, sessions and diagnostics. */
  readonly isPersonal: boolean;
}

/** The tags whose id, name or value holds every word of `search`, in any case. Nothing to search for: all of them. */
export function searchTags(tags: readonly VolumeTag[], search: string): readonly VolumeTag[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return tags.filter(({ id, name, value }) => {
    const text = `${id}\n${name}\n${value}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
