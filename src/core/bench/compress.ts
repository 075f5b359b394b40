import type { Preference } from '../codec/codec.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import { createGpuBackend } from '../gpu-chunks/gpu-backend.ts';
import { openSample } from '../samples/sample.ts';
import type { SampleKind } from '../samples/sample-kinds.ts';
import { totalOf } from '../shared/total.ts';
import { type Dims3, elementBytes } from '../shared/volume.ts';
import { type CompressedResident, compressResident } from '../volume/resident/compress-resident.ts';
import { ResidentVolume } from '../volume/resident/resident-volume.ts';
import { samplesOf } from './harness/codecs.ts';
import type { BenchContext } from './harness/context.ts';
import { spreadOf } from './harness/statistics.ts';

const chunkShape: Dims3 = [64, 64, 64];
const prefer: Preference = 'balanced';
/** A pause long enough for an idle GPU to lower its clocks. */
const pauseMs = 500;
const afterPauses = 5;

/** When a compression runs: first after opening the device, directly after another one, or after a pause. `checked` is `again` with the check. */
type Moment = 'first' | 'again' | 'after a pause' | 'checked';

/**
 * Suite `compress` times, by wall clock, what the app's Compress does with an open volume, until the result is known and in GPU memory. The
 * stage `in host memory` is the time from the same start until all payloads are read back, which the app does next.
 */
export async function benchCompress(context: BenchContext): Promise<void> {
  const { gpu, request, job } = context;
  const { size, type } = request;
  for (const kind of samplesOf(request)) {
    context.begin(kind);
    const sample = openSample({ kind, dims: [size, size, size], type, seed: 1 });
    const resident = await ResidentVolume.create(gpu, sample.info, { chunkShape });
    try {
      for await (const piece of sample.voxels(job)) resident.append(piece);
      const volume = { kept: resident, source: await sample.source(), chunkShape };
      // Each volume gets its own backend, and with it its own kernels.
      const backend = createGpuBackend(gpu);
      const choice = { codec: 'auto', options: { axis: 'auto', prefer } } as const;
      // As in the app, once the volume is drawn.
      await backend.prepareEncode?.([chunkShape], codecElementBytes(type), choice);
      await backend.prepareCheck([chunkShape], codecElementBytes(type), choice);
      await gpu.settle();
      const compress = (check: boolean) => compressResident(backend, volume, choice, { ...job, check });
      const measure = async (moment: Moment, repetitions: number) => {
        context.begin(`${kind}, ${moment}`);
        const wallMs: number[] = [];
        const parts = new Map<string, number[]>();
        let last: CompressedResident | undefined;
        for (let repetition = 0; repetition < repetitions; repetition++) {
          if (moment === 'after a pause') await new Promise((resolve) => setTimeout(resolve, pauseMs));
          const start = performance.now();
          last = await compress(moment === 'checked');
          const resultMs = performance.now() - start;
          wallMs.push(resultMs);
          await last.payloads.inHost();
          const inHostMs = performance.now() - start;
          const reading = { 'Read back': inHostMs - resultMs, 'in host memory': inHostMs };
          for (const [part, ms] of [...partsOf(last), ...Object.entries(reading)])
            parts.set(part, [...(parts.get(part) ?? []), ms]);
        }
        addCase(context, kind, moment, last as CompressedResident, wallMs, parts);
      };
      const { isSoftware } = gpu;
      await measure('first', 1);
      await measure('again', isSoftware ? 1 : request.repetitions);
      const few = isSoftware ? 1 : Math.min(request.repetitions, afterPauses);
      await measure('after a pause', few);
      // The runs without the check produce the same payloads as these.
      await measure('checked', few);
    } finally {
      resident.destroy();
      gpu.spare.free();
    }
  }
}

/** The stages by the host's clock, and the kernels by the GPU's. */
function partsOf({ timeline, encode }: CompressedResident): Map<string, number> {
  const parts = new Map<string, number>();
  for (const { stage, startMs, endMs } of timeline) parts.set(stage, (parts.get(stage) ?? 0) + endMs - startMs);
  if (encode.kernels?.clock === 'GPU') {
    parts.set(
      'kernels',
      Object.values(encode.kernels.ms).reduce((sum, ms) => sum + ms, 0),
    );
  }
  return parts;
}

function addCase(
  context: BenchContext,
  kind: SampleKind,
  moment: Moment,
  { payloads, shares }: CompressedResident,
  wallMs: readonly number[],
  parts: ReadonlyMap<string, readonly number[]>,
): void {
  const { size, type } = context.request;
  const inputBytes = size ** 3 * elementBytes(type);
  const outputBytes = totalOf(payloads.outlines.map((one) => (one.kind === 'coded' ? one.payload : one.element).byteLength));
  context.add({
    table: 'compress',
    subject: `${kind} ${size}³ ${type}`,
    x: kind,
    method: `auto, ${prefer}, ${moment}`,
    operation: 'compress',
    processor: 'gpu',
    inputBytes,
    outputBytes,
    movedBytes: inputBytes + outputBytes,
    movedBytesAre: 'least',
    gpuMs: undefined,
    wallMs: spreadOf(wallMs),
    stages: Object.fromEntries([...parts].map(([part, ms]) => [part, spreadOf(ms)])),
    copyMs: undefined,
    timesCopy: undefined,
    verified: 'decoded on the GPU and compared bit by bit',
    note: shares.map(({ codec, count }) => `${codec} ${count}`).join(', '),
  });
}
