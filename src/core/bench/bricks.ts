import { choiceByName } from '../codecs/registry.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { openSample } from '../samples/sample.ts';
import { volumeBytes } from '../shared/volume.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { benchComputedDecoding, benchDecoding } from './brick-decode.ts';
import { benchFile, benchTerabyte } from './brick-flight.ts';
import { brickShape, MemoryBricks } from './brick-memory.ts';
import type { BenchContext } from './harness/context.ts';
import { benchPagedRays } from './paged-rays.ts';
import { benchSeries } from './series-in-3d.ts';
import { compareStoredTexels } from './stored-texels.ts';
import { benchTerabyteLayers } from './terabyte-layers.ts';

/** Seeds of the phantoms that alternate in the series. */
const seeds = [1, 2];

/**
 * Suite `bricks` measures the tiers of core/bricks on the GPU: decoding bricks into the atlas, rays through bricks compared with
 * rays through a texture, and a series played in 3D. Then the camera turns around a computed volume of 1 TiB and flies through it, alone and with two layers.
 * Before all that, textures that kernels write are compared with copied ones, if the device has both ways. Of a file, only turning
 * and flying are measured.
 */
export async function benchBricks(context: BenchContext): Promise<void> {
  const { gpu, host, request, job } = context;
  if (host.file) return benchFile(context, host.file);
  const { size, type } = request;
  context.begin('textures');
  const texelBytes = await compareStoredTexels(gpu, job);
  if (texelBytes === 0) {
    const method = 'written by kernels, compared with copied ones';
    context.leaveOut({ table: 'bricks', subject: '8-bit textures', method, reason: 'this GPU has only copied ones' });
  }
  await benchComputedDecoding(context);
  const ways = request.codecs.includes('auto') ? ['auto', 'rice'] : request.codecs;
  const [firstWay = 'auto'] = ways;
  const series: (readonly EncodedChunk[])[] = [];
  const backend = createGpuBackend(gpu);
  try {
    for (const seed of seeds) {
      context.begin(`phantom ${seed}`);
      const sample = openSample({ kind: 'phantom', dims: [size, size, size], type, seed });
      const volume = await ResidentVolume.create(gpu, sample.info, { chunkShape: brickShape });
      try {
        const voxels = new Uint8Array(volumeBytes(sample.info));
        let filled = 0;
        for await (const piece of sample.voxels(job)) {
          volume.append(piece);
          voxels.set(piece, filled);
          filled += piece.byteLength;
        }
        for (const way of seed === seeds[0] ? ways : [firstWay]) {
          const choice = { codec: choiceByName(way), options: { axis: 'auto' } } as const;
          const encode = async (of: ResidentVolume): Promise<readonly EncodedChunk[]> => {
            const encoded: EncodedChunk[] = [];
            await of.forEachBox(async (box) => {
              encoded.push(...(await backend.encodeResident(box, choice, job)).chunks);
            });
            return encoded;
          };
          const chunks = await encode(volume);
          if (way === firstWay) series.push(chunks);
          if (seed !== seeds[0]) continue;
          const source = new MemoryBricks(sample.info, chunks);
          await benchDecoding(context, { subject: `phantom ${size}³ ${type}`, x: way, source, voxels });
          if (way === firstWay) await benchPagedRays(context, source, volume, texelBytes, encode);
        }
      } finally {
        volume.destroy();
      }
    }
  } finally {
    await backend.destroy();
  }
  await benchSeries(context, series);
  await benchTerabyte(context);
  await benchTerabyteLayers(context);
}
