import { choiceByName } from '../codecs/registry.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { extractOnGpu, type GpuSurfaceJob } from '../mesh/gpu/gpu-surfaces.ts';
import { type ExtractedSurface, extractSurfaces, finishSurface, type SurfaceSettings } from '../mesh/surfaces.ts';
import { openSample } from '../samples/sample.ts';
import { StriaError } from '../shared/errors.ts';
import { type VolumeInfo, volumeBytes } from '../shared/volume.ts';
import { memoryVolume } from '../stream/memory-volume.ts';
import { CompressedVolume } from '../volume/compressed/compressed-volume.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import type { VolumeSource } from '../volume/volume-source.ts';
import { type BenchContext, caseOf } from './harness/context.ts';
import { Meter, type Timing } from './harness/meter.ts';
import { spreadOf } from './harness/statistics.ts';

const chunkShape = [64, 64, 64] as const;
/** An extraction takes so long that more repetitions would add little. */
const mostRepetitions = 5;
const cpuRepetitions = 2;

interface MeshWork {
  readonly x: string;
  readonly subject: string;
  readonly info: VolumeInfo;
  readonly voxels: Uint8Array;
  readonly surfaces: SurfaceSettings['surfaces'];
}

/**
 * Suite `mesh` extracts the surface of the phantom at the middle of its window, and the surfaces of all labels of a volume with half its
 * side: on the GPU from voxels and from compressed chunks, and on one CPU thread.
 */
export async function benchMesh(context: BenchContext): Promise<void> {
  const { size, type } = context.request;
  for (const kind of ['phantom', 'labels'] as const) {
    context.begin(kind);
    const side = kind === 'phantom' ? size : Math.ceil(size / 2);
    // A 16-bit volume would have more labels than can be extracted at once.
    const sample = openSample({ kind, dims: [side, side, side], type: kind === 'phantom' ? type : 'u8', seed: 1 });
    const { info } = sample;
    const voxels = new Uint8Array(volumeBytes(info));
    let filled = 0;
    for await (const piece of sample.voxels(context.job)) {
      voxels.set(piece, filled);
      filled += piece.byteLength;
    }
    const subject = `${kind} ${side}³ ${info.type}`;
    await measure(context, { x: kind, subject, info, voxels, surfaces: 'labels' });
  }
}

/** @param work its `surfaces` are replaced for the phantom by the level in the middle of the window */
async function measure(context: BenchContext, work: MeshWork): Promise<void> {
  const { gpu, job } = context;
  const volume = await ResidentVolume.create(gpu, work.info, { chunkShape });
  const backend = createGpuBackend(gpu);
  try {
    volume.append(work.voxels);
    const { window } = await volume.statistics();
    const own = work.x === 'phantom' ? { ...work, surfaces: [{ level: (window[0] + window[1]) / 2 }] } : work;
    const found = await onGpu(context, own, 'GPU, from voxels', volume);
    const chunks: EncodedChunk[] = [];
    const [codec = 'auto'] = context.request.codecs;
    const name = codec === 'auto' ? 'rice' : codec;
    const choice = { codec: choiceByName(name), options: { axis: 'auto' } } as const;
    await volume.forEachBox(async (box) => void chunks.push(...(await backend.encodeResident(box, choice, job)).chunks));
    const compressed = await CompressedVolume.create(gpu, { info: work.info, chunkShape, chunks }, { verify: false });
    try {
      expectEqual(await onGpu(context, own, `GPU, from ${name}`, compressed), found);
    } finally {
      compressed.destroy();
    }
    expectEqual(await onCpu(context, own), found);
  } finally {
    volume.destroy();
    await backend.destroy();
  }
}

async function onGpu(
  context: BenchContext,
  work: MeshWork,
  method: string,
  volume: VolumeSource,
): Promise<readonly ExtractedSurface[]> {
  const { gpu, request, job } = context;
  context.begin(`${work.x}, ${method}`);
  using scope = gpu.scope('bench');
  const meter = new Meter(gpu, scope, Math.min(request.repetitions, mostRepetitions), job.signal);
  let found: readonly ExtractedSurface[] | undefined;
  const extract = async (onTimes: GpuSurfaceJob['onTimes']) => {
    const raw = await extractOnGpu(gpu, volume, { surfaces: work.surfaces, t: 0 }, { signal: job.signal, onTimes });
    found = raw?.map((surface) => finishSurface(surface, work.info, 0));
  };
  // Decoding is not timed separately, so the sum of the kernels would be too small.
  const timing = await meter.time((onTimes) => extract(volume.isCompressed ? undefined : onTimes));
  if (!found) throw new StriaError('internal', 'the GPU does not extract these surfaces');
  add(context, work, method, 'gpu', timing, found);
  return found;
}

async function onCpu(context: BenchContext, work: MeshWork): Promise<readonly ExtractedSurface[]> {
  const method = 'one thread';
  context.begin(`${work.x}, ${method}`);
  const volume = memoryVolume(work.info, work.voxels);
  const wallMs: number[] = [];
  let found: readonly ExtractedSurface[] = [];
  const repetitions = context.gpu.isSoftware ? 1 : Math.min(context.request.repetitions, cpuRepetitions);
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const start = performance.now();
    found = await extractSurfaces(volume, { surfaces: work.surfaces, t: 0, smoothing: 0 }, { signal: context.job.signal });
    wallMs.push(performance.now() - start);
  }
  add(context, work, method, 'cpu', { gpuMs: undefined, wallMs: spreadOf(wallMs), stages: {} }, found);
  return found;
}

function add(
  context: BenchContext,
  { x, subject, voxels }: MeshWork,
  method: string,
  processor: 'gpu' | 'cpu',
  timing: Timing,
  found: readonly ExtractedSurface[],
): void {
  const triangles = found.reduce((sum, { mesh }) => sum + mesh.triangles.length / 3, 0);
  const bytes = found.reduce((sum, { mesh }) => sum + mesh.triangles.byteLength + mesh.positions.byteLength, 0);
  const rate = triangles / timing.wallMs.median / 1000;
  const facts = {
    table: 'mesh',
    subject,
    x,
    method,
    operation: 'extract',
    processor,
    inputBytes: voxels.byteLength,
    outputBytes: bytes,
    movedBytes: voxels.byteLength + bytes,
    movedBytesAre: 'least',
    verified: 'all corners and triangles compared with those of the CPU',
    note: `${triangles.toLocaleString('en')} triangles of ${found.length} ${found.length === 1 ? 'surface' : 'surfaces'}; ${rate.toFixed(2)} million a second`,
  } as const;
  context.add(caseOf(facts, timing, undefined));
}

/** @throws StriaError `internal` if the surfaces differ */
function expectEqual(found: readonly ExtractedSurface[], expected: readonly ExtractedSurface[]): void {
  const isEqual = found.every(({ mesh }, at) => {
    const other = expected[at]?.mesh;
    return other && isSame(mesh.positions, other.positions) && isSame(mesh.triangles, other.triangles);
  });
  if (found.length !== expected.length || !isEqual) throw new StriaError('internal', 'the meshes differ');
}

function isSame(one: Float32Array | Uint32Array, other: Float32Array | Uint32Array): boolean {
  return one.length === other.length && one.every((number, at) => number === other[at]);
}
