/** A display window stored in a file, in physical values (slope × stored + intercept). */
export interface FileWindow {
  /** `Bone`, `WINDOW1`; '' if the file does not name it. */
  readonly name: string;
  readonly low: number;
  readonly high: number;
}

/** One entry of a file's metadata. */
export interface VolumeTag {
  /** Its identifier in the format: `(0008,0060)`, `/entry/title`. */
  readonly id: string;
  readonly name: string;
  readonly value: string;
  /** Whether the entry identifies a person. Such entries are shown, but never written into pictures, sessions or diagnostics. */
  readonly isPersonal: boolean;
}

/** The tags whose id, name or value contains every word of `search`, ignoring case. An empty search returns all tags. */
export function searchTags(tags: readonly VolumeTag[], search: string): readonly VolumeTag[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return tags.filter(({ id, name, value }) => {
    const text = `${id}\n${name}\n${value}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
