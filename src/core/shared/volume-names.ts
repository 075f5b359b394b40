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

/** The part of an output's name that says which of several volumes it is: `-entry-data` for the data set `/entry/data`. */
export function datasetSuffix(dataset: string | undefined): string {
  const plain = dataset?.replace(/[^\p{L}\p{N}._]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
  return plain ? `-${plain.slice(-100)}` : '';
}
