import { maxLayerBytes } from '../chunks/chunk-shape.ts';
import type { PicturePlan } from '../io/pictures/describe-pictures.ts';
import { checkMemory } from '../io/pictures/picture.ts';
import { createPictureWriter } from '../io/pictures/picture-writer.ts';
import type { SinkMaker } from '../shared/bytes.ts';
import { elementBytes } from '../shared/volume.ts';
import { slabTargetBytes } from './pipeline.ts';
import type { SlabDecoder } from './slab-decoder.ts';
import { ReusedBytes } from './slabs.ts';

/**
 * Decodes a container into pictures. Memory holds, for each sample of a pixel, some rows of chunks. If chunks are deeper than
 * one slice, it holds as many planes of a layer as `maxLayerBytes` allows, at least one.
 * @param openSink opens the sink of a file, which is closed when the file is complete
 * @param memoryLimit in bytes at a time; default `defaultPictureMemory`
 * @throws StriaError as `restoreVolume`; `unsupported` over the limit
 */
export async function restorePictures(
  slabs: SlabDecoder,
  plan: PicturePlan,
  openSink: SinkMaker,
  memoryLimit: number | undefined,
): Promise<void> {
  const { volume, grid } = slabs;
  const { channels } = plan.table;
  const [width, height, depth] = grid.dims;
  const rowBytes = volume.dims[0] * elementBytes(volume.type);
  const chunkHeight = Math.min(grid.chunkShape[1], height);
  const isFlat = grid.layerBox(0).shape[2] === 1;
  const atLeastOne = (count: number) => Math.max(1, Math.floor(count));
  const chunkRows = isFlat ? atLeastOne(slabTargetBytes / (rowBytes * chunkHeight * channels)) : grid.counts[1];
  const heldRows = Math.min(chunkRows * chunkHeight, height);
  const heldPlanes = isFlat ? 1 : Math.min(grid.chunkShape[2], depth, atLeastOne(maxLayerBytes / (rowBytes * height * channels)));
  checkMemory(heldRows * heldPlanes * rowBytes * channels, memoryLimit, 'writing these pictures', 'use --to nrrd');
  const writer = createPictureWriter(volume, plan, { open: openSink, close: (sink) => sink.close() });
  const buffers = Array.from({ length: channels }, () => new ReusedBytes());
  for (let t = 0; t < volume.dims[3]; t += channels) {
    for (let z = 0, planes = 0; z < depth; z += planes) {
      // Up to the end of a layer.
      planes = Math.min(heldPlanes, grid.chunkShape[2] - (z % grid.chunkShape[2]), depth - z);
      for (let y = 0; y < height; y += heldRows) {
        const rows = Math.min(heldRows, height - y);
        const samples: Uint8Array[] = [];
        for (const [channel, buffer] of buffers.entries()) {
          const bytes = buffer.take(rows * planes * rowBytes);
          await slabs.decodeRegion({ origin: [0, y, (t + channel) * depth + z], dims: [width, rows, planes] }, bytes);
          samples.push(bytes);
        }
        for (let at = 0; at < rows * planes * rowBytes; at += rows * rowBytes) {
          slabs.throwIfAborted();
          await writer.rows(samples.map((bytes) => bytes.subarray(at, at + rows * rowBytes)));
        }
      }
    }
  }
}
