import type { FileFormat } from '../../../core/shared/source.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';

/** Formats whose world coordinates are a patient's: right, anterior, superior. */
const ofPatients: readonly FileFormat[] = ['nifti', 'analyze', 'nrrd', 'mha', 'mgh', 'dicom', 'raw'];
/** Formats of arbitrary arrays. Arrays in millimetres are mostly converted from the formats above, or are MINC. */
const ofAnything: readonly FileFormat[] = ['zarr', 'hdf5'];

/** The info of a volume as views show it. @param format the format of its file, or of the source of a .stria */
export function shownInfo(info: VolumeInfo, format: FileFormat): VolumeInfo {
  const isPatient = ofPatients.includes(format) || (ofAnything.includes(format) && info.spatialUnit === 'mm');
  return isPatient ? info : { ...info, world: 'instrument' };
}
