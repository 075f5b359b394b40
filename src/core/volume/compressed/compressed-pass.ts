import type { NumberedBox } from '../../chunks/backend.ts';
import { mismatch } from '../../chunks/choose.ts';
import { sameChecksum } from '../../format/checksum.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { codecElementBytes } from '../../format/chunk-grid.ts';
import { FaultFlags, judgeChunk } from '../../gpu-chunks/fault-flags.ts';
import { analyzeOnGpu } from '../../gpu-chunks/gpu-chunks.ts';
import { chunkName } from '../../shared/chunk-name.ts';
import { inContext } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { CompressedLayers, type LayerSource } from './compressed-layers.ts';

// A pass over all chunks of a compressed volume, each of which is decoded once into temporary memory.

/**
 * Decodes all chunks, one layer or time point at a time.
 * @param byTimePoints whether a layer is a whole time point
 * @param flags report unsound payloads up to the visited box; if undefined, payloads are not checked
 */
export async function decodeEach(
  source: LayerSource,
  byTimePoints: boolean,
  visit: (box: NumberedBox) => Promise<void>,
  flags?: FaultFlags,
): Promise<void> {
  const { gpu, grid } = source;
  using scope = gpu.scope('decode');
  const layers = new CompressedLayers(source, byTimePoints ? undefined : 2, scope, scope, { flags, asEncoded: true });
  const { chunksPerTimePoint, counts, timePointsPerChunk } = grid;
  for (let at = 0; at < layers.count * counts[3]; at++) {
    const block = Math.floor(at / layers.count);
    const commands = gpu.commands('decode');
    const boxes = layers.record(commands, at % layers.count, block * timePointsPerChunk);
    await commands.submit();
    for (const { voxels, chunks } of boxes) {
      const chunkNumbers = chunks.map(({ number }) => block * chunksPerTimePoint + number);
      await visit({ voxels, chunks, chunkNumbers });
    }
  }
}

/**
 * Compares the checksums of all chunks.
 * @param chunks as they are in the file
 * @throws StriaError `corrupt` in the context of `chunk N`
 */
export async function verifyChunks(
  source: LayerSource,
  byTimePoints: boolean,
  chunks: readonly EncodedChunk[],
  { signal, onProgress }: JobOptions,
): Promise<void> {
  const { gpu, grid, type } = source;
  const total = grid.dims.reduce((product, length) => product * length, codecElementBytes(type));
  let done = 0;
  using flagScope = gpu.scope('flags');
  const flags = new FaultFlags(flagScope);
  const visit = async (box: NumberedBox) => {
    throwIfAborted(signal);
    using scope = gpu.scope('check');
    const { elementBytes, dims } = box.voxels;
    const [analyses, suspects] = await Promise.all([analyzeOnGpu(gpu, box, { scope, signal }), flags.take(gpu)]);
    analyses.forEach(({ checksum }, index) => {
      const number = box.chunkNumbers[index] as number;
      const promised = (chunks[number] as EncodedChunk).decodedChecksum;
      if (!sameChecksum(checksum, promised)) throw inContext(chunkName(number), mismatch());
    });
    for (const number of suspects) {
      const { shape } = grid.box(number);
      await judgeChunk(chunks[number] as EncodedChunk, shape, elementBytes, signal).catch((error: unknown) => {
        throw inContext(chunkName(number), error);
      });
    }
    done += dims[0] * dims[1] * dims[2] * elementBytes;
    onProgress?.({ stage: 'Checking', done, total });
  };
  await decodeEach(source, byTimePoints, visit, flags);
}
