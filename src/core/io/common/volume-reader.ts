import type { ByteSource, SharedFile, SiblingFinder } from '../../shared/bytes.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { OwnLabels } from '../../shared/label-table.ts';
import type { FileFormat, SourceDescription } from '../../shared/source.ts';
import type { RawType, StoredForm, StoredVoxels } from '../../shared/stored-voxels.ts';
import type { Dims4, Endian, VolumeInfo } from '../../shared/volume.ts';
import type { FileWindow, VolumeTag } from '../../shared/volume-facts.ts';
import type { StreamedLevels } from '../../shared/volume-level.ts';
import type { PieceOptions } from './byte-stream.ts';

/** A volume whose header has been read, but not its voxels. */
export interface OpenVolume {
  readonly info: VolumeInfo;
  /** The source's format, as in `source()`: a container's header needs it before the voxels are read. */
  readonly format: FileFormat;
  /** As in `source()`: the form of the voxels in the file, if it differs. A container's header needs it, too. */
  readonly stored?: StoredVoxels | undefined;
  /** The form of a picture's samples, if it differs. The table of the pictures describes it, and not `stored`. */
  readonly sampleForm?: StoredForm | undefined;
  /** From `isWorthDeflating`, because a container's header says before the voxels whether bytes of its source are deflated. */
  readonly deflatesSource?: boolean | undefined;
  /**
   * The voxels once, in order (x fastest, then y, z, t), as little-endian bytes in pieces of any size, together exactly
   * `volumeBytes(info)` long. A piece belongs to the caller; with `reuse` only until the next one is requested.
   * @throws StriaError `corrupt` if the file ends early or its compression is broken; `aborted`
   */
  voxels(options?: PieceOptions): AsyncIterable<Uint8Array>;
  /**
   * Reads the voxels' bytes from byte `start` on into all of `target`, which is the whole of its buffer or its start, and
   * begins with a whole voxel. Undefined if they can only be read in order, as from gzip. @throws as `voxels`
   */
  fill?(target: Uint8Array<ArrayBuffer>, start: number, options?: JobOptions): Promise<void>;
  /**
   * Reads boxes of voxels from a chunked source, at this resolution and each lower one. Undefined if boxes cannot be read separately,
   * or if `fill` can read the voxels. The caller closes it. @throws as `voxels`
   */
  leveled?(job?: JobOptions): Promise<StreamedLevels>;
  /**
   * The file in which the voxels are stored exactly as `voxels` returns them, from byte `start` on. Undefined if they are
   * stored in another form, or the file cannot be shared.
   */
  readonly place?: FilePlace | undefined;
  /** The file's own display windows, in the file's order. */
  readonly windows?: readonly FileWindow[] | undefined;
  /** The file's metadata, in the file's order. */
  readonly tags?: readonly VolumeTag[] | undefined;
  /** The file's information about labels, if its `source` does not contain it: see core/io/own-labels.ts. */
  readonly labels?: OwnLabels | undefined;
  /** Unit of the physical values: 'HU'. */
  readonly valueUnit?: string | undefined;
  /**
   * The description from which the source can be written again. Call it after `voxels` has ended, because the bytes after the
   * voxels are known only then.
   */
  source(): Promise<SourceDescription>;
}

export interface FilePlace {
  readonly file: SharedFile;
  readonly start: number;
}

/** The layout of a raw file, which has no header. */
export interface RawLayout {
  readonly dims: Dims4;
  readonly type: RawType;
  /** Default 'little'. */
  readonly endian?: Endian | undefined;
  /** Bytes before the first voxel. Default 0. */
  readonly offset?: number | undefined;
}

export interface OpenOptions {
  /** Needed by detached headers: `.hdr` finds its `.img`, `.nhdr` its data file, `.raw` its sidecar. */
  readonly siblings?: SiblingFinder | undefined;
  /** If set, the file is raw, whatever its name. */
  readonly raw?: RawLayout | undefined;
  /** The id of the volume to open, if there are several (`VolumeEntry`). */
  readonly dataset?: string | undefined;
  /** The axes of an array whose file does not name them: one letter each, slowest first, such as `tzyx` (`parseAxes`). */
  readonly axes?: string | undefined;
  /** For an image at several resolutions: opens the largest one of at most this many bytes. Default: `defaultLevelBytes`. */
  readonly levelBytes?: number | undefined;
  /** Keep nothing that identifies a person. Formats that do not define such data ignore it. */
  readonly stripIdentity?: boolean | undefined;
  /** Memory limit for reading one picture, in bytes. Default: `defaultPictureMemory`. */
  readonly pictureMemory?: number | undefined;
  /** Receives a remark on a file that can be opened but may be described wrongly. */
  readonly onRemark?: ((text: string) => void) | undefined;
}

/** A larger level is not opened by default if there is a smaller one. */
export const defaultLevelBytes = 4 * 2 ** 30;

/** A reader of one format: recognises its files by the first bytes and the name, and opens them. */
export interface VolumeReader {
  readonly format: SourceDescription['format'];
  /** @param head the file's first 4096 bytes (fewer if it is shorter), gunzipped if it was gzip */
  recognises(name: string, head: Uint8Array): boolean;
  open(source: ByteSource, options: OpenOptions & JobOptions): Promise<OpenVolume>;
}
