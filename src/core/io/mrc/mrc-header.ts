import { StriaError } from '../../shared/errors.ts';
import type { StoredVoxels } from '../../shared/stored-voxels.ts';
import { type ElementType, type Endian, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import { sampleChannels } from '../common/stored-volume.ts';
import { checkedDims } from '../common/streamed-volume.ts';
import { mrcGeometry } from './mrc-geometry.ts';
import { imodStamp, type MrcFields, mrcFields, mrcHeaderBytes, mrcLayout } from './mrc-layout.ts';

export interface MrcHeader {
  readonly info: VolumeInfo;
  readonly endian: Endian;
  readonly stored: StoredVoxels | undefined;
  /** Offset of the first voxel, in bytes. */
  readonly start: number;
}

const modes: Readonly<Record<number, ElementType>> = {
  0: 'i8',
  1: 'i16',
  2: 'f32',
  6: 'u16',
  7: 'i32',
  12: 'f32',
  16: 'u8',
  101: 'u8',
};
const otherModes: Readonly<Record<number, string>> = { 3: 'complex 16-bit integers', 4: 'complex floats' };

const hasMagic = (head: Uint8Array) => /^MAP[ \0]/.test(String.fromCharCode(...head.subarray(208, 212)));

/** Whether a file has MRC's magic word. Files from before 2000 have none and are recognised by their names. */
export function isMrc(head: Uint8Array): boolean {
  return head.byteLength >= mrcHeaderBytes && hasMagic(head) && byteOrder(head) !== undefined;
}

/** Decides by the mode and the axes, which are small numbers in the right order. If both orders fit, decides by the machine stamp. */
function byteOrder(head: Uint8Array): Endian | undefined {
  const makesSense = (endian: Endian) => {
    const fields = mrcFields(head, endian);
    const axes = fields.three(mrcLayout.mapping, 'integer');
    const hasAxes = axes.every((axis) => axis >= 0 && axis <= 3);
    return hasAxes && fields.integer(mrcLayout.mode) >>> 0 < 256 && fields.three(0, 'integer').every((length) => length > 0);
  };
  const [little, big] = [makesSense('little'), makesSense('big')];
  if (little && big) return head[mrcLayout.machine] === 0x11 ? 'big' : 'little';
  if (little) return 'little';
  return big ? 'big' : undefined;
}

/** Parses a header. @throws StriaError `corrupt`, `unsupported` */
export function parseMrcHeader(head: Uint8Array): MrcHeader {
  if (head.byteLength < mrcHeaderBytes) {
    throw new StriaError('corrupt', `the file ends inside its MRC header: ${head.byteLength} of ${mrcHeaderBytes} bytes`);
  }
  const endian = byteOrder(head);
  if (endian === undefined) throw new StriaError('corrupt', 'this is not an MRC file: its lengths, mode and axes make no sense');
  const fields = mrcFields(head, endian);
  const mode = fields.integer(mrcLayout.mode);
  const type = elementType(mode, fields);
  const extended = fields.integer(mrcLayout.extendedBytes);
  if (extended < 0) throw new StriaError('corrupt', `the MRC header says that ${extended} bytes follow it`);
  const [columns, rows, sections] = fields.three(mrcLayout.lengths, 'integer');
  const [, , perVolume] = fields.three(mrcLayout.sampling, 'integer');
  // Space groups from 401 on are stacks of volumes. The sampling of the cell gives the number of sections in each.
  const isStack = fields.integer(mrcLayout.spaceGroup) >= 401 && perVolume > 0 && sections % perVolume === 0;
  const samples = mode === 16 ? 3 : 1;
  const depth = isStack ? perVolume : sections;
  const dims = checkedDims([columns, rows, depth, (isStack ? sections / perVolume : 1) * samples], elementBytes(type));
  return {
    info: {
      dims,
      type,
      ...mrcGeometry(fields),
      timeUnit: 'unknown',
      slope: 1,
      intercept: 0,
      ...(samples === 3 && { channels: sampleChannels(3, 'u8') }),
    },
    endian,
    stored: storedAs(mode),
    start: mrcHeaderBytes + extended,
  };
}

function storedAs(mode: number): StoredVoxels | undefined {
  if (mode === 12) return { samples: 1, as: 'f16' };
  if (mode === 16) return { samples: 3 };
  return mode === 101 ? { samples: 1, as: 'u4' } : undefined;
}

function elementType(mode: number, fields: MrcFields): ElementType {
  const type = modes[mode];
  if (type === undefined) {
    const name = otherModes[mode];
    if (name === undefined) throw new StriaError('corrupt', `MRC has no mode ${mode}`);
    throw new StriaError(
      'unsupported',
      `MRC of mode ${mode} (${name}) is not supported: Stria reads modes 0, 1, 2, 6, 7, 12, 16 and 101`,
    );
  }
  return mode === 0 && areUnsigned(fields) ? 'u8' : type;
}

/**
 * Whether the bytes of mode 0 are unsigned. MRC2014 says that they are signed. Older IMOD files have unsigned bytes and a flag for
 * that. For other files the header's minimum and maximum decide, if it has them.
 */
function areUnsigned(fields: MrcFields): boolean {
  if (fields.integer(mrcLayout.imodStamp) === imodStamp) return (fields.integer(mrcLayout.imodFlags) & 1) === 0;
  const [least, most] = [fields.real(mrcLayout.least), fields.real(mrcLayout.most)];
  return least >= 0 && most > 127 && most <= 255;
}
