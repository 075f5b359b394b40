import { StriaError } from '../../../shared/errors.ts';
import type { HalvingMethod } from '../../../shared/halving.ts';
import { type JobOptions, throwIfAborted } from '../../../shared/job.ts';
import { elementBytes, type VolumeInfo } from '../../../shared/volume.ts';
import { type StoredTag, tiffTags } from '../../tiff/tiff-tags.ts';
import {
  align8,
  directoryBytes,
  encodeDirectory,
  encodeHeader,
  numberTag,
  textTag,
  tiffTypes,
} from '../../tiff/write-directory.ts';
import { omeDocument } from './ome-document.ts';
import { type OmeTiffPlan, type PlaneLevel, planOmeTiff } from './ome-tiff-plan.ts';
import { type EncodedPlane, isPredicted, PlaneEncoder } from './plane-encoder.ts';

export interface OmeTiffSettings {
  /** The image's name. */
  readonly name: string;
  readonly creator: string;
  /** How smaller levels are computed. */
  readonly method: HalvingMethod;
  /** BigTIFF even if it is not needed. */
  readonly isBig?: boolean;
}

const { short, long, long8 } = tiffTypes;
const software = 305;
const deflate = 8;
/** NewSubfileType: a reduced version of another picture. */
const reduced = 1;

/**
 * Writes a volume as one OME-TIFF, front to back: the tiles of each plane, then the directories of its smaller levels, then its
 * own. A directory contains the offset of the next one, so it waits until the next plane is compressed.
 */
export class OmeTiffWriter {
  readonly #info: VolumeInfo;
  readonly #plan: OmeTiffPlan;
  readonly #text: string;
  readonly #settings: OmeTiffSettings;
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #job: JobOptions;
  readonly #encoder: PlaneEncoder;
  readonly #planeBytes: number;
  /** Bytes of the current plane received so far. */
  #filled = 0;
  #offset = 0;
  /** Planes written so far. */
  #written = 0;
  #waiting: EncodedPlane | undefined;

