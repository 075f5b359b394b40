import { isTableName, tableNamesFor } from '../../../core/shared/label-table.ts';
import { datasetSuffix, isLevelsNameOf, volumeStem } from '../../../core/shared/volume-names.ts';

/** Something to open or compress: a file, and the files that belong to it. */
export interface Dataset<File extends { readonly name: string }> {
  readonly primary: File;
  readonly companions: readonly File[];
}

/** Extensions of files that hold only the voxels of a detached header. */
const dataEndings = ['.img', '.img.gz', '.raw', '.raw.gz', '.bin', '.dat', '.gz', '.zraw'];
const pictureTypes = ['image/png', 'image/tiff'];
const standaloneEndings = ['.nii', '.nii.gz', '.nrrd', '.mha', '.mgh', '.mgz', '.npy', '.vti', '.mrc', '.map', '.stria'];

/**
 * Groups dropped files into datasets, in order: `.hdr` takes its `.img`, `.nhdr` and `.mhd` their data file, a raw file its
 * `.json` sidecar, and a volume the table of labels of the same name and its levels. A single `.nhdr` or `.mhd` takes every file that is not a
 * volume itself, since only the header's text names the data file.
 */
export function groupDatasets<File extends { readonly name: string }>(files: readonly File[]): Dataset<File>[] {
  const companions = new Map<File, File>();
  const headers = files.filter((file) => isHeader(file.name));
  for (const file of files) {
    const leveled = files.find((other) => isLevelsNameOf(other.name, file.name));
    if (leveled) {
      companions.set(file, leveled);
      continue;
    }
    const name = file.name.toLowerCase();
    if (isHeader(name) || standaloneEndings.some((ending) => name.endsWith(ending))) continue;
    const header =
      headers.find((candidate) => fits(candidate.name, name)) ??
      (headers.length === 1 && /\.(nhdr|mhd)$/i.test(headers[0]?.name ?? '') && isData(name) ? headers[0] : undefined);
    const owner = header ?? companionOf(name, files);
    if (owner && owner !== file) companions.set(file, owner);
  }
  return files
    .filter((file) => !companions.has(file))
    .map((primary) => ({ primary, companions: files.filter((file) => companions.get(file) === primary) }));
}

/** The size of all files of a dataset in bytes, without its levels. Undefined for a detached header whose data file was not dropped. */
export function datasetBytes({
  primary,
  companions,
}: Dataset<{ readonly name: string; readonly size: number }>): number | undefined {
  if (isHeader(primary.name) && companions.length === 0) return undefined;
  const own = companions.filter(({ name }) => !isLevelsNameOf(primary.name, name));
  return own.reduce((sum, { size }) => sum + size, primary.size);
}

/** The overlay's text about what a drop will do. @param types MIME types, mostly ''. Names are not readable before the drop. */
export function dropWords(types: readonly string[]): string {
  const count = types.length;
  const [first] = types;
  if (count > 1 && pictureTypes.includes(first ?? '') && types.every((type) => type === first))
    return `Drop to play ${count} frames`;
  return count === 1 ? 'Drop to open' : `Drop to open or compress ${count} files`;
}

/** The suggested name for saving a compressed volume: `scan.stria` for `scan.nii.gz` and for `scan.stria`. */
export function offeredName(name: string, dataset?: string): string {
  return isStria(name) ? name : `${volumeStem(name)}${datasetSuffix(dataset)}.stria`;
}

/**
 * The name for saving beside the source without asking: `scan.nii.stria` for `scan.nii.gz`, which cannot clash with the name
 * for `scan.nrrd`.
 */
export function striaName(name: string, dataset?: string): string {
  return `${name.replace(/\.gz$/i, '')}${datasetSuffix(dataset)}.stria`;
}

function isStria(name: string): boolean {
  return name.toLowerCase().endsWith('.stria');
}

function isHeader(name: string): boolean {
  return /\.(n?hdr|mhd)$/i.test(name);
}

function isData(name: string): boolean {
  return dataEndings.some((ending) => name.endsWith(ending));
}

/** The volume that a sidecar or a table of labels with this name belongs to. */
function companionOf<File extends { readonly name: string }>(name: string, files: readonly File[]): File | undefined {
  if (name.endsWith('.json')) return files.find((raw) => isSidecar(name, raw.name.toLowerCase()));
  if (!isTableName(name)) return undefined;
  return files.find(
    (volume) => volume.name.toLowerCase() !== name && tableNamesFor(volumeStem(volume.name.toLowerCase())).includes(name),
  );
}

function isSidecar(json: string, raw: string): boolean {
  return raw !== json && (json === `${raw}.json` || json === `${stem(raw)}.json`);
}

function fits(header: string, data: string): boolean {
  const lower = header.toLowerCase();
  if (lower.endsWith('.hdr')) return data === lower.replace(/\.hdr$/, '.img') || data === lower.replace(/\.hdr$/, '.img.gz');
  return isData(data) && stem(data) === stem(lower);
}

function stem(name: string): string {
  return name.replace(/\.gz$/, '').replace(/\.[^.]*$/, '');
}
