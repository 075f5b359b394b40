import { afterEach, describe, expect, test, vi } from 'vitest';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { createGpuBackend, type GpuBackend } from '../../gpu-chunks/gpu-backend.ts';
import { memorySink, memorySource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { auto, compressBytes, infoOf, only, voxelsOf } from '../../stream/engine-testing.ts';
import { rawSource } from '../../stream/memory-volume.ts';
import { withBindingLimit } from '../resident-testing.ts';
import { type CompressResidentOptions, compressResident, writeContainer } from './compress-resident.ts';
import { ResidentVolume } from './resident-volume.ts';

const gpu = await openTestGpu();
const backend = createGpuBackend(gpu);
afterEach(() => vi.restoreAllMocks());

const chunkShape = [32, 32, 16] as const;
const info = infoOf([64, 40, 48, 1], 'u8');
const voxels = voxelsOf(info, 'blobs');
const source = rawSource('volume.raw');

/** The volume in boxes of one layer of chunks. */
async function resident(): Promise<ResidentVolume> {
  const kept = await ResidentVolume.create(withBindingLimit(gpu, 64 * 40 * 16), info, { chunkShape });
  kept.append(voxels);
  expect(kept.boxes.length).toBe(3);
  return kept;
}

async function compressed(options: CompressResidentOptions = {}, using: GpuBackend = backend) {
  const kept = await resident();
  const volume = { kept, source, chunkShape };
  const live = gpu.memory.liveBytes('result');
  try {
    const result = await compressResident(using, volume, auto, options);
    return { ...result, volume };
  } catch (error) {
    expect(gpu.memory.liveBytes('result')).toBe(live);
    throw error;
  } finally {
    kept.destroy();
  }
}

const expected = async () => {
  const { bytes } = await compressBytes(createCpuBackend(inlinePool()), info, voxels, { choice: auto, chunkShape });
  const reader = await ContainerReader.open(memorySource('a.stria', bytes));
  return { bytes, chunks: await reader.readChunks(0, reader.chunkCount) };
};

describe('a volume that is compressed in GPU memory', () => {
  test('has the size and shares of its file before a payload is in host memory, and then the bytes of the CPU', async () => {
    const { payloads, bytesOut, volume, check, shares } = await compressed();
    const { bytes, chunks } = await expected();
    expect([bytesOut, check !== undefined]).toEqual([bytes.length, true]);
    expect(shares.reduce((sum, share) => sum + share.bytes, 0)).toBe(payloads.bytesInGpu);
    expect(gpu.memory.liveBytes('result')).toBeGreaterThanOrEqual(payloads.bytesInGpu);
    expect(await payloads.inHost()).toEqual(chunks);
    expect([payloads.bytesInGpu, gpu.memory.liveBytes('result')]).toEqual([0, 0]);
    const sink = memorySink();
    await writeContainer(sink, volume, await payloads.inHost(), {});
    expect(sink.bytes()).toEqual(bytes);
  });

  test('reads payloads back after each box if they exceed their share of GPU memory', async () => {
    const { payloads, timeline } = await compressed({ keptBytes: 0 });
    expect(payloads.bytesInGpu).toBe(0);
    expect(timeline.some(({ stage }) => stage === 'Read back')).toBe(true);
    expect(await payloads.inHost()).toEqual((await expected()).chunks);
  });

  test('reads payloads back if the GPU has no memory for the next box', async () => {
    let boxes = 0;
    const refusing: GpuBackend = {
      ...backend,
      encodeKept: (...box) => {
        if (++boxes === 3) return Promise.reject(new StriaError('out-of-memory', 'no memory, says the test'));
        return backend.encodeKept(...box);
      },
    };
    const { payloads } = await compressed({}, refusing);
    expect(boxes).toBe(4);
    expect(await payloads.inHost()).toEqual((await expected()).chunks);
    boxes = 2;
    // Without payloads to read back, nothing would change.
    await expect(compressed({}, refusing)).rejects.toMatchObject({ tag: 'out-of-memory' });
  });

  test('keeps only its share in GPU memory, and fits, if the volume is a single box', async () => {
    const kept = await ResidentVolume.create(gpu, info, { chunkShape });
    kept.append(voxels);
    expect(kept.boxes.length).toBe(1);
    let most = 0;
    const small: GpuBackend = {
      ...backend,
      // A device without memory for more.
      encodeKept: async (box, choice, job) => {
        const held = gpu.memory.liveBytes('result');
        const result = await backend.encodeKept(box, choice, job);
        most = Math.max(most, held + result.byteLength);
        if (held + result.byteLength <= 2 ** 16) return result;
        result.release();
        throw new StriaError('out-of-memory', 'no memory, says the test');
      },
    };
    try {
      const raw = only('raw');
      const options = { keptBytes: 2 ** 15, leastPartBytes: 2 ** 15 };
      const { payloads } = await compressResident(small, { kept, source, chunkShape }, raw, options);
      expect(most).toBeGreaterThan(0);
      expect((await payloads.inHost()).length).toBe(payloads.outlines.length);
      const whole = await compressResident(backend, { kept, source, chunkShape }, raw, {});
      expect(whole.payloads.bytesInGpu).toBeGreaterThan(2 ** 16);
      expect(await payloads.inHost()).toEqual(await whole.payloads.inHost());
    } finally {
      kept.destroy();
    }
  });

  test('is discarded if a voxel differs after decoding', async () => {
    const wrong: GpuBackend = { ...backend, checkKept: async () => ({ differingWords: 1 }) };
    await expect(compressed({}, wrong)).rejects.toMatchObject({
      tag: 'internal',
      message: expect.stringContaining('3 words differ'),
    });
  });

  test('frees its payloads when it is cancelled', async () => {
    const ending = new AbortController();
    const onProgress = ({ stage }: { stage: string }) => stage === 'Checking' && ending.abort();
    await expect(compressed({ signal: ending.signal, onProgress })).rejects.toMatchObject({ tag: 'aborted' });
  });

  test('frees its payloads when the result is no longer needed, even while they are read back', async () => {
    for (const isReading of [false, true]) {
      const { payloads } = await compressed();
      const reading = isReading ? payloads.inHost() : undefined;
      reading?.catch(() => {});
      payloads.release();
      await expect(payloads.inHost()).rejects.toMatchObject({ tag: 'aborted' });
      await gpu.finish();
      expect([gpu.memory.liveBytes('result'), gpu.memory.liveBytes('lent')]).toEqual([0, 0]);
    }
  });

  test('is lost with the device, which the error says', async () => {
    const { payloads } = await compressed();
    vi.spyOn(gpu, 'commands').mockImplementation(() => {
      throw new StriaError('device-lost', 'gone');
    });
    await expect(payloads.inHost()).rejects.toMatchObject({
      tag: 'device-lost',
      message: expect.stringContaining('the result was lost'),
    });
    expect(gpu.memory.liveBytes('result')).toBe(0);
  });
});
