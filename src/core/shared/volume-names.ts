import { volumeEndings } from './readable-formats.ts';

/** Volume endings, which a derived name drops. */
const endingOfVolume = new RegExp(`\\.(${[...volumeEndings, 'vol', 'dat'].join('|')})$`, 'i');

/** A volume's file name without its endings: `scan` for `scan.nii.gz`. */
export function volumeStem(name: string): string {
  const stem = name.replace(/\.gz$/i, '').replace(endingOfVolume, '');
  return stem === '' ? name : stem;
}

/** The part of an output's name that says which of several volumes it is: `-entry-data` for the data set `/entry/data`. */
export function datasetSuffix(dataset: string | undefined): string {
  const plain = dataset?.replace(/[^\p{L}\p{N}._]+/gu, '-').replace(/^[-.]+|[-.]+$/g, '');
  return plain ? `-${plain.slice(-100)}` : '';
}
