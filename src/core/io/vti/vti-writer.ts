import { StriaError } from '../../shared/errors.ts';
import { maxSamples, type StoredVoxels, storedBytes } from '../../shared/stored-voxels.ts';
import { scaled, vectorLength } from '../../shared/vectors.ts';
import type { Endian, VolumeInfo } from '../../shared/volume.ts';
import { affineColumns, affineOrigin } from '../common/affine.ts';
import { vtiTypes, vtiWideTypes } from './vti-header.ts';

/**
 * The bytes before the voxels of a `.vti`: the markup and the length of the appended raw data. Time points and channels become
 * the components of a point. VTK has no units.
 * @param stored the form of the voxels, as `vtiStored` gives it or with 64-bit integers
 * @throws StriaError `unsupported` for more than 1024 time points
 */
export function vtiHeader(info: VolumeInfo, endian: Endian, stored = vtiStored(info)): Uint8Array {
  const { dims, type, affine, spacing } = info;
  if (dims[3] > maxSamples) {
    throw new StriaError('unsupported', `Stria does not write VTK images with ${dims[3]} time points: use --to nifti`);
  }
  const columns = affineColumns(affine);
  const distances = columns.map((column, axis) => vectorLength(column) || (spacing[axis] ?? 1));
  const directions = columns.map((column, axis) => scaled(column, 1 / (distances[axis] ?? 1)));
  const direction = [0, 1, 2].flatMap((row) => directions.map((column) => column[row] ?? 0));
  const extent = [0, 1, 2].flatMap((axis) => [0, (dims[axis] ?? 1) - 1]).join(' ');
  const order = endian === 'big' ? 'BigEndian' : 'LittleEndian';
  const geometry = `Origin="${affineOrigin(affine).join(' ')}" Spacing="${distances.join(' ')}" Direction="${direction.join(' ')}"`;
  const wide = Object.keys(vtiWideTypes).find((name) => stored?.as !== undefined && vtiWideTypes[name]?.as === stored.as);
  const array = `type="${wide ?? vtiTypes[type]}" Name="voxels" NumberOfComponents="${dims[3]}" format="appended" offset="0"`;
  const markup = [
    '<?xml version="1.0"?>',
    `<VTKFile type="ImageData" version="1.0" byte_order="${order}" header_type="UInt64">`,
    `  <ImageData WholeExtent="${extent}" ${geometry}>`,
    `    <Piece Extent="${extent}">`,
    '      <PointData Scalars="voxels">',
    `        <DataArray ${array}/>`,
    '      </PointData>',
    '    </Piece>',
    '  </ImageData>',
    '  <AppendedData encoding="raw">',
    '   _',
  ].join('\n');
  const text = new TextEncoder().encode(markup);
  const bytes = new Uint8Array(text.byteLength + 8);
  bytes.set(text);
  new DataView(bytes.buffer).setBigUint64(text.byteLength, BigInt(storedBytes(info, stored)), endian === 'little');
  return bytes;
}

export function vtiFooter(): Uint8Array {
  return new TextEncoder().encode('\n  </AppendedData>\n</VTKFile>\n');
}

export function vtiStored({ dims }: VolumeInfo): StoredVoxels | undefined {
  return dims[3] > 1 ? { samples: dims[3] } : undefined;
}
