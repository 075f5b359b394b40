import { StriaError } from '../../shared/errors.ts';
import { type ElementType, type Endian, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import { affineFromColumns } from '../common/affine.ts';
import { checkedDims, checkedScaling, checkedSpacing } from '../common/streamed-volume.ts';

/** Analyze's datatypes. SPM added those above 128. */
const datatypes: Readonly<Record<number, ElementType>> = {
  2: 'u8',
  4: 'i16',
  8: 'i32',
  16: 'f32',
  64: 'f64',
  130: 'i8',
  132: 'u16',
  136: 'u32',
};
const otherDatatypes: Readonly<Record<number, string>> = { 1: 'single bits', 32: 'complex64', 128: 'RGB24 colours' };

export interface AnalyzeHeader {
  readonly info: VolumeInfo;
  /** Offset of the first voxel in the `.img`, in bytes. */
  readonly voxOffset: number;
}

/**
 * Parses a header of Analyze 7.5, the predecessor of NIfTI-1: 348 bytes with the same fields as NIfTI up to `scl_slope`.
 *
 * Analyze does not say which side is left. As in SPM and nibabel, x goes from right to left (radiological, LAS), and `orient` is
 * ignored. The origin is the voxel in SPM's `originator`, counted from 1, or else the volume's centre. SPM's scale factor is used.
 * @param head at least 348 bytes from the file's start
 * @throws StriaError `corrupt`, `unsupported`
 */
export function parseAnalyzeHeader(head: Uint8Array, endian: Endian): AnalyzeHeader {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const short = (at: number) => view.getInt16(at, endian === 'little');
  const real = (at: number) => view.getFloat32(at, endian === 'little');
  const type = elementType(short(70));
  const count = short(40);
  if (count < 1 || count > 7)
    throw new StriaError('corrupt', `the Analyze header gives the volume ${count} axes instead of 1 to 7`);
  // Many files have lengths of 0 after the third axis.
  const lengths = Array.from({ length: count }, (_, axis) => short(42 + 2 * axis)).map((length, axis) =>
    axis > 2 && length === 0 ? 1 : length,
  );
  const dims = checkedDims(lengths, elementBytes(type));
  const [dx = 1, dy = 1, dz = 1, dt = 1] = [1, 2, 3, 4].map((axis) => checkedSpacing(real(76 + 4 * axis)));
  const spatial = dims.slice(0, 3);
  const named = [253, 255, 257].map(short);
  const isNamed =
    named.some((at) => at !== 0) && named.every((at, axis) => at > -(spatial[axis] ?? 1) && at < 2 * (spatial[axis] ?? 1));
  const [x = 0, y = 0, z = 0] = isNamed ? named.map((at) => at - 1) : spatial.map((length) => (length - 1) / 2);
  // A negative offset applies to every image in a file with several, which Analyze allows.
  const voxOffset = Math.abs(real(108));
  if (!Number.isSafeInteger(voxOffset)) {
    throw new StriaError('corrupt', `the Analyze header says that the voxels begin at byte ${voxOffset}`);
  }
  return {
    voxOffset,
    info: {
      dims,
      type,
      spacing: [dx, dy, dz, dt],
      spatialUnit: 'mm',
      timeUnit: 'unknown',
      affine: affineFromColumns(
        [
          [-dx, 0, 0],
          [0, dy, 0],
          [0, 0, dz],
        ],
        [x * dx, -y * dy, -z * dz],
      ),
      ...checkedScaling(real(112), real(116)),
    },
  };
}

function elementType(datatype: number): ElementType {
  const type = datatypes[datatype];
  if (type !== undefined) return type;
  const name = otherDatatypes[datatype];
  if (name === undefined) throw new StriaError('corrupt', `Analyze has no datatype ${datatype}`);
  throw new StriaError(
    'unsupported',
    `voxels of ${name} are not supported: Stria reads integers of 8 to 32 bits and floats of 32 and 64 bits`,
  );
}
