import type { PicturePlan } from '../io/pictures/describe-pictures.ts';
import { checkMemory } from '../io/pictures/picture.ts';
import { createPictureWriter } from '../io/pictures/picture-writer.ts';
import type { SinkMaker } from '../shared/bytes.ts';
import { elementBytes } from '../shared/volume.ts';
import { slabTargetBytes } from './pipeline.ts';
import type { SlabDecoder } from './slab-decoder.ts';
import { type ChunkRange, ReusedBytes } from './slabs.ts';

/**
 * Decodes a container into pictures. In memory are, of each of a pixel's samples, some rows of chunks, or a layer of chunks where
 * chunks are deeper than one slice.
 * @param openSink makes the sink of a file, which is closed when the file is whole
 * @param memoryLimit what may be held in memory at a time; default `defaultPictureMemory`
 * @throws StriaError as `restoreVolume`; `unsupported` beyond the limit
 */
export async function restorePictures(
  slabs: SlabDecoder,
  plan: PicturePlan,
  openSink: SinkMaker,
  memoryLimit: number | undefined,
): Promise<void> {
  const { volume, grid } = slabs;
  const { channels } = plan.table;
  const [width, height] = volume.dims;
  const rowBytes = width * elementBytes(volume.type);
  const chunkHeight = Math.min(grid.chunkShape[1], height);
  const isFlat = Math.min(grid.chunkShape[2], volume.dims[2]) === 1;
  const chunkRows = isFlat ? Math.max(1, Math.floor(slabTargetBytes / (rowBytes * chunkHeight * channels))) : grid.counts[1];
  const heldRows = isFlat ? Math.min(chunkRows * chunkHeight, height) : height * grid.layerBox(0).shape[2];
  checkMemory(heldRows * rowBytes * channels, memoryLimit, 'writing these pictures', 'use --to nrrd');
  const writer = createPictureWriter(volume, plan, { open: openSink, close: (sink) => sink.close() });
  const buffers = Array.from({ length: channels }, () => new ReusedBytes());
  const layersInTime = grid.counts[2];
  for (let t = 0; t < volume.dims[3]; t += channels) {
    for (let layer = 0; layer < layersInTime; layer++) {
      for (let row = 0; row < grid.counts[1]; row += chunkRows) {
        const samples: Uint8Array[] = [];
        let planes = 1;
        for (const [channel, buffer] of buffers.entries()) {
          const slab = chunkRowsOf(slabs, (t + channel) * layersInTime + layer, row, Math.min(chunkRows, grid.counts[1] - row));
          const bytes = buffer.take(slab.dims[1] * slab.dims[2] * rowBytes);
          await slabs.decode(slab, bytes);
          samples.push(bytes);
          planes = slab.dims[2];
        }
        const planeBytes = (samples[0] as Uint8Array).byteLength / planes;
        for (let plane = 0; plane < planes; plane++) {
          slabs.throwIfAborted();
          await writer.rows(samples.map((bytes) => bytes.subarray(plane * planeBytes, (plane + 1) * planeBytes)));
        }
      }
    }
  }
}

/** Consecutive rows of chunks of a layer. */
function chunkRowsOf({ grid }: SlabDecoder, layer: number, firstRow: number, rowCount: number): ChunkRange {
  const { origin, shape } = grid.layerBox(layer);
  const top = firstRow * grid.chunkShape[1];
  const first = grid.chunksOfLayer(layer).first + firstRow * grid.counts[0];
  const chunks = Array.from({ length: rowCount * grid.counts[0] }, (_, at) => {
    const box = grid.box(first + at);
    return { origin: [box.origin[0], box.origin[1] - top, box.origin[2] - origin[2]] as const, shape: box.shape };
  });
  return { firstChunk: first, dims: [shape[0], Math.min(rowCount * grid.chunkShape[1], shape[1] - top), shape[2]], chunks };
}
