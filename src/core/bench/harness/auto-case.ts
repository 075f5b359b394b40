import type { ChunkBox } from '../../chunks/backend.ts';
import { ChunkTally } from '../../chunks/chunk-tally.ts';
import type { GpuVoxels, Preference } from '../../codec/codec.ts';
import type { EncodedChunk } from '../../format/chunk.ts';
import { ChunkGrid, type ChunkShape } from '../../format/chunk-grid.ts';
import { createGpuBackend } from '../../gpu-chunks/gpu-backend.ts';
import { type BenchContext, caseOf } from './context.ts';
import { expectSame } from './expect-same.ts';
import type { BenchCase } from './result.ts';

/** A volume in GPU memory for the engine's own choice of codecs. */
export interface AutoWork extends Pick<BenchCase, 'table' | 'subject' | 'x'> {
  readonly voxels: GpuVoxels;
  /** The contents of `voxels`. */
  readonly expected: Uint8Array<ArrayBuffer>;
  readonly chunkShape: ChunkShape;
  readonly prefer: Preference;
}

/**
 * Times all kernels that the engine runs when it chooses the codec of each chunk: statistics, checksums and survey, then the
 * chosen encoders; and decoding with checksums. Only the wall times include the CPU's work between the kernels.
 * @throws StriaError `internal` if the decoded voxels differ
 */
export async function benchAuto(context: BenchContext, work: AutoWork): Promise<void> {
  const { gpu, meter, job } = context;
  const { table, subject, x, voxels, expected, chunkShape, prefer } = work;
  const backend = createGpuBackend(gpu);
  const grid = new ChunkGrid([...voxels.dims, 1], chunkShape);
  const places = Array.from({ length: grid.count }, (_, number): ChunkBox => grid.box(number));
  const box = { voxels, chunks: places };
  const choice = { codec: 'auto', options: { axis: 'auto', prefer } } as const;
  let chunks: EncodedChunk[] = [];
  const encode = await meter.timeApart(async (onTimes) => {
    chunks = (await backend.encodeResident(box, choice, { ...job, onTimes })).chunks;
  });

  using scope = gpu.scope('bench.auto');
  const target: GpuVoxels = { ...voxels, buffer: scope.storage('target', voxels.buffer.size) };
  const decode = await meter.timeApart((onTimes) =>
    backend.decodeResident(chunks, { voxels: target, chunks: places }, { ...job, onTimes }),
  );
  expectSame(await gpu.read(target.buffer), expected, `auto on ${subject}`);

  const copy = await meter.copyOf(voxels.buffer);
  const tally = new ChunkTally();
  for (const chunk of chunks) tally.addChunk(chunk);
  const outputBytes = chunks.reduce((sum, one) => sum + (one.kind === 'coded' ? one.payload : one.element).byteLength, 0);
  const inputBytes = voxels.dims[0] * voxels.dims[1] * voxels.dims[2] * voxels.elementBytes;
  const facts = {
    table,
    subject,
    x,
    method: `auto, ${prefer}`,
    processor: 'gpu',
    inputBytes,
    outputBytes,
    movedBytes: inputBytes + outputBytes,
    movedBytesAre: 'least',
    verified: 'decoded on the GPU and compared byte by byte',
    note: tally
      .shares()
      .map(({ codec, count }) => `${codec} ${count}`)
      .join(', '),
  } as const;
  context.add(caseOf({ ...facts, operation: 'encode' }, encode, copy));
  context.add(caseOf({ ...facts, operation: 'decode' }, decode, copy));
}
