import { volumeEndings } from './readable-formats.ts';

/** Endings of volume files. A derived name drops them. */
const endingOfVolume = new RegExp(`\\.(${[...volumeEndings, 'vol', 'dat'].join('|')})$`, 'i');

/** A volume's file name without its endings: `scan` for `scan.nii.gz`. */
export function volumeStem(name: string): string {
  const stem = name.replace(/\.gz$/i, '').replace(endingOfVolume, '');
  return stem === '' ? name : stem;
}

/** Identifies one of several volumes of a file or folder by its id and its name for the user. */
export interface DatasetName {
  readonly id: string;
  /** May be empty. */
  readonly label: string;
}

/** The name of a file or folder with the volume in it: `study · Thin bone`. */
export function nameWithDataset(name: string, dataset: DatasetName | undefined): string {
  return dataset === undefined ? name : `${name} · ${dataset.label || dataset.id}`;
}

/** The name of the file beside a plain one that keeps its levels: `scan.nii.levels.stria`. @param dataset as in `datasetSuffix` */
export function levelsName(name: string, dataset: string | undefined): string {
  return `${name}${datasetSuffix(dataset)}${levelsEnding}`;
}

/** Whether a name is one of those that `levelsName` gives, for any file. */
export function isLevelsName(name: string): boolean {
  return name.endsWith(levelsEnding) && name.length > levelsEnding.length;
}

/** Whether a name is one of those that `levelsName` gives for a file. */
export function isLevelsNameOf(file: string, name: string): boolean {
  return name === levelsName(file, undefined) || (name.startsWith(`${file}-`) && isLevelsName(name));
}

const levelsEnding = '.levels.stria';

/** Whether a file's name is that of an OME file: a part of an OME-TIFF, or the metadata of a set. */
export function isOmeName(path: string): boolean {
  return /\.ome\.(tiff?|tf[28]|btf)$/i.test(path) || isCompanionName(path);
}

/** Whether a file's name is that of the separate metadata of a set of OME-TIFF files. */
export function isCompanionName(path: string): boolean {
  return /\.companion\.ome$/i.test(path);
}

/** The suffix of an output's name that tells several volumes apart: `-entry-data` for the dataset `/entry/data`. */
export function datasetSuffix(dataset: string | undefined): string {
  const plain = dataset?.replace(/[^\p{L}\p{N}._]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
  return plain ? `-${plain.slice(-100)}` : '';
}
