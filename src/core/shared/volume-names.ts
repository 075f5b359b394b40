/** Endings of volumes, which a derived name drops. */
const volumeEndings = /\.(nii|hdr|img|nrrd|nhdr|raw|vol|bin|dat|png|tiff?)$/i;

/** A volume's file name without its endings: `scan` for `scan.nii.gz`. */
export function volumeStem(name: string): string {
  const stem = name.replace(/\.gz$/i, '').replace(volumeEndings, '');
  return stem === '' ? name : stem;
}
