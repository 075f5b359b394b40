import type { GpuVoxels } from '../../codec/codec.ts';
import { codecs } from '../../codecs/registry.ts';
import { codecElementBytes } from '../../format/chunk-grid.ts';
import { openSample } from '../../samples/sample.ts';
import { type SampleKind, type SampleType, sampleKinds } from '../../samples/sample-kinds.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type Dims3, type ElementType, elementBytes } from '../../shared/volume.ts';
import { benchAuto } from './auto-case.ts';
import { benchCodec, padRows } from './codec-cases.ts';
import type { BenchContext } from './context.ts';
import { repeatedVoxels } from './repeated-voxels.ts';
import type { BenchRequest } from './result.ts';
import { benchTranscode } from './transcode-case.ts';

const chunkShape: Dims3 = [64, 64, 64];

/** The goals of `auto` in the benchmark. 'size' is left out, because it disregards speed. */
const autoPreferences = ['balanced', 'speed'] as const;

/** Suite `codecs`: every requested codec on every sample and axis, or on a file's volume, and the engine's own choice. */
export async function benchCodecs(context: BenchContext): Promise<void> {
  const { host, request, job } = context;
  const dims: Dims3 = [request.size, request.size, request.size];
  if (host.scan) {
    const { name, volume } = host.scan;
    context.begin(name);
    await benchVoxels(context, name, volume.info.type, await repeatedVoxels(volume, dims, job));
    return;
  }
  for (const sample of samplesOf(request)) {
    context.begin(sample);
    await benchVoxels(context, sample, request.type, await sampleBytes(sample, dims, request.type, job));
  }
}

async function benchVoxels(
  context: BenchContext,
  name: string,
  type: ElementType,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const { gpu, request } = context;
  const { size } = request;
  const elementBytes = codecElementBytes(type);
  const subject = `${name} ${size}³ ${type}`;
  using scope = gpu.scope('bench.codecs');
  const expected = padRows(bytes, size, elementBytes);
  const buffer = scope.storage('voxels', expected.byteLength, expected);
  const voxels: GpuVoxels = { buffer, dims: [size, size, size], elementBytes };
  for (const codec of codecs.filter(
    ({ name, elementBytes: widths }) => request.codecs.includes(name) && widths.includes(elementBytes),
  )) {
    for (const axis of codec.axisOf ? (['x', 'y', 'z'] as const) : (['auto'] as const)) {
      const method = codec.axisOf ? `${codec.name} ${axis}` : codec.name;
      context.begin(`${name}, ${method}`);
      const work = { table: 'codecs', subject, x: name, codec, method, voxels, expected, chunkShape, axis } as const;
      await benchCodec(context, work);
      if (codec.decodeGigabytesPerSecond !== undefined) await benchTranscode(context, work);
    }
  }
  for (const prefer of request.codecs.includes('auto') ? autoPreferences : []) {
    context.begin(`${name}, auto, ${prefer}`);
    await benchAuto(context, { table: 'codecs', subject, x: name, voxels, expected, chunkShape, prefer });
  }
}

/** The samples that a request names, or all. */
export function samplesOf({ samples }: BenchRequest): readonly SampleKind[] {
  return sampleKinds.filter((kind) => samples?.includes(kind) ?? true);
}

/** All voxels of a sample, x fastest. */
export async function sampleBytes(
  kind: SampleKind,
  dims: Dims3,
  type: SampleType,
  job: JobOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(dims[0] * dims[1] * dims[2] * elementBytes(type));
  let filled = 0;
  for await (const piece of openSample({ kind, dims, type, seed: 1 }).voxels({ signal: job.signal })) {
    bytes.set(piece, filled);
    filled += piece.byteLength;
  }
  return bytes;
}
