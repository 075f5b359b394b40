import { StriaError } from '../shared/errors.ts';

interface KnownFormat {
  /** What such files begin with, one character a byte. */
  readonly begins?: readonly string[];
  /** Where those bytes stand. Default 0. */
  readonly at?: number;
  readonly name?: RegExp;
  readonly says: string;
}

/** Formats that people have volumes in and that Stria knows by sight only. */
const knownFormats: readonly KnownFormat[] = [
  { begins: ['\x89STRIA'], says: 'this is a Stria file: it is compressed already' },
  {
    begins: ['DICM'],
    at: 128,
    name: /\.(dcm|dicom|ima)$/i,
    says: 'DICOM is not read yet: convert the series to NIfTI, for example with dcm2niix',
  },
  { begins: ['\xff\xd8\xff'], says: 'JPEG is not read: it has lost what Stria would keep. Take the pictures as PNG or TIFF' },
  {
    begins: ['ObjectType', 'NDims'],
    name: /\.(mha|mhd)$/i,
    says: 'MetaImage is not read yet: convert it to NRRD or NIfTI, for example with 3D Slicer or SimpleITK',
  },
  { begins: ['PK\x03\x04', 'PK\x05\x06'], says: 'this is a ZIP archive: unpack it and open the volume inside' },
  { begins: ['\x89HDF\r\n'], says: 'HDF5 (MINC 2, NetCDF 4) is not read yet: convert the volume to NIfTI or NRRD' },
  {
    begins: ['# vtk DataFile', '<VTKFile'],
    name: /\.(vtk|vti)$/i,
    says: 'VTK is not read yet: save the volume as NRRD, for example with ParaView or 3D Slicer',
  },
  { name: /\.(mgh|mgz)$/i, says: 'FreeSurfer MGH is not read yet: convert it to NIfTI with mri_convert' },
  { name: /\.json$/i, says: 'this is a JSON text: if it describes a raw file, open that file itself' },
];

const readable =
  'Stria reads NIfTI (.nii, .hdr with .img), NRRD (.nrrd, .nhdr), each gzipped or not, PNG, TIFF, and raw voxels if their dims and type are given';

/** The fault for a file that no reader knows, as exact as its head and name allow. */
export function unrecognised(name: string, head: Uint8Array): StriaError {
  if (head.byteLength === 0) return new StriaError('corrupt', 'the file is empty');
  const plainName = name.replace(/\.gz$/i, '');
  const text = Array.from(head.subarray(0, 256), (byte) => String.fromCharCode(byte)).join('');
  const known =
    knownFormats.find(({ begins = [], at = 0 }) => begins.some((bytes) => text.startsWith(bytes, at))) ??
    knownFormats.find((format) => format.name?.test(plainName));
  if (known !== undefined) return new StriaError('unsupported', known.says);
  return new StriaError('unsupported', `Stria doesn't recognise this file. ${readable}`);
}
