import type { ChunkBox } from '../../chunks/backend.ts';
import { sameChecksum } from '../../format/checksum.ts';
import type { CodedChunk } from '../../format/chunk.ts';
import { ChunkGrid } from '../../format/chunk-grid.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { DecodePlanner, type StoredChunk } from '../../gpu-chunks/decode-planner.ts';
import { createGpuBackend } from '../../gpu-chunks/gpu-backend.ts';
import { analyzeOnGpu } from '../../gpu-chunks/gpu-chunks.ts';
import { transcodeOnGpu } from '../../gpu-chunks/gpu-transcoder.ts';
import { StriaError } from '../../shared/errors.ts';
import type { CodecWork } from './codec-cases.ts';
import { type BenchContext, caseOf } from './context.ts';

/**
 * Times the transcoding when a file of a slow codec is opened for playback: its chunks are decoded on the GPU, compared with their
 * checksums and encoded again by the fast codecs of 'auto'. The GPU time excludes the upload of the payloads; the wall time includes it.
 * @throws StriaError `internal` if the new payloads decode to other voxels
 */
export async function benchTranscode(context: BenchContext, work: CodecWork): Promise<void> {
  const { gpu, meter, job } = context;
  const { codec, voxels, chunkShape, axis, table, subject, x, method } = work;
  const grid = new ChunkGrid([...voxels.dims, 1], chunkShape);
  const places = Array.from({ length: grid.count }, (_, number): ChunkBox => grid.box(number));
  const choice = { codec: [codec], options: { axis } } as const;
  const { chunks } = await createGpuBackend(gpu).encodeResident({ voxels, chunks: places }, choice, job);
  const slow = chunks.flatMap((chunk, number) => {
    const isOwn = chunk.kind === 'coded' && chunk.stages[0]?.codecId === codec.id;
    return isOwn ? [{ chunk: chunk as CodedChunk, number, shape: grid.box(number).shape }] : [];
  });
  if (slow.length === 0) return;
  let owner: GpuScope | undefined;
  try {
    let stored: readonly StoredChunk[] = [];
    const timing = await meter.timeApart(async (onTimes) => {
      owner?.destroy();
      owner = gpu.scope('bench.transcoded');
      stored = await transcodeOnGpu(gpu, owner, slow, voxels.elementBytes, { ...job, onTimes });
    });
    using scope = gpu.scope('bench.decode');
    const target = { ...voxels, buffer: scope.storage('target', voxels.buffer.size) };
    const own = slow.map(({ number }) => places[number] as ChunkBox);
    const planned = own.map((place, i) => ({ ...place, stored: stored[i] as StoredChunk, number: i }));
    const commands = gpu.commands('decode');
    new DecodePlanner(gpu).plan(planned, target, scope)(commands);
    await commands.submit();
    const analyses = await analyzeOnGpu(gpu, { voxels: target, chunks: own }, { scope });
    for (const [i, { chunk, number }] of slow.entries()) {
      if (sameChecksum((analyses[i] as (typeof analyses)[number]).checksum, chunk.decodedChecksum)) continue;
      throw new StriaError('internal', `${method} transcoded, on ${subject}: chunk ${number} does not decode to its voxels`);
    }
    const inputBytes = voxels.dims[0] * voxels.dims[1] * voxels.dims[2] * voxels.elementBytes;
    const bytesBefore = slow.reduce((sum, { chunk }) => sum + chunk.payload.byteLength, 0);
    const bytesAfter = stored.reduce((sum, chunk) => sum + (chunk.kind === 'coded' ? chunk.byteLength : 0), 0);
    const names = new Set(stored.map((chunk) => (chunk.kind === 'coded' ? chunk.codec.name : chunk.kind)));
    const facts = {
      table,
      subject,
      x,
      method,
      operation: 'transcode',
      processor: 'gpu',
      inputBytes,
      outputBytes: bytesAfter,
      movedBytes: bytesBefore + 2 * inputBytes + bytesAfter,
      movedBytesAre: 'least',
      verified: 'decoded again on the GPU; the checksum of every chunk compared before and after',
      note: `${bytesBefore} bytes became ${[...names].join(', ')}`,
    } as const;
    context.add(caseOf(facts, timing, await meter.copyOf(voxels.buffer)));
  } finally {
    owner?.destroy();
  }
}
