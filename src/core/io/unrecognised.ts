import { StriaError } from '../shared/errors.ts';
import { gzipWords, readableFiles } from '../shared/readable-formats.ts';

interface KnownFormat {
  /** The first bytes of such files, one character per byte. `any` matches any byte. */
  readonly begins?: readonly string[];
  /** Possible offsets of those bytes. Default: 0. */
  readonly at?: readonly number[];
  /** The file's name without `.gz`, for formats that the bytes do not identify. */
  readonly name?: RegExp;
  readonly says: string;
}

const any = '\u0100';

const toNifti = (format: string, tool: string) => `${format} is not supported: convert it to NIfTI, for example with ${tool}`;
const toTiff = (format: string) =>
  `${format} is not supported: save it as TIFF, for example with Fiji (Bio-Formats) or bfconvert`;
const packed = (format: string) => `this file is compressed with ${format}: unpack it, or pack it with gzip`;
const lossy = (format: string) => `${format} is not supported: use PNG or TIFF pictures`;

/**
 * Common formats of volumes and pictures that Stria identifies but does not read. The first one whose bytes match is used, or else
 * the first one whose name matches.
 */
const knownFormats: readonly KnownFormat[] = [
  { begins: ['\x89STRIA'], says: 'this is a Stria file: it is already compressed' },
  {
    name: /\.(dcm|dicom|ima)$|^DICOMDIR$/i,
    says: 'the file is named like a DICOM file, but does not begin like one: it is damaged or has another format',
  },
  { begins: ['MATRIX7'], says: toNifti('ECAT 7', 'nibabel') },
  { name: /\.(brik|head)$/i, says: toNifti('AFNI (BRIK and HEAD)', '3dAFNItoNIFTI') },
  { begins: ['!INTERFILE', '!interfile'], says: toNifti('Interfile', 'XMedCon') },
  { begins: ['# === DATA DESCRIPTION FILE'], name: /\.par$/i, says: toNifti('Philips PAR/REC', 'dcm2niix') },
  { name: /^2dseq$/i, says: toNifti('Bruker ParaVision', 'Bru2Nii') },
  {
    name: /\.(zarr|zarray|zgroup|zattrs|zmetadata)$|^zarr\.json$/i,
    says: 'this is one of the files of a Zarr: open the folder that holds it',
  },
  {
    begins: ['# vtk DataFile', '<VTKFile'],
    name: /\.(vtk|vtp|vtu|vtr|vts)$/i,
    says: 'VTK files other than image data (.vti) are not supported: save the volume as .vti or NRRD, for example with ParaView or 3D Slicer',
  },
  {
    begins: ['\xff\xff\xfecreated by', 'glTF', 'ply\n', 'ply\r'],
    name: /\.(stl|ply|obj|glb|gltf|gii)$/i,
    says: 'this is a surface, not a volume. The app shows surfaces by themselves, or as layers over a volume',
  },
  { begins: ['ZISRAWFILE'], name: /\.czi$/i, says: toTiff('Zeiss CZI') },
  { begins: [`p\0\0\0${any.repeat(4)}*`], name: /\.lif$/i, says: toTiff('Leica LIF') },
  { begins: ['\xda\xce\xbe\x0a'], name: /\.nd2$/i, says: toTiff('Nikon ND2') },
  { begins: ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'], name: /\.(oib|oif|zvi)$/i, says: toTiff('OLE (Olympus OIB, Zeiss ZVI)') },
  { name: /\.(dm3|dm4)$/i, says: toTiff('Gatan DM3/DM4') },
  { begins: ['<OME '], name: /\.ome(\.xml)?$/i, says: toTiff('OME-XML') },
  { begins: ['SIMPLE  ='], says: 'FITS is not supported: save the volume as TIFF or NRRD' },
  {
    begins: ['MATLAB 5.0'],
    says: 'MATLAB files before version 7.3 are not supported: save it again with -v7.3',
  },
  {
    begins: ['CDF\x01', 'CDF\x02', 'CDF\x05'],
    says: 'netCDF before version 4 is not supported: convert it with nccopy -k nc4, and MINC 1 with mnc2nii',
  },
  { name: /\.mnc2?$/i, says: toNifti('MINC', 'mnc2nii') },
  { begins: ['\xff\xd8\xff'], says: 'JPEG is not supported, because it has already lost information: use PNG or TIFF pictures' },
  { begins: ['\0\0\0\x0cjP  \r\n', '\xff\x4f\xff\x51'], says: lossy('JPEG 2000') },
  { begins: ['\0\0\0\x0cJXL ', '\xff\x0a'], name: /\.jxl$/i, says: lossy('JPEG XL') },
  { begins: ['GIF87a', 'GIF89a'], says: lossy('GIF') },
  { begins: [`RIFF${any.repeat(4)}WEBP`], says: lossy('WebP') },
  { begins: [`BM${any.repeat(4)}\0\0\0\0`], name: /\.bmp$/i, says: lossy('BMP') },
  { begins: ['ftypavif', 'ftypheic', 'ftypheix', 'ftypmif1'], at: [4], says: lossy('HEIC or AVIF') },
  {
    begins: [`RIFF${any.repeat(4)}AVI `, `${any.repeat(4)}ftyp`, '\x1a\x45\xdf\xa3'],
    says: 'this is a video: take its frames as PNG, for example with ffmpeg',
  },
  { begins: ['ustar'], at: [257], says: 'this is a TAR archive: unpack it and open the volume inside' },
  { begins: ['BZh'], says: packed('bzip2') },
  { begins: ['\xfd7zXZ\0'], says: packed('xz') },
  { begins: ['\x28\xb5\x2f\xfd'], says: packed('Zstandard') },
  { begins: ['7z\xbc\xaf\x27\x1c'], says: packed('7-Zip') },
  { name: /\.json$/i, says: 'this is a JSON file: if it describes a raw file, open the raw file' },
];

const readable = `It reads .stria, ${readableFiles}. ${gzipWords}; raw voxels need their dims and type`;

/** The fault for a file that no reader recognises, as specific as its first bytes and its name allow. */
export function unrecognised(name: string, head: Uint8Array): StriaError {
  if (head.byteLength === 0) return new StriaError('corrupt', 'the file is empty');
  const plainName = name.replace(/\.gz$/i, '');
  const text = Array.from(head.subarray(0, 4096), (byte) => String.fromCharCode(byte)).join('');
  const known =
    knownFormats.find(({ begins = [], at = [0] }) => begins.some((bytes) => at.some((start) => hasBytes(text, bytes, start)))) ??
    knownFormats.find((format) => format.name?.test(plainName));
  if (known !== undefined) return new StriaError('unsupported', known.says);
  return new StriaError('unsupported', `Stria doesn't recognise this file. ${readable}`);
}

function hasBytes(text: string, bytes: string, start: number): boolean {
  return [...bytes].every((byte, index) => byte === any || byte === text[start + index]);
}
