import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { isWorthDeflating } from '../../shared/source.ts';
import { checkStored, floatsOfHalves, type StoredVoxels, storedBytes, storedWidth } from '../../shared/stored-voxels.ts';
import {
  type Channel,
  colorChannels,
  type Dims4,
  type ElementType,
  elementBytes,
  swapBytes,
  volumeBytes,
  voxelCount,
} from '../../shared/volume.ts';
import { type PieceOptions, pieceBytes } from './byte-stream.ts';
import { PieceReader } from './piece-reader.ts';
import { checkedPlace, readBehind, streamedVolume, type VoxelPlace } from './streamed-volume.ts';
import { narrowIntegers } from './value-types.ts';
import type { OpenVolume } from './volume-reader.ts';

/** The limit for samples that are held in memory while earlier kinds of samples are returned. */
const heldBytes = 256 * 2 ** 20;

/** A volume in a file, in whatever form it stores voxels. @throws StriaError as `streamedVolume` and `storedVolume` */
export function volumeAt(place: VoxelPlace, stored: StoredVoxels | undefined): OpenVolume {
  return stored ? storedVolume(place, stored) : streamedVolume(place);
}

/**
 * A volume whose file stores voxels in another form: interleaved samples, half floats, 64-bit integers, 4 bits. In the volume, samples are
 * separated by kind, so the file is read several times if they take more than 256 MiB.
 * @throws StriaError as `streamedVolume`; while reading, `unsupported` at a 64-bit integer that needs more than 32 bits
 */
function storedVolume(place: VoxelPlace, stored: StoredVoxels): OpenVolume {
  const { info, stream, start } = place;
  checkStored(info, stored);
  const total = storedBytes(info, stored);
  const tooShort = checkedPlace(place, total);
  const { samples, as } = stored;
  const width = storedWidth(info.type, as);
  const unit = samples * width;
  const blockBytes = Math.max(1, Math.floor(pieceBytes / unit)) * unit;
  const swapWidth = place.endian === 'big' ? width : 1;
  const ofOneKind = volumeBytes(info) / samples;
  const placesOfKind = voxelCount(info.dims) / samples;
  const atOnce = Math.min(samples, 1 + Math.floor(heldBytes / ofOneKind));
  const voxelTotal = volumeBytes(info);

  /** @param start the number of the first voxel in the volume */
  function converted(bytes: Uint8Array<ArrayBuffer>, start: number): Uint8Array<ArrayBuffer> {
    if (as === 'f16') return floatsOfHalves(bytes);
    if (as !== 'i64' && as !== 'u64') return bytes;
    const { buffer } = narrowIntegers(bytes, as === 'i64', (index) => placeOf(start + index, info.dims));
    return new Uint8Array(buffer);
  }

  async function fill(target: Uint8Array<ArrayBuffer>, at: number, options?: JobOptions): Promise<void> {
    const voxelBytes = elementBytes(info.type);
    const first = at / voxelBytes;
    const count = target.byteLength / voxelBytes;
    const block = new Uint8Array(Math.min(pieceBytes, count * width));
    for (let done = 0; done < count; done += block.byteLength / width) {
      const part = block.subarray(0, Math.min(block.byteLength, (count - done) * width));
      await stream.fill?.(part, start + (first + done) * width, options);
      swapBytes(part, swapWidth);
      target.set(converted(part, first + done), done * voxelBytes);
    }
  }

  async function* voxels(options: PieceOptions = {}): AsyncGenerator<Uint8Array> {
    let given = 0;
    const give = (piece: Uint8Array) => {
      given += piece.byteLength;
      options.onProgress?.({ stage: 'Reading', done: given, total: voxelTotal });
      return piece;
    };
    for (let first = 0; first < samples; first += atOnce) {
      const count = Math.min(atOnce, samples - first);
      const held = Array.from({ length: count - 1 }, () => new Uint8Array(ofOneKind));
      const reader = new PieceReader(stream.pieces(start, { signal: options.signal }));
      const unpack = as === 'u4' ? nibbleReader(info.dims[0]) : undefined;
      try {
        let filledHeld = 0;
        for (let at = 0; at < total; at += blockBytes) {
          const block = new Uint8Array(Math.min(blockBytes, total - at));
          const filled = await reader.fill(block);
          if (filled < block.byteLength) throw tooShort(at + filled);
          swapBytes(block, swapWidth);
          const kinds = Array.from({ length: count }, (_, kind) => {
            const picked = samples === 1 ? block : everyNth(block, width, samples, first + kind);
            // All time points of a kind of sample follow each other in the volume.
            return unpack ? unpack(picked) : converted(picked, (first + kind) * placesOfKind + at / unit);
          });
          for (const [kind, bytes] of held.entries()) bytes.set(kinds[kind + 1] as Uint8Array, filledHeld);
          filledHeld += kinds[0]?.byteLength ?? 0;
          yield give(kinds[0] as Uint8Array);
        }
      } finally {
        await reader.close();
      }
      for (const bytes of held) yield give(bytes);
    }
  }

  let after: Uint8Array | undefined;
  return {
    info,
    format: place.format,
    deflatesSource: isWorthDeflating(place.format, place.parts(new Uint8Array(0))),
    stored,
    voxels,
    ...(stream.fill && samples === 1 && as !== undefined && as !== 'u4' && { fill }),
    async source() {
      after ??= await readBehind(stream, start + total);
      return { format: place.format, endian: place.endian, stored, parts: place.parts(after) };
    },
  };
}

