import { checkMemory } from '../../io/common/picture.ts';
import type { PicturePlan } from '../../io/pictures/describe-pictures.ts';
import { createPictureWriter } from '../../io/pictures/picture-writer.ts';
import type { SinkMaker } from '../../shared/bytes.ts';
import { elementBytes } from '../../shared/volume.ts';
import { sampleBands } from './sample-bands.ts';
import type { SlabDecoder } from './slab-decoder.ts';

/**
 * Decodes a container into pictures, in bands that hold all samples of a pixel (`sampleBands`).
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
  const { volume } = slabs;
  const { channels } = plan.table;
  const rowBytes = volume.dims[0] * elementBytes(volume.type);
  const { heldBytes, bands } = sampleBands(slabs, channels);
  checkMemory(heldBytes, memoryLimit, 'writing these pictures', 'use --to nrrd');
  const writer = createPictureWriter(volume, plan, { open: openSink, close: (sink) => sink.close() });
  for await (const { rows, planes, samples } of bands()) {
    for (let at = 0; at < rows * planes * rowBytes; at += rows * rowBytes) {
      slabs.throwIfAborted();
      await writer.rows(samples.map((bytes) => bytes.subarray(at, at + rows * rowBytes)));
    }
  }
}
