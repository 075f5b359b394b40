import type { PicturePlan } from '../io/pictures/describe-pictures.ts';
import { createPictureWriter } from '../io/pictures/picture-writer.ts';
import type { SinkMaker } from '../shared/bytes.ts';
import { elementBytes } from '../shared/volume.ts';
import type { SlabDecoder } from './slab-decoder.ts';
import { type ChunkRange, ReusedBytes } from './slabs.ts';

/**
 * Decodes a container into pictures. In memory are a layer of chunks (256 MiB at most with the default chunk shape, or one
 * slice), as many times as a pixel has samples, and one picture as it is written.
 * @param openSink makes the sink of a file, which is closed when the file is whole
 * @throws StriaError as `restoreVolume`
 */
export async function restorePictures(slabs: SlabDecoder, plan: PicturePlan, openSink: SinkMaker): Promise<void> {
  const { volume, grid } = slabs;
  const { channels } = plan.table;
  const planeBytes = volume.dims[0] * volume.dims[1] * elementBytes(volume.type);
  const writer = createPictureWriter(volume, plan, { open: openSink, close: (sink) => sink.close() });
  const buffers = Array.from({ length: channels }, () => new ReusedBytes());
  const layersInTime = grid.counts[2];
  for (let t = 0; t < volume.dims[3]; t += channels) {
    for (let layer = 0; layer < layersInTime; layer++) {
      const samples: Uint8Array[] = [];
      for (const [channel, buffer] of buffers.entries()) {
        const slab = layerSlab(slabs, (t + channel) * layersInTime + layer);
        const bytes = buffer.take(slab.dims[2] * planeBytes);
        await slabs.decode(slab, bytes);
        samples.push(bytes);
      }
      for (let at = 0; at < (samples[0] as Uint8Array).byteLength; at += planeBytes) {
        slabs.throwIfAborted();
        await writer.write(samples.map((bytes) => bytes.subarray(at, at + planeBytes)));
      }
    }
  }
}

/** All chunks of a layer. */
function layerSlab({ grid }: SlabDecoder, layer: number): ChunkRange {
  const { origin, shape } = grid.layerBox(layer);
  const { first, count } = grid.chunksOfLayer(layer);
  const chunks = Array.from({ length: count }, (_, at) => {
    const box = grid.box(first + at);
    return { origin: [box.origin[0], box.origin[1], box.origin[2] - origin[2]] as const, shape: box.shape };
  });
  return { firstChunk: first, dims: shape, chunks };
}
