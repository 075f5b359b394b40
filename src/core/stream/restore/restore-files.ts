import { maxLayerBytes } from '../../chunks/chunk-shape.ts';
import type { SourceFile } from '../../io/common/files-table.ts';
import type { SinkMaker } from '../../shared/bytes.ts';
import { elementBytes, swapBytes } from '../../shared/volume.ts';
import type { SlabDecoder } from './slab-decoder.ts';

/**
 * Decodes a container into many files, each with planes of voxels of its own. Holds, for each sample of a pixel, the planes of a
 * layer of chunks: as many as `maxLayerBytes` allows, but at least one.
 * @param openSink makes the sink of a file, which is closed when the file is complete
 * @throws StriaError as `restoreVolume`
 */
export async function restoreFiles(slabs: SlabDecoder, files: readonly SourceFile[], openSink: SinkMaker): Promise<void> {
  const width = elementBytes(slabs.volume.type);
  const planes = new Planes(slabs);
  for (const { name, before, after, endian, samples, isPlanar, planes: numbers } of files) {
    const sink = await openSink(name, before.byteLength + after.byteLength + numbers.length * samples * planes.planeBytes);
    await sink.write(before);
    for (const number of numbers) {
      slabs.throwIfAborted();
      const parts: Uint8Array[] = [];
      for (let sample = 0; sample < samples; sample++) parts.push(await planes.read(number, sample, samples));
      for (const part of isPlanar ? parts : [interleaved(parts, width)]) {
        // A copy: the planes are read again, and a sink may still write the last ones.
        const bytes = part.slice();
        if (endian === 'big') swapBytes(bytes, width);
        await sink.write(bytes);
      }
    }
    await sink.write(after);
    await sink.close();
  }
}

function interleaved(parts: readonly Uint8Array[], width: number): Uint8Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const pixelBytes = parts.length * width;
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  for (const [sample, part] of parts.entries()) {
    for (let to = sample * width, at = 0; to < bytes.byteLength; to += pixelBytes) {
      for (let byte = 0; byte < width; byte++) bytes[to + byte] = part[at++] as number;
    }
  }
  return bytes;
}

/** Planes of voxels, decoded with their neighbours in a layer of chunks. */
class Planes {
  readonly planeBytes: number;
  readonly #slabs: SlabDecoder;
  readonly #depth: number;
  readonly #blocks = new Map<number, Uint8Array<ArrayBuffer>>();

  constructor(slabs: SlabDecoder) {
    const { volume } = slabs;
    this.#slabs = slabs;
    this.#depth = volume.dims[2];
    this.planeBytes = volume.dims[0] * volume.dims[1] * elementBytes(volume.type);
  }

  /** @param the number of the first sample's plane */
  async read(number: number, sample: number, samples: number): Promise<Uint8Array> {
    const { grid, volume } = this.#slabs;
    const perBlock = Math.min(grid.chunkShape[2], Math.max(1, Math.floor(maxLayerBytes / (this.planeBytes * samples))));
    const plane = number + (sample * volume.dims[2] * volume.dims[3]) / samples;
    const z = plane % this.#depth;
    const start = plane - (z % perBlock);
    const held = this.#blocks.get(start);
    if (held === undefined) {
      const count = Math.min(perBlock, this.#depth - (z - (z % perBlock)));
      // As many as the samples of a file need at once.
      const [oldest] = this.#blocks.keys();
      if (this.#blocks.size >= samples && oldest !== undefined) this.#blocks.delete(oldest);
      const bytes = new Uint8Array(count * this.planeBytes);
      await this.#slabs.decodeRegion({ origin: [0, 0, start], dims: [grid.dims[0], grid.dims[1], count] }, bytes);
      this.#blocks.set(start, bytes);
    }
    const block = held ?? (this.#blocks.get(start) as Uint8Array<ArrayBuffer>);
    const at = (plane - start) * this.planeBytes;
    return block.subarray(at, at + this.planeBytes);
  }
}
