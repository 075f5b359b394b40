import type { EncodedChunk } from '../format/chunk.ts';
import { StriaError } from '../shared/errors.ts';
import { type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import { CompressedVolume } from '../volume/compressed/compressed-volume.ts';
import { brickShape } from './brick-memory.ts';
import type { BenchContext } from './harness/context.ts';
import { inFlight, runFrames } from './harness/frames.ts';
import { spreadOf } from './harness/statistics.ts';
import { targetOf, ViewStage } from './view.ts';
import { turned } from './view-turning.ts';

const timePoints = 8;
const rounds = 12;

/**
 * Plays a series in 3D from compressed GPU memory, turning a little with each frame: a time point is decoded into the display
 * texture and the ranges of its bricks, and drawn. @param volumes chunks of whole volumes, which alternate in the series
 */
export async function benchSeries(context: BenchContext, volumes: readonly (readonly EncodedChunk[])[]): Promise<void> {
  const { gpu, request, job } = context;
  const { size, type } = request;
  context.begin('a series in 3D');
  const info: VolumeInfo = {
    dims: [size, size, size, timePoints],
    type,
    spacing: [1, 1, 1, 1],
    spatialUnit: 'mm',
    timeUnit: 's',
    affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
    slope: 1,
    intercept: 0,
  };
  const shape = brickShape.map((length) => Math.min(length, size)) as unknown as typeof brickShape;
  const chunks = Array.from({ length: timePoints }, (_, t) => volumes[t % volumes.length] as readonly EncodedChunk[]).flat();
  const before = gpu.memory.liveBytes();
  const volume = await CompressedVolume.create(gpu, { info, chunkShape: shape, chunks }, { verify: true, signal: job.signal });
  using scope = gpu.scope('bench.series');
  try {
    const { window } = await volume.statistics();
    const display = await volume.displayTexture(0);
    volume.prepareFrames(3, [0, 0, 0, 0]);
    const target = targetOf(size);
    const stage = new ViewStage(gpu, scope, display, window, target);
    // Time points with the same chunks look the same; time points with different chunks do not.
    const pictures: Uint8Array[] = [];
    for (const t of [0, 1, volumes.length]) {
      await volume.displayTexture(t);
      pictures.push(await stage.pixels('composite', turned(0.1, target)));
    }
    const isSame = (a: number, b: number) => (pictures[a] as Uint8Array).every((value, at) => value === pictures[b]?.[at]);
    if (!isSame(0, 2) || isSame(0, 1)) throw new StriaError('internal', 'the time points of the series are mixed up');
    const frames = gpu.isSoftware ? 3 : timePoints * rounds;
    const { intervals, times, seconds } = await runFrames(context, frames, 1, (frame, onTimes) =>
      stage.draw('composite', frame / frames, onTimes, (commands) => volume.recordDisplay(commands, frame % timePoints)),
    );
    const memory = gpu.memory.liveBytes() - before;
    const sumOf = (counts: (label: string) => boolean) =>
      times.map(({ stages }) => stages.reduce((ms, { label, gpuMs }) => ms + (counts(label) ? (gpuMs ?? Number.NaN) : 0), 0));
    const labels = [...new Set(times.flatMap(({ stages }) => stages.map(({ label }) => label)))];
    const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
    const spread = spreadOf(intervals);
    context.add({
      table: 'bricks',
      subject: `${timePoints} time points of ${size}³ ${type}`,
      x: 'series',
      method: `compositing, lit, into ${target.width} × ${target.height}`,
      operation: 'decode and draw',
      processor: 'gpu',
      inputBytes: Math.round(volume.payloadBytes / timePoints),
      outputBytes: volumeBytes(info) / timePoints,
      movedBytes: Math.round(volume.payloadBytes / timePoints) + (2 * volumeBytes(info)) / timePoints,
      movedBytesAre: 'least',
      gpuMs: gpu.hasTimestamps ? spreadOf(sumOf(() => true)) : undefined,
      wallMs: spread,
      stages: gpu.hasTimestamps
        ? Object.fromEntries(labels.map((name) => [name, spreadOf(sumOf((label) => label === name))]))
        : {},
      copyMs: undefined,
      timesCopy: undefined,
      verified: 'all chunks by checksum; pictures of three time points compared with each other',
      note:
        `${Math.round(intervals.length / seconds)} frames a second over ${intervals.length} frames, ${inFlight} in flight; the longest took ` +
        `${spread.max.toFixed(1)} ms; ${volume.shares.map(({ codec, count }) => `${codec} ${count}`).join(', ')}; compressed ` +
        `${mebibytes(volume.payloadBytes)}, raw ${mebibytes(volumeBytes(info))}; all GPU memory taken ${mebibytes(memory)}`,
    });
  } finally {
    volume.destroy();
  }
}