  /** @throws StriaError `unsupported` for planes that are too large */
  constructor(info: VolumeInfo, settings: OmeTiffSettings, write: (bytes: Uint8Array) => Promise<void>, job: JobOptions = {}) {
    this.#info = info;
    this.#settings = settings;
    this.#text = omeDocument(info, settings.name, settings.creator);
    const plan = planOmeTiff(info, 4 * this.#text.length);
    this.#plan = { ...plan, isBig: plan.isBig || settings.isBig === true };
    this.#write = write;
    this.#job = job;
    this.#encoder = new PlaneEncoder(info.type, this.#plan.levels, settings.method);
    this.#planeBytes = info.dims[0] * info.dims[1] * elementBytes(info.type);
  }

  /** @param bytes any number of the volume's voxels, in order, little-endian. @throws StriaError `aborted`; errors of the sink */
  async push(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength; ) {
      throwIfAborted(this.#job.signal);
      const length = Math.min(this.#planeBytes - this.#filled, bytes.byteLength - at);
      await this.#encoder.push(bytes.subarray(at, at + length));
      this.#filled += length;
      at += length;
      if (this.#filled < this.#planeBytes) continue;
      this.#filled = 0;
      const plane = this.#encoder.take();
      if (this.#waiting !== undefined) await this.#put(this.#waiting, plane);
      this.#waiting = plane;
    }
  }

  /** @throws StriaError `internal` if voxels are missing; errors of the sink */
  async end(): Promise<void> {
    if (this.#waiting !== undefined) await this.#put(this.#waiting, undefined);
    this.#waiting = undefined;
    if (this.#written !== this.#plan.planeCount || this.#filled > 0) {
      throw new StriaError('internal', `${this.#written} of ${this.#plan.planeCount} planes were written`);
    }
  }

  async #put(plane: EncodedPlane, next: EncodedPlane | undefined): Promise<void> {
    const { isBig, levels } = this.#plan;
    const isFirst = this.#written++ === 0;
    const headerBytes = isBig ? 16 : 8;
    if (isFirst) await this.#putBytes(encodeHeader(headerBytes + this.#lengthBefore(plane), isBig));
    const places: number[][] = [];
    for (const tiles of plane.tiles) {
      const offsets: number[] = [];
      for (const tile of tiles) {
        offsets.push(this.#offset);
        await this.#putBytes(tile);
      }
      places.push(offsets);
    }
    await this.#putBytes(new Uint8Array(align8(this.#offset) - this.#offset));
    const tagsOf = (level: number) => this.#pixelTags(levels[level] as PlaneLevel, places[level] ?? [], plane.tiles[level] ?? []);
    const below: number[] = [];
    for (let level = 1; level < levels.length; level++) {
      below.push(this.#offset);
      const tags = sorted([...tagsOf(level), numberTag(tiffTags.newSubfileType, long, [reduced])]);
      await this.#putBytes(encodeDirectory(tags, { start: this.#offset, next: 0, isBig }));
    }
    const tags = sorted([...tagsOf(0), ...this.#ownTags(below, isFirst)]);
    const start = this.#offset;
    const end = start + directoryBytes(tags, isBig);
    await this.#putBytes(encodeDirectory(tags, { start, next: next === undefined ? 0 : end + this.#lengthBefore(next), isBig }));
  }

  async #putBytes(bytes: Uint8Array): Promise<void> {
    throwIfAborted(this.#job.signal);
    this.#offset += bytes.byteLength;
    if (bytes.byteLength > 0) await this.#write(bytes);
  }

  /** The data before a plane's own directory: its tiles, and the directories of its smaller levels. */
  #lengthBefore({ tiles }: EncodedPlane): number {
    const { levels, isBig } = this.#plan;
    const all = tiles.flat().reduce((sum, tile) => sum + tile.byteLength, 0);
    const directories = levels.slice(1).map((level, index) => {
      const own = tiles[index + 1] ?? [];
      const tags = [
        ...this.#pixelTags(
          level,
          own.map(() => 0),
          own,
        ),
        numberTag(tiffTags.newSubfileType, long, [reduced]),
      ];
      return directoryBytes(tags, isBig);
    });
    return align8(all) + directories.reduce((sum, bytes) => sum + bytes, 0);
  }

  #pixelTags({ width, height, tile }: PlaneLevel, offsets: readonly number[], tiles: readonly Uint8Array[]): StoredTag[] {
    const { type } = this.#info;
    const place = this.#plan.isBig ? long8 : long;
    return [
      numberTag(tiffTags.width, long, [width]),
      numberTag(tiffTags.height, long, [height]),
      numberTag(tiffTags.bitsPerSample, short, [8 * elementBytes(type)]),
      numberTag(tiffTags.compression, short, [deflate]),
      // 1: black is zero.
      numberTag(tiffTags.photometric, short, [1]),
      numberTag(tiffTags.samplesPerPixel, short, [1]),
      numberTag(tiffTags.planarConfiguration, short, [1]),
      ...(isPredicted(type) ? [numberTag(tiffTags.predictor, short, [2])] : []),
      numberTag(tiffTags.tileWidth, long, [tile[0]]),
      numberTag(tiffTags.tileHeight, long, [tile[1]]),
      numberTag(tiffTags.tileOffsets, place, offsets),
      numberTag(
        tiffTags.tileByteCounts,
        place,
        tiles.map(({ byteLength }) => byteLength),
      ),
      numberTag(tiffTags.sampleFormat, short, [{ u: 1, i: 2, f: 3 }[type.slice(0, 1)] as number]),
    ];
  }

  #ownTags(below: readonly number[], isFirst: boolean): StoredTag[] {
    const place = this.#plan.isBig ? long8 : long;
    return [
      ...(isFirst ? [textTag(tiffTags.description, this.#text), textTag(software, this.#settings.creator)] : []),
      ...(below.length > 0 ? [numberTag(tiffTags.subDirectories, place, below)] : []),
    ];
  }
}

function sorted(tags: readonly StoredTag[]): StoredTag[] {
  return [...tags].sort((a, b) => a.tag - b.tag);
}
