import { StriaError } from '../../shared/errors.ts';
import { isWorthDeflating } from '../../shared/source.ts';
import { checkStored, floatsOfHalves, type StoredVoxels, storedBytes } from '../../shared/stored-voxels.ts';
import { type Channel, colorChannels, type ElementType, elementBytes, swapBytes, volumeBytes } from '../../shared/volume.ts';
import { type PieceOptions, pieceBytes } from './byte-stream.ts';
import { PieceReader } from './piece-reader.ts';
import { checkedPlace, readBehind, type VoxelPlace } from './streamed-volume.ts';
import type { OpenVolume } from './volume-reader.ts';

/** The limit for samples that are held in memory while earlier kinds of samples are returned. */
const heldBytes = 256 * 2 ** 20;

/**
 * A volume whose file stores voxels in another form: interleaved samples, half floats, 4 bits. In the volume, samples are
 * separated by kind, so the file is read several times if they take more than 256 MiB.
 * @throws StriaError as `streamedVolume`
 */
export function storedVolume(place: VoxelPlace, stored: StoredVoxels): OpenVolume {
  const { info, stream, start } = place;
  checkStored(info, stored);
  const total = storedBytes(info, stored);
  const tooShort = checkedPlace(place, total);
  const { samples, as } = stored;
  const width = as === 'f16' ? 2 : elementBytes(info.type);
  const unit = samples * width;
  const blockBytes = Math.max(1, Math.floor(pieceBytes / unit)) * unit;
  const swapWidth = place.endian === 'big' ? width : 1;
  const ofOneKind = volumeBytes(info) / samples;
  const atOnce = Math.min(samples, 1 + Math.floor(heldBytes / ofOneKind));
  const voxelTotal = volumeBytes(info);

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
            if (unpack) return unpack(picked);
            return as === 'f16' ? floatsOfHalves(picked) : picked;
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
    async source() {
      after ??= await readBehind(stream, start + total);
      return { format: place.format, endian: place.endian, stored, parts: place.parts(after) };
    },
  };
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
