import type { Encoding } from './elements.ts';

/** How pixels are stored. */
export type PixelCompression = 'native' | 'rle' | 'jpeg' | 'jpeg-lossless' | 'jpeg-ls' | 'jpeg-2000' | 'htj2k';

export interface TransferSyntax extends Encoding {
  readonly uid: string;
  readonly name: string;
  /** Whether everything after the file's meta information is deflated. */
  readonly isDeflated: boolean;
  /** Undefined if Stria does not read it. */
  readonly pixels: PixelCompression | undefined;
}

const explicit: Encoding = { isExplicit: true, isLittle: true };
const root = '1.2.840.10008.1.2';

function encapsulated(end: string, name: string, pixels?: PixelCompression): TransferSyntax {
  return { ...explicit, uid: `${root}.4.${end}`, name, isDeflated: false, pixels };
}

export const explicitLittle: TransferSyntax = {
  ...explicit,
  uid: `${root}.1`,
  name: 'Explicit VR Little Endian',
  isDeflated: false,
  pixels: 'native',
};
export const implicitLittle: TransferSyntax = {
  ...explicitLittle,
  isExplicit: false,
  uid: root,
  name: 'Implicit VR Little Endian',
};
export const explicitBig: TransferSyntax = {
  ...explicitLittle,
  isLittle: false,
  uid: `${root}.2`,
  name: 'Explicit VR Big Endian',
};

/** The syntaxes with pixels from PS3.6, A. */
const syntaxes: readonly TransferSyntax[] = [
  implicitLittle,
  explicitLittle,
  explicitBig,
  { ...explicitLittle, uid: `${root}.1.99`, name: 'Deflated Explicit VR Little Endian', isDeflated: true },
  // An old private syntax of GE: implicit little-endian elements, pixels in big-endian words.
  { ...explicitLittle, uid: '1.2.840.113619.5.2', name: 'GE Private Implicit VR Big Endian', pixels: undefined },
  { ...explicitLittle, uid: `${root}.5`, name: 'RLE Lossless', pixels: 'rle' },
  encapsulated('50', 'JPEG Baseline', 'jpeg'),
  encapsulated('51', 'JPEG Extended', 'jpeg'),
  encapsulated('57', 'JPEG Lossless, Process 14', 'jpeg-lossless'),
  encapsulated('70', 'JPEG Lossless, Process 14, Selection Value 1', 'jpeg-lossless'),
  encapsulated('80', 'JPEG-LS Lossless', 'jpeg-ls'),
  encapsulated('81', 'JPEG-LS Near-Lossless', 'jpeg-ls'),
  encapsulated('90', 'JPEG 2000 Lossless', 'jpeg-2000'),
  encapsulated('91', 'JPEG 2000', 'jpeg-2000'),
  encapsulated('92', 'JPEG 2000 Part 2 Lossless'),
  encapsulated('93', 'JPEG 2000 Part 2'),
  encapsulated('100', 'MPEG-2 Main Profile'),
  encapsulated('100.1', 'MPEG-2 Main Profile'),
  encapsulated('101', 'MPEG-2 High Level'),
  encapsulated('101.1', 'MPEG-2 High Level'),
  encapsulated('102', 'MPEG-4 AVC/H.264'),
  encapsulated('102.1', 'MPEG-4 AVC/H.264'),
  encapsulated('103', 'MPEG-4 AVC/H.264 BD-compatible'),
  encapsulated('103.1', 'MPEG-4 AVC/H.264 BD-compatible'),
  encapsulated('104', 'MPEG-4 AVC/H.264 for 2D video'),
  encapsulated('105', 'MPEG-4 AVC/H.264 for 3D video'),
  encapsulated('106', 'MPEG-4 AVC/H.264 Stereo'),
  encapsulated('107', 'HEVC/H.265 Main Profile'),
  encapsulated('108', 'HEVC/H.265 Main 10 Profile'),
  encapsulated('110', 'JPEG XL Lossless'),
  encapsulated('111', 'JPEG XL JPEG Recompression'),
  encapsulated('112', 'JPEG XL'),
  encapsulated('201', 'HTJ2K Lossless', 'htj2k'),
  encapsulated('202', 'HTJ2K Lossless RPCL', 'htj2k'),
  encapsulated('203', 'HTJ2K', 'htj2k'),
];

/** The syntax with this UID. An unknown syntax is treated as explicit little-endian, with unreadable pixels. */
export function transferSyntaxOf(uid: string): TransferSyntax {
  return (
    syntaxes.find((syntax) => syntax.uid === uid) ?? {
      ...explicit,
      uid,
      name: `transfer syntax ${uid}`,
      isDeflated: false,
      pixels: undefined,
    }
  );
}