/** `voxel (x, y, z)`, also with t in a series. @param index the number of the voxel in the volume, from 0 */
function placeOf(index: number, [x, y, z, t]: Dims4): string {
  const place = [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y)) % z];
  return `voxel (${[...place, ...(t > 1 ? [Math.floor(index / (x * y * z))] : [])].join(', ')})`;
}

/** The names of a voxel's values. Three or four bytes are colours; others are numbered. */
export function sampleChannels(count: number, type: ElementType): readonly Channel[] {
  if (type === 'u8' && (count === 3 || count === 4)) return colorChannels.slice(0, count);
  return Array.from({ length: count }, (_, index) => ({ name: `Component ${index + 1}` }));
}

/** Element `index` of each group of `count` elements. @param bytes the whole of their buffer */
function everyNth(bytes: Uint8Array<ArrayBuffer>, width: number, count: number, index: number): Uint8Array<ArrayBuffer> {
  const picked = new Uint8Array(bytes.byteLength / count);
  // Elements of 8 bytes are copied as two integers, because a float could lose the bits of a NaN.
  const Unit = width === 1 ? Uint8Array : width === 2 ? Uint16Array : Uint32Array;
  const [from, to] = [new Unit(bytes.buffer), new Unit(picked.buffer)];
  const units = width / Unit.BYTES_PER_ELEMENT;
  for (let unit = 0; unit < units; unit++) {
    for (let at = unit, source = index * units + unit; at < to.length; at += units, source += count * units) {
      to[at] = from[source] as number;
    }
  }
  return picked;
}

/** Unpacks consecutive bytes into voxels. @throws StriaError `unsupported` if a row's padding half byte is not 0 */
function nibbleReader(rowLength: number): (bytes: Uint8Array) => Uint8Array<ArrayBuffer> {
  let x = 0;
  return (bytes) => {
    const voxels = new Uint8Array(2 * bytes.byteLength);
    let length = 0;
    for (const byte of bytes) {
      voxels[length++] = byte & 15;
      x++;
      if (x < rowLength) {
        voxels[length++] = byte >> 4;
        x++;
      } else if (byte >> 4 !== 0) {
        throw new StriaError('unsupported', 'a row of 4-bit voxels has nonzero padding, which Stria does not keep');
      }
      if (x === rowLength) x = 0;
    }
    return voxels.slice(0, length);
  };
}
