import type { ByteSource } from '../../shared/bytes.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { SourcePart } from '../../shared/source.ts';
import { readTypeOf } from '../../shared/stored-voxels.ts';
import { diagonalAffine } from '../common/affine.ts';
import { nameWithoutGzip, openBytes, plainBytes, readWhole } from '../common/byte-stream.ts';
import { volumeAt } from '../common/stored-volume.ts';
import { readBefore, type VoxelPlace } from '../common/streamed-volume.ts';
import type { OpenOptions, OpenVolume } from '../common/volume-reader.ts';
import {
  checkLayout,
  layoutFromName,
  layoutTooLarge,
  layoutTooSmall,
  parseSidecar,
  type RawDescription,
  sidecarName,
} from './raw-layout.ts';

const sidecarLimit = 2 ** 20;

/** How a raw file's layout was found. */
export interface FoundLayout {
  readonly layout: RawDescription;
  /** The sidecar, if the layout came from it. It belongs to the source. */
  readonly sidecar?: SourcePart;
}

/**
 * A raw file's layout, from the first that gives one: the caller, the sidecar (`parseSidecar`), the name (`layoutFromName`).
 * @throws StriaError `invalid-input` for an invalid sidecar
 */
export async function findRawLayout(source: ByteSource, options: OpenOptions & JobOptions): Promise<FoundLayout | undefined> {
  if (options.raw !== undefined) return { layout: options.raw };
  const name = sidecarName(source.name);
  const sidecar = await options.siblings?.(name);
  if (sidecar !== undefined) {
    const before = await readWhole(plainBytes(sidecar), sidecarLimit, options);
    return { layout: parseSidecar(before, name), sidecar: { name, before, hasVoxels: false, after: new Uint8Array() } };
  }
  const layout = layoutFromName(source.name);
  return layout === undefined ? undefined : { layout };
}

/**
 * Opens a file that consists of voxels only. It is decompressed if it is gzip and its name ends in `.gz`, because raw voxels
 * may look like gzip by chance. Bytes after the voxels are kept.
 * @throws StriaError `invalid-input` if the file is too short for its layout; `corrupt`, `unsupported`, `aborted`
 */
export async function openRaw(source: ByteSource, found: FoundLayout, options: OpenOptions & JobOptions): Promise<OpenVolume> {
  const { layout, sidecar } = found;
  checkLayout(layout);
  const { dims, endian = 'little', offset = 0 } = layout;
  const { type, as } = readTypeOf(layout.type);
  const stream = /\.gz$/i.test(source.name) ? await openBytes(source, options) : plainBytes(source);
  if (offset > stream.sizeLimit) throw layoutTooLarge(layout, 0);
  const remark = stream.size === undefined ? undefined : layoutTooSmall(layout, stream.size - offset);
  if (remark !== undefined) options.onRemark?.(`${source.name}: ${remark}`);
  const before = await readBefore(stream, offset, options);
  const spacing = layout.spacing ?? ([1, 1, 1, 1] as const);
  const name = stream.size === undefined ? nameWithoutGzip(source.name) : source.name;
  const place: VoxelPlace = {
    info: {
      dims,
      type,
      spacing,
      spatialUnit: layout.unit ?? 'unknown',
      timeUnit: 'unknown',
      affine: diagonalAffine(spacing),
      slope: 1,
      intercept: 0,
    },
    format: 'raw',
    endian,
    stream,
    start: offset,
    parts: (after) => [...(sidecar === undefined ? [] : [sidecar]), { name, before, hasVoxels: true, after }],
    tooShort: (available) => layoutTooLarge(layout, available),
  };
  return volumeAt(place, as && { samples: 1, as });
}
