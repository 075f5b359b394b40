import { volumeEndings } from './readable-formats.ts';

/** Volume endings, which a derived name drops. */
const endingOfVolume = new RegExp(`\\.(${[...volumeEndings, 'vol', 'dat'].join('|')})$`, 'i');

/** A volume's file name without its endings: `scan` for `scan.nii.gz`. */
export function volumeStem(name: string): string {
  const stem = name.replace(/\.gz$/i, '').replace(endingOfVolume, '');
  return stem === '' ? name : stem;
}

/** Which of several volumes of a file or folder: its id, and what a person calls it. */
export interface DatasetName {
  readonly id: string;
  /** May be empty. */
  readonly label: string;
}

/** A file or folder by its name, with the volume in it: `study · Thin bone`. */
export function nameWithDataset(name: string, dataset: DatasetName | undefined): string {
  return dataset === undefined ? name : `${name} · ${dataset.label || dataset.id}`;
}

/** Whether a file belongs to OME by its name: a part of an OME-TIFF, or the metadata of a set. */
export function isOmeName(path: string): boolean {
  return /\.ome\.(tiff?|tf[28]|btf)$/i.test(path) || isCompanionName(path);
}

/** Metadata of a set of OME-TIFF files, in a file of their own. */
export function isCompanionName(path: string): boolean {
  return /\.companion\.ome$/i.test(path);
}

/** The part of an output's name that says which of several volumes it is: `-entry-data` for the data set `/entry/data`. */
export function datasetSuffix(dataset: string | undefined): string {
  const plain = dataset?.replace(/[^\p{L}\p{N}._]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
  return plain ? `-${plain.slice(-100)}` : '';
}
